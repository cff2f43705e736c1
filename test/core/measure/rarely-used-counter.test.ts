import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createCounter } from '../../../server/core/measure/text/exactCounter.ts';
import { createPieceMerger } from '../../../server/core/measure/text/mergePiece.ts';
import { readRankTable } from '../../../server/core/measure/text/rankTable.ts';
import { ranksFolder } from '../../support/ranks.ts';

const texts = [
	'The quick brown fox jumps over the lazy dog, 1234567 times; naïve café — 東京タワー 🚀',
	'export async function* linesOf(path: string): AsyncGenerator<string> {\n\tyield* createInterface({ input });\n}\n',
	'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ________________________ ||||||||||||||||',
	'InternationalizationOfTokenizers antidisestablishmentarianism supercalifragilisticexpialidocious',
];

async function ranksOf(vocabulary: string): Promise<Uint8Array> {
	return brotliDecompressSync(await readFile(path.join(await ranksFolder(), `ranks-${vocabulary}.bin.br`)));
}

describe.each(['o200k', 'claude2'] as const)('a counter of %s that rarely counts', (vocabulary) => {
	it('a rarely used counter works without spelled tokens, because merging yields the same', async () => {
		const table = readRankTable(await ranksOf(vocabulary));
		const merge = createPieceMerger(table);
		const { tokenBytes, offsets } = table.getSpellings();
		const tokens = [...offsets.subarray(0, -1).keys()];
		const others = tokens.filter((token) => {
			const [start, end] = [offsets[token]!, offsets[token + 1]!];
			return end - start > 1 && merge(tokenBytes, start, end) !== 1;
		});
		expect(tokens.length).toBeGreaterThan(60_000);
		expect(others).toEqual([]);
	});

	it('a rarely used counter counts like one with all tokens spelled', async () => {
		const ranks = await ranksOf(vocabulary);
		const seldom = createCounter(ranks, vocabulary, Number.POSITIVE_INFINITY);
		const often = createCounter(ranks, vocabulary);
		const soon = createCounter(ranks, vocabulary, 20);
		for (const text of [...texts, texts.join('\n').repeat(30)]) {
			expect(seldom.count(text)).toBe(often.count(text));
			expect(soon.count(text)).toBe(often.count(text));
		}
	});
});
