import { expect, it } from 'vitest';
import {
	addSource,
	createFactIndex,
	type FactIndex,
} from '../../../server/core/analysis/message/factIndex.ts';
import { assistant } from './facts-sources.ts';

/** Returns the texts of a message's segments. */
function piecesOf(text: string): string[] {
	const factIndex: FactIndex = createFactIndex();
	addSource(factIndex, assistant(1, text));
	return (factIndex.entries.get(1)?.segments ?? []).map(({ from, to }) => text.slice(from, to));
}

const sentence =
	'The pension has a room for four under the roof with breakfast, and dogs are free of any charge there.';

it('a long paragraph is split at the ends of its sentences', () => {
	const pieces = piecesOf(Array.from({ length: 6 }, () => sentence).join(' '));
	expect(pieces).toEqual(Array.from({ length: 3 }, () => `${sentence} ${sentence}`));
});

it('a sentence that is too long for a segment is split between words', () => {
	const words = `${'neverending '.repeat(60)}end.`;
	const pieces = piecesOf(words);
	expect(pieces.length).toBeGreaterThan(2);
	expect(pieces.join(' ')).toBe(words);
});

it('scripts without spaces are split at their own punctuation', () => {
	const told = '阿尔卑斯玫瑰旅馆在顶楼有一间四人房每晚含早餐，狗不收费，老板娘在屋后还有一片草地。';
	expect(piecesOf(told.repeat(4))).toEqual([told, told, told, told]);
});

it('sentences are not split at the dot of a number, a path or an address', () => {
	const text = `It went from 184.5 s to 31.7 s in src/import/importOrders.ts at http://localhost:8080/a.b/c ${'and more words '.repeat(4)}here.`;
	expect(piecesOf(text)).toEqual([text]);
});
