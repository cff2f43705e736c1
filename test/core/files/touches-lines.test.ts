import { describe, expect, it } from 'vitest';
import { applyShownLines } from '../../../server/core/files/findTouches.ts';
import { stripGutter } from '../../../server/core/files/touches/gutter.ts';
import type { FileTouch } from '../../../server/core/files/touches/lineRange.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';

const read = (lines: object): FileTouch => ({ kind: 'read', path: 'a', callId: 'c', ...lines });

describe('gutters of line numbers', () => {
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
	])('the line numbers of %j are removed', (text) => {
		expect(stripGutter(text)).toEqual({ text: 'a\n\n  b', from: 986, to: 988 });
	});

	it.each([
		['plain text\nwithout numbers'],
		['1: one\n3: three'],
		['1. a list\n2. of two\nand prose after it'],
		['12: a single line'],
		[''],
	])('the text %j has no line numbers and stays unchanged', (text) => {
		expect(stripGutter(text)).toEqual({ text });
	});

	it('line numbers show how far a read actually went', () => {
		expect(applyShownLines(read({ from: 1, to: 2000 }), '     1→a\n     2→b\n')).toEqual(
			read({ from: 1, to: 2 }),
		);
		expect(applyShownLines(read({ from: 7 }), '1. a\n2. b')).toEqual(read({ from: 7 }));
		expect(applyShownLines(read({ lastLines: 2 }), '     8\ta\n     9\tb')).toEqual(read({ from: 8, to: 9 }));
	});

	it('line numbers are found in linear time', () => {
		const spent = processorClock();
		for (const text of [
			' '.repeat(1_000_000),
			'1'.repeat(1_000_000),
			'1→a\n'.repeat(200_000),
			'1:\n2:\n'.repeat(200_000),
		])
			stripGutter(text);
		expect(spent()).toBeLessThan(2000 * machineSlowness());
	});
});
