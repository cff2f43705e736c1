import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectLineKeys, computeLineKey } from '../../../server/core/analysis/message/lineKeys.ts';
import { assistant, call, user } from './facts-sources.ts';

/** Returns a line without the parts that its key ignores. */
function plainLine(line: string): string {
	const plain = line
		.replace(/^\s*(?:\d+(?:→|\t|\||[:.-] ?)|(?:[A-Za-z]:)?[^\s:"'`]+[:-]\d+[:-])/, '')
		.replace(/^[\s>*#+-]+/, '')
		.replace(/\s+/g, ' ')
		.trim()
		.replace(/,$/, '');
	return plain.length < 8 ? '' : plain;
}

const line = fc
	.array(
		fc.constantFrom(
			...['limit', 'const', 'x', '7', '12', ' ', '  ', '\t', '\u00a0', '\u3000', '\u2027', '\u2060'],
			...['→', '|', ':', '.', '-', '>', '*', '#', '+', '設定', '=', ','],
		),
		{ maxLength: 14 },
	)
	.map((words) => words.join(''));

describe('keys of lines', () => {
	it('lines have equal keys if and only if they differ only by line numbers, leading marks, spaces and a last comma', () => {
		fc.assert(
			fc.property(line, line, (a, b) => {
				expect(computeLineKey(a) === computeLineKey(b)).toBe(plainLine(a) === plainLine(b));
			}),
			{ numRuns: 2000 },
		);
		expect(computeLineKey('   12→\tconst limit = 5;')).toBe(computeLineKey('- const  limit = 5;  '));
		expect(computeLineKey('  Line 12: const limit = 5;')).toBe(computeLineKey('const limit = 5;'));
		expect(computeLineKey('src/a.ts:12:const limit = 5;')).toBe(computeLineKey('const limit = 5;'));
		expect(computeLineKey('const limit = 5;')).not.toBe(computeLineKey('const limit = 6;'));
	});

	it('a line that is too short has no key', () => {
		expect(computeLineKey('  12→  x = 5;')).toBe(0);
	});

	it('a date in a quoted text is not taken for the line number of a search', () => {
		const [may, june] = ["@frozen('2026-05-17')", "@frozen('2026-06-17')"].map(computeLineKey);
		expect(may).not.toBe(0);
		expect(may).not.toBe(june);
	});

	it('an edit has keys for its old and new lines, and a text for each line', () => {
		const made = call('Edit', { old_string: 'const limit = 5;\n}', new_string: 'const limit = 6;' });
		const keys = collectLineKeys(assistant(1, 'The limit was too low.\nNow it is six.', made));
		expect([...keys.text]).toEqual(
			['The limit was too low.', 'Now it is six.'].map((one) => computeLineKey(one)),
		);
		expect(keys.calls.map(({ removedKeys, liveKeys }) => [[...removedKeys], [...liveKeys]])).toEqual([
			[[computeLineKey('const limit = 5;')], [computeLineKey('const limit = 6;')]],
		]);
		expect(collectLineKeys(user(1, 'Yes.')).text).toHaveLength(0);
	});
});
