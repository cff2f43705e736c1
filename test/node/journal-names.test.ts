import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import { encodeFileName } from '../../server/node/journal/fileName.ts';
import { silentLogger } from '../support/logger.ts';

const awkward = [
	'../x',
	'../../etc/passwd',
	'/etc/passwd',
	'..',
	'.',
	'.hidden',
	'a/b',
	'a\\b',
	'C:\\x',
	'a:stream',
	'nul\0byte',
	'CON',
	'con',
	'con.txt',
	'LPT1',
	'nul.',
	'emoji 🎉',
	'\ud800',
	'\ud801',
	'x'.repeat(512),
	`${'x'.repeat(511)}y`,
	'\u{1f389}'.repeat(256),
	'trailing...',
	'trailing ',
	' ',
	'A',
	'a',
	'ä',
	'a\u0308',
	'%2e%2e',
	'-rf',
	'a~b',
	'line\nend',
	'__proto__',
];

describe('the file name of a session', () => {
	it('the file of a session is named after a plain identifier', () => {
		for (const id of ['a', 'session-1', '0b9f1c2e-1111-4222-8333-444455556666', 'a.b_c', '-rf']) {
			expect(encodeFileName(id)).toBe(id);
		}
	});

	it('the name of a session file never leaves the folder and never collides, on any system', () => {
		const sessionId = fc.oneof(
			fc.constantFrom(...awkward),
			fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
		);
		fc.assert(
			fc.property(sessionId, sessionId, (one, other) => {
				const name = encodeFileName(one);
				expect(name).toMatch(/^[a-z0-9_-][a-z0-9._~-]*$/);
				expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/);
				expect(name).not.toMatch(/\.$/);
				expect(name.length).toBeLessThanOrEqual(110);
				if (one !== other) expect(encodeFileName(other).toLowerCase()).not.toBe(name.toLowerCase());
			}),
		);
	});

	it('refuses an identifier of a session that is empty or too long', () => {
		expect(() => encodeFileName('')).toThrow(expect.objectContaining({ kind: 'InvalidParams' }));
		expect(() => encodeFileName('x'.repeat(513))).toThrow(/512.*got 513/);
	});

	it('the journal store lists and opens sessions with awkward identifiers', async () => {
		const parent = await mkdtemp(join(tmpdir(), 'journal-'));
		const directory = join(parent, 'state');
		const store = createFileJournals({ directory, logger: silentLogger });
		for (const [number, id] of awkward.entries()) {
			const journal = await store.create(id);
			journal.append(number, []);
			await journal.close();
		}
		expect((await store.list()).map((entry) => entry.sessionId).sort()).toEqual([...awkward].sort());
		for (const [number, id] of awkward.entries()) {
			const values: unknown[] = [];
			await store.scan(id, (record) => values.push(record.value));
			expect(values).toEqual([number]);
		}
		expect(await readdir(parent)).toEqual(['state']);
		expect(await readdir(directory)).toEqual(['sessions']);
		await rm(parent, { recursive: true });
	});
});
