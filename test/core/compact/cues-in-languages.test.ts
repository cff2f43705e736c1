import { describe, expect, it } from 'vitest';
import { cueScore, isDecision } from '../../../server/core/compact/thread/cues.ts';

describe('a day says as much in each language', () => {
	it.each(['Wir fahren am 12. Juli.', '我们7月12日出发。', '7月12日に出発します。'])('%s', (text) =>
		expect(cueScore(text)).toBe(cueScore('We leave on 12 July.')),
	);
});

describe('what only sounds like more', () => {
	it('is a request to stop, which decides nothing', () => {
		expect(isDecision('工事現場はやめてください。')).toBe(false);
		expect(isDecision('この方法はやめました。')).toBe(true);
	});

	it.each(['Was gibt es sonst?', '只要付款就行。'])('is no cause and no finding: %s', (text) =>
		expect(cueScore(text)).toBe(1),
	);
});
