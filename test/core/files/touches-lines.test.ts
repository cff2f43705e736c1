import { describe, expect, it } from 'vitest';
import { stripGutter } from '../../../server/core/files/touches/gutter.ts';
import { covers, overlaps, type PlacedTouch } from '../../../server/core/files/touches/lineRange.ts';
import { placedByResult } from '../../../server/core/files/touchesOf.ts';
import { processorClock } from '../../support/processorClock.ts';

const read = (lines: object, path = 'a'): PlacedTouch => ({ kind: 'read', path, callId: 'c', ...lines });
const edit = (lines: object, path = 'a'): PlacedTouch => ({ ...read(lines, path), kind: 'edit' });

describe('a later read covers an earlier one', () => {
	it.each<[object, object, boolean]>([
		[{}, {}, true],
		[{}, { from: 5, to: 9 }, true],
		[{ from: 1, to: 2000 }, {}, false],
		[{ from: 1, to: 10 }, { from: 1, to: 10 }, true],
		[{ from: 1, to: 10 }, { from: 5, to: 11 }, false],
		[{ from: 5 }, { from: 6 }, true],
		[{ from: 5 }, { from: 4, to: 6 }, false],
		[{}, { lastLines: 10 }, true],
		[{ from: 2 }, { lastLines: 10 }, false],
		[{ lastLines: 20 }, { lastLines: 10 }, true],
		[{ lastLines: 20 }, { from: 90, to: 99 }, false],
	])('%j over %j: %s', (later, earlier, expected) => {
		expect(covers(read(later), read(earlier))).toBe(expected);
	});

	it('only of the same file, and only a read', () => {
		expect(covers(read({}, 'b'), read({}))).toBe(false);
		expect(covers(edit({}), read({}))).toBe(false);
		expect(covers(read({}), edit({}))).toBe(false);
	});
});

it('an edit overlaps a read where they share a line', () => {
	expect(overlaps(edit({}), read({ from: 5, to: 9 }))).toBe(true);
	expect(overlaps(edit({ from: 10 }), read({ from: 5, to: 9 }))).toBe(false);
	expect(overlaps(edit({ from: 9 }), read({ from: 5, to: 9 }))).toBe(true);
	expect(overlaps(edit({ from: 9 }), read({ lastLines: 2 }))).toBe(true);
	expect(overlaps(edit({}, 'b'), read({}))).toBe(false);
	expect(overlaps(read({}), read({}))).toBe(false);
});

describe('the gutter of line numbers', () => {
	it.each([
		['   986→a\n   987→\n   988→  b'],
		['986\ta\n987\t\n988\t  b'],
		['   986\ta\n   987\t\n   988\t  b\n'],
		['986: a\n987: \n988:   b'],
		['00986| a\n00987| \n00988|   b'],
		['986 | a\n987 | \n988 |   b'],
		['986. a\n987. \n988.   b'],
		["Here's the result of running `cat -n` on a:\n   986\ta\n   987\t\n   988\t  b\n"],
		['   986→a\n   987→\n   988→  b\n\n<notice>\nnot of the file\n</notice>\n'],
	])('%j', (text) => {
		expect(stripGutter(text)).toEqual({ text: 'a\n\n  b', from: 986, to: 988 });
	});

	it.each([
		['plain text\nwithout numbers'],
		['1: one\n3: three'],
		['1. a list\n2. of two\nand prose after it'],
		['12: a single line'],
		[''],
	])('%j is left alone', (text) => {
		expect(stripGutter(text)).toEqual({ text });
	});

	it('tells how far a read really went', () => {
		expect(placedByResult(read({ from: 1, to: 2000 }), '     1→a\n     2→b\n')).toEqual(
			read({ from: 1, to: 2 }),
		);
		expect(placedByResult(read({ from: 7 }), '1. a\n2. b')).toEqual(read({ from: 7 }));
		expect(placedByResult(read({ lastLines: 2 }), '     8\ta\n     9\tb')).toEqual(read({ from: 8, to: 9 }));
	});

	it('takes linear time', () => {
		const spent = processorClock();
		for (const text of [
			' '.repeat(1_000_000),
			'1'.repeat(1_000_000),
			'1→a\n'.repeat(200_000),
			'1:\n2:\n'.repeat(200_000),
		])
			stripGutter(text);
		expect(spent()).toBeLessThan(2000);
	});
});
