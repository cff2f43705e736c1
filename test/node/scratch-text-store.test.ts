import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createScratchTextStore } from '../../server/node/scratchTextStore.ts';
import { freshFolder, removeFolders } from '../support/app.ts';

let folder: string;
let before: string | undefined;

beforeEach(() => {
	folder = freshFolder();
	before = process.env.TMPDIR;
	process.env.TMPDIR = folder;
});

afterEach(() => {
	if (before === undefined) delete process.env.TMPDIR;
	else process.env.TMPDIR = before;
	return removeFolders();
});

const megabyte = 'é日x\n'.repeat(1 << 18);

describe('createScratchTextStore', () => {
	it('createScratchTextStore returns every text, from memory or from disk', () => {
		const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant(megabyte));
		fc.assert(
			fc.property(fc.array(text, { minLength: 30, maxLength: 60 }), (texts) => {
				const store = createScratchTextStore();
				for (const [offset, one] of texts.entries()) store.set(offset, one);
				for (const [offset, one] of texts.entries()) expect(store.get(offset) === one).toBe(true);
				expect(store.get(texts.length)).toBeUndefined();
				store.clear();
			}),
			{ numRuns: 5 },
		);
	});

	it('createScratchTextStore accepts texts after others were read', () => {
		const store = createScratchTextStore();
		for (let offset = 0; offset < 40; offset++) {
			store.set(offset, `${offset}${megabyte}`);
			expect(store.get(offset)?.startsWith(`${offset}é`)).toBe(true);
		}
		expect(store.get(33)).toBe(`33${megabyte}`);
		store.clear();
	});

	it.skipIf(process.platform === 'win32')(
		'createScratchTextStore has no visible file, even while it is in use',
		() => {
			const store = createScratchTextStore();
			for (let offset = 0; offset < 40; offset++) store.set(offset, megabyte);
			expect(readdirSync(folder)).toEqual([]);
			store.clear();
		},
	);
});
