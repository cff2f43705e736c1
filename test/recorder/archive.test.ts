import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { Database } from 'node-sqlite3-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Archive } from '../../server/recorder/archive/archive.ts';
import { digestEntry } from '../../server/recorder/archive/blocks.ts';
import { openPrivateDatabase } from '../../server/recorder/archive/database.ts';
import {
	extractLongStrings,
	insertLongStrings,
	minLongStringChars,
} from '../../server/recorder/archive/longStrings.ts';
import { removeFolder } from '../support/removeFolder.ts';
import { soakFactor } from '../support/soak.ts';

let folder: string;
let file: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'contextd-archive-'));
	file = join(folder, 'recorder', 'archive.sqlite');
});
afterEach(() => removeFolder(folder));

const info = { agent: 'codex', label: 'Codex', path: '/home/x/rollout.jsonl' };

function open(work: (archive: Archive) => void): void {
	const archive = new Archive(file);
	try {
		work(archive);
	} finally {
		archive.close();
	}
}

function textsOf(archive: Archive, recordingId: string): string[] {
	return Array.from(archive.readEntries(recordingId), ({ text }) => text);
}

function lines(...texts: string[]) {
	return texts.map((text, at) => ({ at, text }));
}

function bytesOnDisk(): Buffer {
	const names = readdirSync(dirname(file), { recursive: true, encoding: 'utf8' });
	const files = names.map((name) => join(dirname(file), name)).filter((path) => statSync(path).isFile());
	return Buffer.concat(files.map((path) => readFileSync(path)));
}

/** Returns the compressed contents in the closed archive, and the number of bodies that are stored twice or unused. */
function stored() {
	const database = new Database(file);
	try {
		const rows = database.all('select content from blocks union all select content from bodies');
		const wrong = database.get(
			`select (select count(*) - count(distinct content) from bodies) +
			 (select count(*) from bodies where id not in (select body from uses)) as n`,
		);
		return { contents: rows.map(({ content }) => Buffer.from(content as Uint8Array)), wrong: wrong?.n };
	} finally {
		database.close();
	}
}

/** Fails if the files still contain a part of a content in `seen` that does not occur in `left`. */
function expectNoTrace(seen: readonly Buffer[], left: Buffer): void {
	const bytes = bytesOnDisk();
	for (const gone of seen.filter((content) => !left.includes(content))) {
		for (let at = 0; at + 24 <= gone.length; at += 200) {
			const slice = gone.subarray(at, at + 24);
			expect(bytes.includes(slice) && !left.includes(slice)).toBe(false);
		}
	}
}

const longText = fc
	.integer({ min: 1, max: 5 })
	.map(
		(seed) =>
			`{"image":"${Array.from({ length: 700 }, (_, n) => digestEntry(`${seed} ${n}`).length + n * seed * 7919).join('')}"}`,
	);
const text = fc.oneof(
	{ weight: 3, arbitrary: fc.string({ maxLength: 40 }) },
	{ weight: 1, arbitrary: longText },
);

type Step =
	| { do: 'append' | 'rewrite'; which: number; texts: string[] }
	| { do: 'truncate' | 'forget'; which: number; texts?: undefined }
	| { do: 'forgetEntry'; which: number; at: number };

