import { describe, expect, it } from 'vitest';
import { defaultFormat, meterText } from '../../client-vscode/src/usage/meterFormat.ts';
import { stats } from './stats.ts';

describe('the format of the meter', () => {
	it.each([
		[defaultFormat, 'Codex', '63% Codex'],
		['{percent}', 'Codex', '63%'],
		['{tokens}/{limit}', '', '86k/136k'],
		['{left} left', '', '50k left'],
		['{bar} {percent} {agent}', '', '▰▰▰▱▱ 63%'],
		['{unknown} {percent}', '', '{unknown} 63%'],
	])('%s', (format, agent, text) => {
		expect(meterText(format, stats(), agent)).toBe(text);
	});

	it('has a dash where there are no figures, and no more cells than five', () => {
		expect(meterText(defaultFormat, null, 'Codex')).toBe('– Codex');
		expect(meterText('{tokens}/{limit}', null, 'Codex')).toBe('–');
		expect(meterText('{bar}', stats({ usageRatio: 1.4 }), '')).toBe('▰▰▰▰▰');
	});
});
