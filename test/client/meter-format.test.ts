import { describe, expect, it } from 'vitest';
import { defaultMeterFormat, formatMeter } from '../../client-vscode/src/usage/meter.ts';
import { stats } from './stats.ts';

describe('format of the meter', () => {
	it.each([
		[defaultMeterFormat, 'Codex', '63% Codex'],
		['{percent}', 'Codex', '63%'],
		['{tokens}/{limit}', '', '86k/136k'],
		['{left} left', '', '50k left'],
		['{bar} {percent} {agent}', '', '▰▰▰▱▱ 63%'],
		['{unknown} {percent}', '', '{unknown} 63%'],
	])('formatMeter fills the format %s', (format, agent, text) => {
		expect(formatMeter(format, stats(), agent)).toBe(text);
	});

	it('the meter shows a dash without figures, and at most five cells', () => {
		expect(formatMeter(defaultMeterFormat, null, 'Codex')).toBe('– Codex');
		expect(formatMeter('{tokens}/{limit}', null, 'Codex')).toBe('–');
		expect(formatMeter('{bar}', stats({ usageRatio: 1.4 }), '')).toBe('▰▰▰▰▰');
	});
});