const which = fc.integer({ min: 0, max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
	fc.record({ do: fc.constant('append' as const), which, texts: fc.array(text, { maxLength: 8 }) }),
	fc.record({ do: fc.constant('rewrite' as const), which, texts: fc.array(text, { maxLength: 8 }) }),
	fc.record({ do: fc.constantFrom('truncate' as const, 'forget' as const), which }),
	fc.record({ do: fc.constant('forgetEntry' as const), which, at: fc.nat(20) }),
);

/** A simple model of the archive: what a recording must contain. */
interface Model {
	recordingId: string;
	entries: { seq: number; text: string }[];
	known: Set<string>;
	next: number;
	hasStartedOver: boolean;
}

function startModel(archive: Archive): Model {
	const { recordingId } = archive.create(info);
	return { recordingId, entries: [], known: new Set(), next: 0, hasStartedOver: false };
}

function appendTo(model: Model, texts: readonly string[]): void {
	for (const one of texts) {
		if (model.hasStartedOver && model.known.has(one)) continue;
		model.known.add(one);
		model.entries.push({ seq: model.next++, text: one });
	}
}

function applyStep(archive: Archive, models: Model[], one: Step): void {
	const model = models[one.which] as Model;
	const { recordingId } = model;
	switch (one.do) {
		case 'append':
			archive.append(recordingId, { entries: lines(...one.texts) });
			appendTo(model, one.texts);
			return;
		case 'rewrite':
		case 'truncate': {
			const kept = one.texts ?? model.entries.slice(0, 2).map((entry) => entry.text);
			archive.append(recordingId, { entries: lines(...kept), isRestart: true });
			model.hasStartedOver = true;
			appendTo(model, kept);
			return;
		}
		case 'forgetEntry': {
			const gone = model.entries[one.at % Math.max(1, model.entries.length)];
			archive.forgetEntries(recordingId, gone ? [gone.seq] : []);
			archive.scrub();
			model.entries = model.entries.filter((entry) => entry !== gone);
			return;
		}
		case 'forget':
			archive.forget(recordingId);
			models[one.which] = startModel(archive);
	}
}

describe('Archive', () => {
	it('keeps every entry, stores a body once and leaves no byte of what was forgotten, in any order of changes', () => {
		let runs = 0;
		fc.assert(
			fc.property(fc.array(step, { minLength: 1, maxLength: 9 }), (steps) => {
				file = join(folder, `recorder/${runs++}`, 'archive.sqlite');
				const models: Model[] = [];
				open((archive) => models.push(...[0, 1, 2].map(() => startModel(archive))));
				const seen: Buffer[] = [];
				for (const one of steps) {
					open((archive) => {
						applyStep(archive, models, one);
						for (const { recordingId, entries } of models) {
							const read = Array.from(archive.readEntries(recordingId), ({ seq, text }) => ({ seq, text }));
							expect(read).toEqual(entries);
						}
					});
					const { contents, wrong } = stored();
					expect(wrong).toBe(0);
					seen.push(...contents);
					if (one.do === 'forget' || one.do === 'forgetEntry') expectNoTrace(seen, Buffer.concat(contents));
				}
			}),
			{ numRuns: 6 * soakFactor },
		);
	});

	it('returns every text as it was, although long strings in it are stored separately', () => {
		fc.assert(
			fc.property(
				fc.array(
					fc.oneof(
						fc.string(),
						fc.constant('"'),
						fc.constant('\\'),
						fc.constant('x'.repeat(minLongStringChars)),
					),
				),
				(pieces) => {
					const whole = pieces.join('');
					expect(insertLongStrings(extractLongStrings(whole))).toBe(whole);
				},
			),
		);
		const short = extractLongStrings(`{"a":"${'\\"'.repeat(minLongStringChars)}","b":1}`);
		expect(short.text).toBe('{"a":"","b":1}');
	});

	it('reads from a seq on, also across blocks and a reopen', () => {
		const texts = Array.from({ length: 900 }, (_, index) => `{"n":${index},"text":"${'word '.repeat(60)}"}`);
		let id = '';
		open((archive) => {
			id = archive.create(info).recordingId;
			archive.transaction(() => {
				for (const one of texts) archive.append(id, { entries: lines(one) });
			});
		});
		open((archive) => {
			expect(textsOf(archive, id)).toEqual(texts);
			const [first] = archive.readEntries(id, 801);
			expect(first).toMatchObject({ seq: 801, text: texts[801] });
			expect(archive.findRecording(id)).toMatchObject({ entries: 900, generation: 1, updatedAt: 0 });
			expect(archive.findRecording(id)?.bytes).toBe(texts.join('').length);
			// Blocks are compressed together, so thousands of similar lines take little space.
			expect(archive.countUsedBytes()).toBeLessThan(200_000);
		});
	});

	it('lets only its owner read it, and survives the lock of a process that was killed', () => {
		open((archive) => archive.create(info));
		const killed = new Database(file);
		killed.exec('begin immediate');
		open((archive) => expect(archive.listRecordings()).toHaveLength(1));
		expect(statSync(file).mode & 0o777).toBe(0o600);
		expect(statSync(join(folder, 'recorder')).mode & 0o777).toBe(0o700);
	});

	it('undoes a transaction that was written only in part when its process was killed', () => {
		const schema = 'create table if not exists t (n integer primary key, content blob)';
		const killed = openPrivateDatabase(file, schema);
		const fill = (n: number, byte: number) =>
			killed.run('insert or replace into t values (?, ?)', [n, Buffer.alloc(20_000, byte)]);
		killed.exec('begin');
		for (let n = 0; n < 50; n++) fill(n, 1);
		killed.exec('commit');
		// The cache is so small that pages are written before the commit.
		killed.exec('pragma cache_size = 4; begin');
		for (let n = 25; n < 100; n++) fill(n, 2);
		const copy = join(folder, 'copy', 'archive.sqlite');
		mkdirSync(dirname(copy));
		for (const name of ['', '-journal']) copyFileSync(`${file}${name}`, `${copy}${name}`);
		killed.close();
		expect(statSync(`${copy}-journal`).size).toBeGreaterThan(100_000);
		expect(readFileSync(copy).includes(Buffer.alloc(3_000, 2))).toBe(true);
		const database = openPrivateDatabase(copy, schema);
		expect(database.get('pragma integrity_check')).toEqual({ integrity_check: 'ok' });
		expect(database.get("select count(*) as n, sum(substr(content, 1, 1) = x'01') as ones from t")).toEqual({
			n: 50,
			ones: 50,
		});
		database.close();
		expect(readFileSync(copy).includes(Buffer.alloc(3_000, 2))).toBe(false);
	});

	it('runs a statement again after it failed', () => {
		const database = openPrivateDatabase(file, 'create table t (n unique)');
		const add = (n: number) => database.run('insert into t values (?)', [n]);
		add(1);
		expect(() => add(1)).toThrow('UNIQUE');
		add(2);
		expect(database.all('select n from t')).toEqual([{ n: 1 }, { n: 2 }]);
		database.close();
	});

	it('finds a recording by id, session, path and unique beginning, and lists matches otherwise', () => {
		open((archive) => {
			const [one, two] = [
				archive.create({ ...info, sessionId: 'abc-1', folder: '/home/me/a', startedAt: 5 }),
				archive.create({ ...info, path: '/other', sessionId: 'abc-2', folder: '/home/me/b/c', startedAt: 9 }),
			];
			expect(archive.findRecording(one.recordingId)?.recordingId).toBe(one.recordingId);
			expect(archive.findRecording(one.recordingId.slice(0, 8))?.recordingId).toBe(one.recordingId);
			expect(archive.findRecording('abc-2')?.recordingId).toBe(two.recordingId);
			expect(archive.findRecording('/other')?.recordingId).toBe(two.recordingId);
			expect(archive.findRecording('none')).toBeUndefined();
			expect(() => archive.findRecording('abc')).toThrow(/ids of several recordings begin with/);
			expect(archive.listRecordings().map(({ sessionId }) => sessionId)).toEqual(['abc-2', 'abc-1']);
			expect(archive.listRecordings({ folder: '/home/me/b' }).map(({ sessionId }) => sessionId)).toEqual([
				'abc-2',
			]);
			expect(archive.listRecordings({ since: 6 })).toHaveLength(1);
			expect(archive.listRecordings({ agent: 'claude-code' })).toEqual([]);
		});
	});

	it('informs listeners after a commit, and not of a transaction that failed', () => {
		open((archive) => {
			const news: unknown[] = [];
			archive.listen({
				onAdded: (_, fromSeq) => news.push(fromSeq),
				onForgotten: (_, seqs) => news.push(seqs ?? 'all'),
			});
			const { recordingId } = archive.create(info);
			archive.append(recordingId, { entries: lines('a', 'b') });
			archive.append(recordingId, { entries: [], position: '2' });
			expect(() =>
				archive.transaction(() => {
					archive.append(recordingId, { entries: lines('c'), isRestart: true });
					throw new Error('stop');
				}),
			).toThrow('stop');
			archive.append(recordingId, { entries: lines('a', 'c'), isRestart: true });
			expect(textsOf(archive, recordingId)).toEqual(['a', 'b', 'c']);
			expect(archive.readPosition(recordingId)).toBe('2');
			archive.forgetEntries(recordingId, [0]);
			archive.forget(recordingId);
			expect(news).toEqual([0, 2, [0], 'all']);
		});
	});

	it('remembers which transcripts were dropped, by path and by first text', () => {
		open((archive) => {
			const { recordingId } = archive.create(info);
			archive.append(recordingId, { entries: lines('first', 'second') });
			expect(archive.findByFirstText('first')?.recordingId).toBe(recordingId);
			archive.forget(recordingId);
			expect(archive.listRecordings()).toEqual([]);
			expect(archive.isDropped(info.path, 'other', 1)).toBe(true);
			expect(archive.isDropped('/moved', 'first', 1)).toBe(true);
			expect(archive.isDropped('/moved', 'other', 1)).toBe(false);
			const evicted = archive.create({ ...info, path: '/old' }).recordingId;
			archive.evict(evicted, 100);
			expect(archive.isDropped('/old', '', 100)).toBe(true);
			expect(archive.isDropped('/old', '', 101)).toBe(false);
		});
		expect(bytesOnDisk().includes('rollout')).toBe(false);
	});
});
