import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { unitClassNames } from '../../../server/core/measure/text/automaton.ts';
import states from '../../../server/core/measure/text/calibratedWeights.json' with { type: 'json' };
import type { ExactCounter, Vocabulary } from '../../../server/core/measure/text/exactCounter.ts';
import {
	estimateHeuristicTokens,
	findProviderMultiplier,
} from '../../../server/core/measure/text/heuristic.ts';
import { countSampled, type TokenCounter } from '../../../server/core/measure/text/sampleText.ts';
import {
	createCalibratedCount,
	createExactCount,
	createHeuristicCount,
	estimateCalibratedTokens,
} from '../../../server/core/measure/text/textCounter.ts';
import { generatedText, generatedTypes } from '../../support/generatedText.ts';
import { counterFor } from '../../support/ranks.ts';

const mebi = 1024 * 1024;
let o200k: ExactCounter;
let claude2: ExactCounter;

beforeAll(async () => {
	o200k = await counterFor('o200k');
	claude2 = await counterFor('claude2');
}, 120_000);

describe('heuristic', () => {
	it('the heuristic follows the documented formula, rounded up', () => {
		expect(estimateHeuristicTokens(400, 'openai')).toBe(115);
		expect(estimateHeuristicTokens(401, 'openai')).toBe(117);
		expect(estimateHeuristicTokens(400, 'anthropic')).toBe(142);
		expect(estimateHeuristicTokens(300, 'openai', 'code')).toBe(115);
		expect(createHeuristicCount('mistral')('x'.repeat(4))).toBe(2);
		expect(createHeuristicCount('openai')('')).toBe(0);
	});

	it('the heuristic uses the baseline for an unknown provider', () => {
		expect(findProviderMultiplier('constructor')).toBe(1);
		expect(findProviderMultiplier('vertex')).toBe(1.18);
	});
});

describe('calibrated estimate', () => {
	it('the weights belong to the states of the automaton that scripts/calibratedAutomaton.mjs builds', async () => {
		const { buildStates } = await import(pathToFileURL(resolve('scripts/calibratedAutomaton.mjs')).href);
		const built = buildStates(unitClassNames) as { name: string; next: number[] }[];
		expect(Object.entries(states).map(([name, { next }]) => ({ name, next }))).toEqual(built);
	});

	const vocabularies: Vocabulary[] = ['o200k', 'claude2'];
	const cases = vocabularies.flatMap((vocabulary) => generatedTypes.map((type) => ({ vocabulary, type })));

	it.each(cases)(
		'the calibrated estimate is within 12 % of the exact count: $vocabulary, $type',
		({ vocabulary, type }) => {
			const text = generatedText(type, 3, 20_000);
			const exact = (vocabulary === 'o200k' ? o200k : claude2).count(text);
			expect(Math.abs(estimateCalibratedTokens(text, vocabulary) / exact - 1)).toBeLessThan(0.12);
		},
	);

	it('the calibrated estimate is a positive whole number for every nonempty text', () => {
		expect(estimateCalibratedTokens('', 'o200k')).toBe(0);
		fc.assert(
			fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
				const tokens = estimateCalibratedTokens(text, 'claude2');
				expect(Number.isInteger(tokens) && tokens >= 1).toBe(true);
			}),
		);
	});

	it('the calibrated estimate of 500 ideographs is close to the exact count', () => {
		const text = generatedText('text zh', 5, 500).slice(0, 500);
		expect(estimateCalibratedTokens(text, 'o200k') / o200k.count(text)).toBeGreaterThan(0.7);
		expect(estimateCalibratedTokens(text, 'o200k') / o200k.count(text)).toBeLessThan(1.6);
	});
});

describe('sampled count', () => {
	it('the sampled count is exact up to the limit', () => {
		const text = generatedText('prose', 4, 100_000);
		expect(createExactCount(o200k)(text)).toBe(o200k.count(text));
	});

	it.each(['prose', 'json data', 'logs', 'base64 one line', 'numeric table', 'text ja', 'file listing'])(
		'the sampled count is within 2 % of the exact count: %s',
		(type) => {
			const text = generatedText(type, 5, mebi / 4);
			expect(Math.abs(createExactCount(o200k)(text) / o200k.count(text) - 1)).toBeLessThan(0.02);
		},
	);

	it('the sampled count does not align with repeating data', () => {
		for (const period of [1024, 4096, 30_000]) {
			const half = Math.floor(period / 2);
			const block =
				generatedText('prose', 6, half).slice(0, half) + generatedText('hex', 6, half).slice(0, half);
			const text = block.repeat(Math.ceil(mebi / period));
			const exact = o200k.count(block) * Math.ceil(mebi / period);
			expect(Math.abs(createExactCount(o200k)(text) / exact - 1)).toBeLessThan(0.06);
		}
	});

	it('the sampled count reads at most half of a text, and at most about 270 Ki units', () => {
		fc.assert(
			fc.property(fc.integer({ min: 128 * 1024, max: 8 * mebi }), (length) => {
				let read = 0;
				const count: TokenCounter = (text) => {
					read += text.length;
					return text.length;
				};
				expect(countSampled(' x'.repeat(length / 2), count)).toBeGreaterThan(0);
				expect(read).toBeLessThanOrEqual(Math.min(0.6 * length, 273 * 1024));
			}),
			{ numRuns: 5 },
		);
	});

	it('the sampled count is equal for equal texts', () => {
		const text = generatedText('logs', 8, mebi / 4);
		expect(createExactCount(o200k)(text)).toBe(createExactCount(o200k)(`${text}`));
		expect(createCalibratedCount('o200k')(text.repeat(9))).toBe(
			createCalibratedCount('o200k')(text.repeat(9)),
		);
	});
});
