import { describe, expect, it } from 'vitest';
import { emptyRequest } from '../../../server/core/measure/measure.ts';
import {
	applyObservation,
	createEmptyMeter,
	invalidateFrom,
	isAggregatedUsage,
	isUsable,
	type Observation,
	sumPromptTokens,
} from '../../../server/core/meter/meter.ts';
import {
	readMeter,
	readMeterTokens,
	weighCategory,
	weighHistory,
} from '../../../server/core/meter/reading.ts';
import { categories, createEmptyTotals } from '../../../server/core/meter/totals.ts';

/** Returns a provider's usage for 1,000 raw tokens of history and nothing else. */
function figure(input: number, more: Partial<Observation> = {}): Observation {
	return {
		seq: 10,
		usage: { input, output: 50 },
		answerTokens: 40,
		headTokens: 1000,
		exactTokens: 0,
		request: emptyRequest,
		measure: 'test',
		...more,
	};
}

describe('a usage figure', () => {
	it('a usage figure includes cache reads and writes in the prompt', () => {
		expect(sumPromptTokens({ input: 10, output: 5, cacheRead: 200, cacheWrite: 30 })).toBe(240);
	});

	it('a usage figure without a prompt or of an answer that was cut off is ignored', () => {
		expect(isUsable({ input: 10, output: 5 }, 'stop')).toBe(true);
		expect(isUsable({ input: 10, output: 5 }, 'aborted')).toBe(false);
		expect(isUsable({ input: 10, output: 5 }, 'error')).toBe(false);
		expect(isUsable({ input: 0, output: 5 }, 'stop')).toBe(false);
		expect(isUsable({ input: 10, output: Number.NaN }, 'stop')).toBe(false);
	});

	it('a usage figure is taken for a sum over many calls only beyond the window and far above the counts', () => {
		expect(isAggregatedUsage(figure(9000, { windowTokens: 8000 }))).toBe(true);
		expect(isAggregatedUsage(figure(9000, { windowTokens: 8000, headTokens: 4000 }))).toBe(false);
		expect(isAggregatedUsage(figure(9000, { windowTokens: 10_000 }))).toBe(false);
		expect(isAggregatedUsage(figure(9000))).toBe(false);
	});
});

describe('the meter', () => {
	it('the meter weighs file reads as it weighs other tool results', () => {
		const totals = createEmptyTotals();
		Object.assign(totals.head, { toolResults: 800, fileReads: 600 });
		Object.assign(totals.tail, { toolResults: 200, fileReads: 150 });
		const meter = applyObservation(createEmptyMeter(), figure(500));
		const { toolResults } = weighHistory(meter, totals);
		expect(toolResults).toBeLessThan(1000);
		expect(weighCategory(meter, totals, 'fileReads')).toBeCloseTo(0.75 * toolResults);
	});

	it('the meter reads equal totals at once and by category, despite rounding', () => {
		for (let turn = 0; turn < 200; turn++) {
			const totals = createEmptyTotals();
			for (const [place, category] of categories.entries()) {
				totals.head[category] = (turn * 37 + place * 101) % 997;
				totals.tail[category] = (turn * 53 + place * 17) % 89;
				totals.exact[category] = (turn + place) % 7;
			}
			const request = { ...emptyRequest, systemPrompt: turn * 3, toolDefinitions: (turn * 7) % 50 };
			const meter = applyObservation(createEmptyMeter(), figure(900 + turn * 11, { request }));
			const { tokens, source } = readMeter(meter, totals, request);
			expect(readMeterTokens(meter, totals, request)).toEqual({ tokens, source });
		}
	});

	it('the meter treats the surplus of the first figure as a hidden system prompt', () => {
		const { anchor, other, factor } = applyObservation(createEmptyMeter(), figure(1300));
		expect(factor).toBe(1);
		expect(other).toEqual({ tokens: 300, measure: 'test' });
		expect(anchor).toMatchObject({ seq: 10, scale: 1, other: 300, output: 50, isVoid: false });
	});

	it('the meter reduces the weight of the head if the figure is below the count', () => {
		const { anchor } = applyObservation(createEmptyMeter(), figure(800));
		expect(anchor).toMatchObject({ scale: 0.8, other: 0 });
	});

	it('the meter agrees with every figure: the sum equals the reported prompt', () => {
		let meter = createEmptyMeter();
		for (const [input, headTokens] of [
			[1300, 1000],
			[2500, 2000],
			[2400, 2600],
			[9000, 7000],
		] as const) {
			meter = applyObservation(meter, figure(input, { headTokens }));
			const { scale = 0, other = 0 } = meter.anchor ?? {};
			expect(other + scale * headTokens).toBeCloseTo(input, 6);
		}
	});

	it('the meter learns its factor from growth between figures, cautiously at first', () => {
		const first = applyObservation(createEmptyMeter(), figure(1300));
		const second = applyObservation(first, figure(2500, { seq: 20, headTokens: 2000 }));
		// 1,200 reported for 1,000 counted, with 4,000 tokens of prior evidence for a factor of 1.
		expect(second.factor).toBeCloseTo(5200 / 5000, 9);
		expect(second.growth).toEqual({ reported: 1200, counted: 1000 });
	});

	it('the meter learns nothing from growth that no factor explains', () => {
		const first = applyObservation(createEmptyMeter(), figure(1300));
		expect(applyObservation(first, figure(9300, { seq: 20, headTokens: 2000 })).factor).toBe(1);
		expect(applyObservation(first, figure(1400, { seq: 20, headTokens: 2000 })).factor).toBe(1);
	});

	it("the meter uses the count of an answer whose figure is from the stream's start", () => {
		const usage = { input: 1300, output: 1 };
		expect(
			applyObservation(createEmptyMeter(), figure(1300, { usage, answerTokens: 40 })).anchor?.output,
		).toBe(40);
	});

	it('the meter keeps its weights but voids its figure after an earlier change', () => {
		const meter = applyObservation(createEmptyMeter(), figure(1300));
		expect(invalidateFrom(meter, 11)).toEqual({ ...meter, lastPrompt: undefined });
		expect(invalidateFrom(meter, 3).anchor).toEqual({ ...meter.anchor, isVoid: true });
	});

	it('the meter drops corrections from errors at the next figure', () => {
		const doubtful = { ...createEmptyMeter(), correction: { weight: 1.5, refusals: 1 } };
		expect(applyObservation(doubtful, figure(1300)).correction).toBeUndefined();
	});
});
