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

describe('sentences that say little', () => {
	it.each([
		['The request fails because of the cache.', 'The request fails, likely because of the cache.'],
		['The lock is held by the importer.', 'The lock is probably held by the importer.'],
		['The berth is free because the ferry left.', 'The user is asking whether the berth is free.'],
	])('%s scores more than: %s', (stated, said) => {
		expect(scoreCues(stated)).toBeGreaterThan(scoreCues(said));
	});

	it('a user who is a person in the work is no retold request', () => {
		expect(scoreCues('The user table has no index.')).toBe(1);
	});
});
