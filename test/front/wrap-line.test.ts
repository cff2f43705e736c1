import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MessageLabels } from '../../server/front/output/labels.ts';
import { formatLines, span, wrapLine } from '../../server/front/output/line.ts';
import { renderStats } from '../../server/front/output/statsView.ts';
import { measureWidth } from '../../server/front/output/width.ts';
import { statsWith } from './values.ts';

it('wrapLine breaks a line between words', () => {
	const line = [span('Model     ', 'gray'), span('anthropic / claude-opus-4-5-20251101')];
	expect(formatLines(wrapLine(line, 30), 'plain')).toBe('Model     anthropic /\nclaude-opus-4-5-20251101\n');
});

it('wrapLine keeps all words in order within the columns', () => {
	const word = fc.stringMatching(/^[a-z]{1,10}$/);
	fc.assert(
		fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 10, max: 40 }), (words, columns) => {
			const lines = wrapLine([span(words.join(' '))], columns).map((line) =>
				line.map(({ text }) => text).join(''),
			);
			expect(lines.join(' ').split(/ +/)).toEqual(words);
			for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(columns);
		}),
	);
});

it.each([20, 40])('the stats report fits into %d columns', (columns) => {
	const text = formatLines(
		renderStats(statsWith({ usageRatio: 0.4 }), new MessageLabels(), columns),
		'plain',
	);
	for (const line of text.split('\n')) expect(measureWidth(line)).toBeLessThanOrEqual(columns);
});
