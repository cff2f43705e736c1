import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	appendFileSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { Database } from 'node-sqlite3-wasm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Archive } from '../../server/recorder/archive/archive.ts';
import { bundleProgram } from '../support/childProgram.ts';
import { removeFolder } from '../support/removeFolder.ts';
import { isSoak } from '../support/soak.ts';

let folder: string;
let program: string;
let file: string;
let path: string;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), 'contextd-killed-'));
	// In this folder, the bundle can import the packages of the project.
	program = join(
		import.meta.dirname,
		'..',
		'..',
		'node_modules',
		'.cache',
		`recorderChild-${process.pid}.cjs`,
	);
	[file, path] = [join(folder, 'recorder', 'archive.sqlite'), join(folder, 's.jsonl')];
	await bundleProgram(new URL('../support/recorderChild.ts', import.meta.url), program);
});

afterAll(async () => {
	rmSync(program, { force: true });
	await removeFolder(folder);
});

/** A recorder in another process. */
class RecorderProcess {
	readonly #child: ChildProcess;
	readonly #answers: AsyncIterator<string>;

	constructor() {
		this.#child = spawn(process.execPath, [program, file, path], { stdio: ['pipe', 'pipe', 'inherit'] });
		this.#answers = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
		this.#child.stdin?.on('error', () => undefined);
	}

	async opened(): Promise<void> {
		expect((await this.#answers.next()).value).toBe('open');
	}

	/** Lets the recorder read the transcript; resolves after the commit. */
	async look(): Promise<void> {
		this.#child.stdin?.write('\n');
		expect((await this.#answers.next()).value).toBe('looked');
	}

	/** Makes the recorder read the transcript, and kills it meanwhile. */
	async killWhileLooking(afterMs: number): Promise<void> {
		this.#child.stdin?.write('\n');
		if (afterMs > 0) await wait(afterMs);
		const ended = once(this.#child, 'exit');
		this.#child.kill('SIGKILL');
		await ended;
	}
}

let lineCount = 0;

/** Returns new lines: short ones, and some with a long string. */
function newLines(random: () => number): string {
	const texts = Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
		const size = random() < 0.2 ? 60_000 : 80;
		return `${JSON.stringify({ n: lineCount++, text: String(random()).repeat(size / 18) })}\n`;
	});
	return texts.join('');
}

function contentNow(): string {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return '';
	}
}

/** Changes the transcript as agents do. */
function change(random: () => number): void {
	const content = contentNow();
	const lines = content.split('\n').filter((line) => line !== '');
	const kept = lines.filter(() => random() < 0.3).map((line) => `${line}\n`);
	switch (Math.floor(random() * 6)) {
		case 0:
			writeFileSync(path, kept.join('') + newLines(random));
			return;
		case 1:
			writeFileSync(`${path}.new`, newLines(random) + kept.join(''));
			renameSync(`${path}.new`, path);
			return;
		case 2:
			if (content !== '') truncateSync(path, Math.floor(random() * content.length));
			return;
		case 3:
			rmSync(path, { force: true });
			return;
		default:
			appendFileSync(path, newLines(random));
	}
}

/** Returns a generator of numbers from 0 to 1 that depends on the seed alone. */
function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

const kills = isSoak ? 1_000 : 8;

it(
	'a recorder that is killed while its transcript grows, is rewritten and is deleted keeps every line that it read',
	async () => {
		const random = seeded(Number(process.env.CONTEXTD_SEED ?? 37));
		const read = new Set<string>();
		for (let kill = 0; kill < kills; kill++) {
			const recorder = new RecorderProcess();
			await recorder.opened();
			for (let step = 0; step < 4; step++) {
				change(random);
				if (random() < 0.3) continue;
				await recorder.look();
				// The last line may be truncated.
				for (const line of contentNow().split('\n').slice(0, -1)) read.add(line);
			}
			change(random);
			await recorder.killWhileLooking(Math.floor(random() * 25));
			// A loss would be permanent, so not every kill needs a check.
			if (!isSoak || kill % 20 === 19) expectWholeArchive(read);
		}
		expect(read.size).toBeGreaterThan(kills);
	},
	60_000 + kills * 20_000,
);

function expectWholeArchive(read: ReadonlySet<string>): void {
	const archive = new Archive(file);
	const texts = new Set(
		archive
			.listRecordings()
			.flatMap(({ recordingId }) => Array.from(archive.readEntries(recordingId), ({ text }) => text)),
	);
	archive.close();
	const lost = [...read].filter((line) => line !== '' && !texts.has(line));
	expect(lost.map((line) => line.slice(0, 40))).toEqual([]);
	const database = new Database(file);
	expect(database.get('pragma integrity_check')).toEqual({ integrity_check: 'ok' });
	database.close();
}
