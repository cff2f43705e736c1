import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCounter } from '../../../server/core/measure/text/exactCounter.ts';
import { loadCounter } from '../../../server/node/measures.ts';
import { ranksFolder } from '../../support/ranks.ts';

describe('rank files', () => {
	let folder: string;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'ranks-'));
	});

	afterEach(() => rm(folder, { recursive: true }));

	it('are below a megabyte together', async () => {
		const built = await ranksFolder();
		const files = await Promise.all(
			['ranks-o200k.br', 'ranks-claude2.br'].map((file) => readFile(path.join(built, file))),
		);
		expect(files[0]!.length + files[1]!.length).toBeLessThan(1_000_000);
	});

	it('that are missing or damaged give an error that says so', async () => {
		await expect(loadCounter(folder, 'o200k')).rejects.toThrow(/ENOENT.*ranks-o200k\.br/);

		await writeFile(path.join(folder, 'ranks-o200k.br'), 'not compressed');
		await expect(loadCounter(folder, 'o200k')).rejects.toThrow(/[Dd]ecompress/);

		const whole = brotliDecompressSync(await readFile(path.join(await ranksFolder(), 'ranks-claude2.br')));
		await writeFile(path.join(folder, 'ranks-claude2.br'), brotliCompressSync(whole.subarray(0, 5_000)));
		await expect(loadCounter(folder, 'claude2')).rejects.toThrow('Rank file: it ends too early.');
	});

	it.each([
		['nothing', [], 'Rank file: it ends too early.'],
		['too few tokens', [10], 'Rank file: expected at least 256 tokens, found 10.'],
		[
			'a byte without a token',
			[0x80, 0x02, ...new Array(256).fill(7)],
			'Rank file: a single byte has no token.',
		],
		['a number without end', [0xff, 0xff, 0xff, 0xff, 0xff], 'Rank file: a number is too large.'],
	])('with %s are refused', (_, bytes, message) => {
		expect(() => createCounter(Uint8Array.from(bytes), 'o200k')).toThrow(message);
	});
});
