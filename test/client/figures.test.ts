import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAgo } from '../../client-vscode/src/text/figures.ts';
import { formatPercent, formatTokens } from '../../server/core/figures.ts';

describe('figures for people', () => {
	it.each([
		[0, '0'],
		[812, '812'],
		[999.6, '1k'],
		[4210, '4.2k'],
		[9949, '9.9k'],
		[9950, '10k'],
		[171_400, '171k'],
		[999_499, '999k'],
		[999_500, '1M'],
		[1_048_576, '1.05M'],
	])('%d tokens are shown as %s', (tokens, text) => {
		expect(formatTokens(tokens)).toBe(text);
	});

	it('token counts never have four digits before the unit', () => {
		fc.assert(
			fc.property(fc.nat({ max: 20_000_000 }), (tokens) => {
				expect(formatTokens(tokens)).not.toMatch(/^\d{4}/);
			}),
		);
	});

	it.each([
		[0, '0%'],
		[0.001, '<1%'],
		[0.63, '63%'],
		[1.2, '120%'],
	])('a share of %d is shown as %s', (share, text) => {
		expect(formatPercent(share)).toBe(text);
	});

	it.each([
		[-3000, 'just now'],
		[4000, 'just now'],
		[12_000, '12 s ago'],
		[3 * 60_000, '3 min ago'],
		[2 * 3_600_000, '2 h ago'],
		[5 * 86_400_000, '5 d ago'],
		[60 * 86_400_000, '60 d ago'],
		[61 * 86_400_000, '2 months ago'],
		[152 * 86_400_000, '5 months ago'],
		[730 * 86_400_000, '24 months ago'],
		[731 * 86_400_000, '2 years ago'],
	])('an age of %d ms is shown as %s', (ms, text) => {
		expect(formatAgo(ms)).toBe(text);
	});
});
