import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TokenCounter } from '../../../server/core/measure/text/sampleText.ts';
import {
	createCalibratedCount,
	createExactCount,
	createHeuristicCount,
} from '../../../server/core/measure/text/textCounter.ts';
import { truncateToTokenBudget } from '../../../server/core/measure/truncateToTokenBudget.ts';
import { generatedText } from '../../support/generatedText.ts';
import { counterFor } from '../../support/ranks.ts';

const anyText = fc.oneof(
	fc.lorem({ mode: 'sentences', maxCount: 8 }),
	fc.string({ unit: 'grapheme', maxLength: 200 }),
	fc.string({ unit: 'binary', maxLength: 200 }),
	fc.constantFrom(
		'👩‍👩‍👧'.repeat(30),
		'a'.repeat(500),
		' '.repeat(300),
		'中文。'.repeat(80),
		'e\u0301'.repeat(200),
	),
);

const counters: Record<string, TokenCounter> = {
	heuristic: createHeuristicCount('openai'),
	calibrated: createCalibratedCount('claude2'),
};

beforeAll(async () => {
	counters.exact = createExactCount(await counterFor('o200k'));
});

describe('truncating to a token budget', () => {
	it.each(['heuristic', 'calibrated', 'exact'])(
		'a truncated text never exceeds the token budget (%s)',
		(name) => {
			const count = counters[name]!;
			fc.assert(
				fc.property(anyText, fc.integer({ min: 0, max: 120 }), (text, maxTokens) => {
					const result = truncateToTokenBudget(text, maxTokens, count);
					expect(result.tokens).toBeLessThanOrEqual(maxTokens);
					expect(result.tokens).toBe(count(result.text));
					if (!result.truncated) expect(result.text).toBe(text);
					else if (result.text !== '') expect(text.startsWith(result.text.slice(0, -3))).toBe(true);
				}),
				{ numRuns: 400 },
			);
		},
	);

	it('a truncated text never ends within a character', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 60 }), (maxTokens) => {
				const family = '👩‍👩‍👧';
				const { text } = truncateToTokenBudget(family.repeat(30), maxTokens, counters.calibrated!);
				expect(text.replaceAll(family, '').replace('...', '')).toBe('');
			}),
		);
	});

	it('a truncated text ends with a sentence if one ends near the budget', () => {
		const text =
			'The first sentence is here. The second one is here too. And a third one that is far longer.';
		expect(truncateToTokenBudget(text, 19, counters.heuristic!).text).toBe(
			'The first sentence is here. The second one is here too....',
		);
	});

	it('a truncated text ends with a word if no sentence ends near the budget', () => {
		const text = 'alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november';
		expect(truncateToTokenBudget(text, 15, counters.heuristic!).text).toBe(
			'alpha bravo charlie delta echo foxtrot golf hotel...',
		);
	});

	it('a truncated text is empty for a budget of 0 or less than the ellipsis', () => {
		const count = (text: string) => text.length;
		expect(truncateToTokenBudget('some text', 0, count)).toEqual({ text: '', truncated: true, tokens: 0 });
		expect(truncateToTokenBudget('some text', 2, count)).toEqual({ text: '', truncated: true, tokens: 0 });
		expect(truncateToTokenBudget('', 0, count)).toEqual({ text: '', truncated: false, tokens: 0 });
	});

	it('truncating refuses a budget that is not a number', () => {
		expect(() => truncateToTokenBudget('x', Number.NaN, counters.heuristic!)).toThrow(/maxTokens/);
	});

	it.each(['prose', 'json data', 'logs', 'text zh', 'base64 one line'])(
		'truncating uses most of the budget and counts few times (%s)',
		(type) => {
			const text = generatedText(type, 7, 60_000);
			for (const maxTokens of [100, 1_000, 5_000]) {
				let counts = 0;
				const result = truncateToTokenBudget(text, maxTokens, (part) => {
					counts++;
					return counters.exact!(part);
				});
				expect(result.tokens).toBeGreaterThan(maxTokens * 0.6);
				expect(counts).toBeLessThanOrEqual(20);
			}
		},
	);
});
