import { describe, expect, it } from 'vitest';
import { isDecision, scoreCues } from '../../../server/core/analysis/text/cues.ts';

describe('dates in other languages', () => {
	it.each(['Wir fahren am 12. Juli.', '我们7月12日出发。', '7月12日に出発します。'])(
		'a date scores the same in each language: %s',
		(text) => expect(scoreCues(text)).toBe(scoreCues('We leave on 12 July.')),
	);
});

describe('words that resemble cues', () => {
	it('a request to stop is not a decision', () => {
		expect(isDecision('工事現場はやめてください。')).toBe(false);
		expect(isDecision('この方法はやめました。')).toBe(true);
	});

	it.each(['Was gibt es sonst?', '只要付款就行。'])('neither a cause nor a finding is scored: %s', (text) =>
		expect(scoreCues(text)).toBe(1),
	);
});
