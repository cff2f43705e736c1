import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { importedHistory, importerOver, sessionOf } from '../../support/transcripts.ts';
import { type TestWorld, testWorld } from '../../support/world.ts';

let world: TestWorld;
let clock: number;
let path: string;

beforeEach(() => {
	clock = 0;
	world = testWorld({
		now: () => {
			clock += 300;
			return clock;
		},
	});
	path = join(freshFolder(), 'session.jsonl');
});

afterEach(removeFolders);

/** Returns this range of messages, of ten kilobytes each. */
function messages(from: number, to: number, word = 'x'): string {
	return Array.from({ length: to - from }, (_, index) =>
		JSON.stringify({ role: 'user', content: `${from + index} ${word.repeat(10_000)}` }),
	)
		.map((line) => `${line}\n`)
		.join('');
}

const importer = () => importerOver(world);

/** Imports the file, and cancels the import at the progress report with this number. */
async function cancelAt(report: number): Promise<void> {
	const cancelling = new AbortController();
	let reports = 0;
	const watcher = {
		signal: cancelling.signal,
		report: () => {
			if (++reports === report) cancelling.abort(new Error('cancelled'));
		},
	};
	await expect(importer().importTranscript({ path }, watcher)).rejects.toThrow('cancelled');
}

describe('cancelling an import', () => {
	it('a cancelled import leaves no new session behind', async () => {
		await writeFile(path, messages(0, 800));
		await cancelAt(2);
		expect(await world.store.services.journals.list()).toEqual([]);
		const { messageCount } = await importer().importTranscript({ path });
		expect(messageCount).toBe(800);
	});

	it.each([
		['before anything was stored', 2, false],
		['after much was stored', 19, true],
	])('a cancelled import leaves an existing session unchanged, %s', async (_, report, isStored) => {
		await writeFile(path, messages(0, 20));
		const { sessionId } = await importer().importTranscript({ path });
		const before = await importedHistory(world, sessionId);
		await appendFile(path, messages(20, 2200));
		await cancelAt(report);
		expect(await importedHistory(world, sessionId)).toEqual(before);
		const { state } = await sessionOf(world, sessionId);
		expect(state.rows.length > 20).toBe(isStored);
		const { messageCount } = await importer().importTranscript({ path });
		expect(messageCount).toBe(2200);
	});

	it('an import that was cancelled before never starts', async () => {
		await writeFile(path, messages(0, 2));
		const signal = AbortSignal.abort(new Error('cancelled'));
		await expect(importer().importTranscript({ path }, { signal })).rejects.toThrow('cancelled');
		expect(await world.store.services.journals.list()).toEqual([]);
	});
});

describe('progress of an import', () => {
	it('an import reports progress by megabytes, with a growing share', async () => {
		await writeFile(path, messages(0, 800));
		const shares: number[] = [];
		await importer().importTranscript(
			{ path },
			{ report: (_, percentage) => void shares.push(percentage ?? -1) },
		);
		expect(shares.length).toBeGreaterThan(2);
		expect(shares.length).toBeLessThanOrEqual(9);
		expect(shares).toEqual(shares.toSorted((one, other) => one - other));
		expect(Math.min(...shares)).toBeGreaterThan(0);
		expect(Math.max(...shares)).toBeLessThanOrEqual(100);
	});

	it('a small import reports no progress', async () => {
		await writeFile(path, messages(0, 5));
		let reports = 0;
		await importer().importTranscript({ path }, { report: () => reports++ });
		expect(reports).toBe(0);
	});
});
