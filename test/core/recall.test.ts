import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findExcerpt, matchText, parseSearchQuery, rankHits } from '../../server/core/recall/rank.ts';
import { runToEnd } from '../../server/core/slices.ts';

/** Returns the indexes of the texts that match a query, best first. */
function found(texts: readonly string[], query: string, limit = 10): number[] {
	const asked = parseSearchQuery(query);
	const hits = texts.flatMap((text, seq) => matchText(seq, text, asked) ?? []);
	const averageLength = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
	const best = runToEnd(rankHits(hits, { messages: texts.length, averageLength }, limit));
	return best.map(({ seq }) => seq);
}

describe('searching messages for words', () => {
	it('a search matches any case, inside longer words and names, and without spaces between words', () => {
		const texts = ['The Parser fails', 'src/parserState.ts', '解析器失败了', 'nothing of it'];
		expect(found(texts, 'parser').sort()).toEqual([0, 1]);
		expect(found(texts, '失败')).toEqual([2]);
		expect(found(texts, 'absent')).toEqual([]);
	});

	it('a search ranks messages higher that contain the rarer word, or all words', () => {
		const common = Array.from({ length: 20 }, () => 'the build runs again');
		expect(found([...common, 'the lexer runs'], 'the lexer')[0]).toBe(20);
		expect(found(['build', 'lexer', 'build and lexer'], 'lexer build')[0]).toBe(2);
	});

	it('a search ranks messages higher that contain the query verbatim', () => {
		expect(found(['tail of the log, and a drop', 'drop the tail of it'], 'drop the tail')[0]).toBe(1);
	});

	it('a search ranks a short match above a long text that mentions everything', () => {
		expect(
			found([`deadline ${'words and words '.repeat(200)}`, 'the deadline is Friday'], 'deadline')[0],
		).toBe(1);
	});

	it('a search ranks newer messages higher among equals', () => {
		expect(found(['same words', 'same words', 'same words'], 'same')).toEqual([2, 1, 0]);
	});
});

describe('excerpts of messages', () => {
	const long = `${'so much before\n'.repeat(90)}the deadline is Friday, not Monday\n${'so much behind\n'.repeat(90)}`;

	it('an excerpt shows the match from the beginning of its line', () => {
		const excerpt = findExcerpt(long, parseSearchQuery('friday deadline'));
		expect(excerpt).toMatch(/^…the deadline is Friday, not Monday\n/);
		expect(excerpt.length).toBeLessThanOrEqual(302);
	});

	it('an excerpt of a short text is the whole text', () => {
		expect(findExcerpt('the deadline is Friday', parseSearchQuery('friday'))).toBe('the deadline is Friday');
	});

	it('an excerpt is short and well-formed for any text and query', () => {
		fc.assert(
			fc.property(
				fc.string({ unit: 'binary', maxLength: 900 }),
				fc.string({ unit: 'binary' }),
				(text, query) => {
					const excerpt = findExcerpt(text, parseSearchQuery(query));
					expect(excerpt.isWellFormed()).toBe(true);
					expect(excerpt.length).toBeLessThanOrEqual(302);
				},
			),
		);
	});
});
