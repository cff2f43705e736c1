/** Claude Code's own automatic compaction, which contextd replaces, and its state after an undo. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { insideClaudeCode } from './inside.ts';
import { readAndCompacted, readingCall, readingSteps } from './script.ts';
import type { ClaudeSession } from './session.ts';
import { findMissingParts } from './transcript.ts';
import { mainOf, problemsOf, summariesOf } from './wire.ts';

/** Makes Claude Code compact by itself at 117,000 tokens. */
async function compactEarly({ home }: ClaudeSession): Promise<void> {
	const file = join(home, '.claude/settings.json');
	const settings = JSON.parse(await readFile(file, 'utf8'));
	await writeFile(file, JSON.stringify({ ...settings, autoCompactWindow: 150_000 }));
}

await insideClaudeCode((begin) => {
	it('the plugin replaces Claude Code’s automatic compaction without a model call', {
		timeout: 120_000,
	}, async () => {
		const session = await begin();
		await compactEarly(session);
		const claude = await session.start();
		const more = { calls: [readingCall(await session.document('more.txt', 5000))] };
		const steps = (await readingSteps(session, 12, 12_000)).slice(0, -1);
		// The provider counts more than expected.
		session.mock.script([
			...steps,
			{ ...more, reports: 130_000 },
			{ ...more, reports: 60_000 },
			{ text: 'Done.' },
		]);
		const { text, exchanges } = await claude.say('Please read the documents.');
		expect(text).toBe('Done.');
		expect(summariesOf(exchanges)).toBe(0);
		const requests = mainOf(exchanges);
		const [before, after] = requests.slice(-3);
		expect(after?.tokens).toBeLessThan(0.75 * Number(before?.tokens));
		expect(requests.flatMap(problemsOf)).toEqual([]);
		expect(claude.notices().filter((line) => line.includes('Context reduced from'))).toEqual([
			expect.stringMatching(/^Context reduced from [\d.]+k to [\d.]+k tokens/),
		]);
		await claude.end();
		expect(await findMissingParts(session, ['Please read the documents.'])).toEqual([]);
	});

	it('the plugin does not compact again after an undo while the session fits, and says so only once', {
		timeout: 120_000,
	}, async () => {
		const session = await begin();
		await compactEarly(session);
		let claude = await session.start();
		const more = { calls: [readingCall(await session.document('more.txt', 5000))] };
		await readAndCompacted(session, claude);
		expect((await claude.say('/contextd-undo')).text).toContain('what it got before');
		for (const isNew of [false, true]) {
			if (isNew) {
				await claude.end();
				claude = await session.start();
			}
			const high = [100_000, 125_000, 126_000, 126_000].map((reports) => ({ ...more, reports }));
			session.mock.script([...high, { text: 'Done.', reports: 100_000 }]);
			const { text, exchanges } = await claude.say('Read on.');
			expect(text).toBe('Done.');
			const sizes = mainOf(exchanges).map(({ tokens }) => tokens);
			expect(sizes.toSorted((left, right) => left - right)).toEqual(sizes);
			expect(summariesOf(exchanges)).toBe(0);
			const told = claude.notices().filter((line) => line.includes('no automatic compaction'));
			expect(told).toHaveLength(isNew ? 0 : 1);
		}
	});
});
