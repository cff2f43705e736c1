import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCounter } from '../../../server/core/measure/text/exactCounter.ts';
import { loadCounter } from '../../../server/node/measures.ts';
import { ranksFolder } from '../../support/ranks.ts';

/** The numbers of a rank file for the tokens of single bytes: two for each token, the byte and 0. */
const singleBytes = Array.from({ length: 256 }, (_, byte) => [byte, 0]).flat();

function rankFile(numbers: readonly number[]): Uint8Array {
	return Buffer.concat(
		[0, 8, 16].map((shift) => Buffer.from(numbers.map((number) => (number >> shift) & 0xff))),
	);
}

describe('rank files', () => {
	let folder: string;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'ranks-'));
	});

	afterEach(() => rm(folder, { recursive: true }));

	it('rank files take less than a megabyte of a package in total', async () => {
		const built = await ranksFolder();
		const files = await Promise.all(
			['ranks-o200k.bin.br', 'ranks-claude2.bin.br'].map((file) => readFile(path.join(built, file))),
		);
		expect(files[0]!.length + files[1]!.length).toBeLessThan(930_000);
	});

	it('rank files that are missing or damaged report an error', async () => {
		await expect(loadCounter(folder, 'o200k')).rejects.toThrow(/ENOENT.*ranks-o200k\.bin/);

		const file = path.join(folder, 'ranks-claude2.bin.br');
		const packed = await readFile(path.join(await ranksFolder(), 'ranks-claude2.bin.br'));
		const whole = brotliDecompressSync(packed);
		await writeFile(file, brotliCompressSync(whole.subarray(0, 5_002)));
		await expect(loadCounter(folder, 'claude2')).rejects.toThrow('Rank file: ends within a number.');
		await writeFile(file, brotliCompressSync(whole.subarray(0, 5_001)));
		await expect(loadCounter(folder, 'claude2')).rejects.toThrow('Rank file: expected two numbers for each');
		await writeFile(file, packed.subarray(0, 5_000));
		await expect(loadCounter(folder, 'claude2')).rejects.toThrow('Rank file: cannot be decompressed');
	});

	it.each([
		['nothing', [], 'Rank file: expected two numbers for each of at least 256 tokens, found 0 numbers.'],
		['too few tokens', [10, 0], 'at least 256 tokens, found 2 numbers.'],
		['half a pair', [...singleBytes, 7], 'at least 256 tokens, found 513 numbers.'],
		['a byte without a token', [7, 0, ...singleBytes.slice(2)], 'Rank file: a single byte has no token.'],
		[
			'a token of a later one',
			[...singleBytes, 65, 256],
			'Rank file: token 256 is not merged from two earlier tokens (65, 256).',
		],
		[
			'a token of none',
			[...singleBytes, 300, 65],
			'Rank file: token 256 is not merged from two earlier tokens (300, 65).',
		],
	])('rank files with %s are refused', (_, numbers, message) => {
		expect(() => createCounter(rankFile(numbers), 'o200k')).toThrow(message);
	});

	it('rank files count the same at any memory alignment', () => {
		const file = rankFile([...singleBytes, 97, 98, 256, 99]);
		const moved = new Uint8Array(file.length + 1);
		moved.set(file, 1);
		for (const ranks of [file, moved.subarray(1)]) {
			expect(createCounter(ranks, 'o200k').count('abcab abc')).toBe(4);
		}
	});
});
