import { expect, it } from 'vitest';
import { formatSavings } from '../../../server/core/cost/costTexts.ts';

const now = new Date(2026, 10, 26).getTime();
const since = new Date(2026, 10, 3).getTime();

it('says what was saved with a session and with all, and compared with what', () => {
	const total = { tokens: 19_000_000, usd: 57, since };
	expect(formatSavings({ tokens: 1_366_667, usd: 4.1, total }, now)).toBe(
		'~$4.10 saved with this session, ~$57.00 saved since 3 Nov, compared with never compacting',
	);
});

it('says what was spent in addition, and gives tokens if the price is unknown', () => {
	const total = { tokens: 120_000, since: new Date(2025, 10, 3).getTime() };
	expect(formatSavings({ tokens: -100_000, usd: -0.3, total }, now)).toBe(
		'~$0.30 more spent with this session, ~120k of input saved since 3 Nov 2025, compared with never compacting',
	);
});

it('says nothing of savings below a cent', () => {
	expect(formatSavings(undefined, now)).toBeUndefined();
	expect(formatSavings({ tokens: 3000, usd: 0.009 }, now)).toBeUndefined();
	expect(formatSavings({ tokens: -4000, total: { tokens: 400, since } }, now)).toBeUndefined();
});
