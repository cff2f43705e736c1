import { describe, expect, it } from 'vitest';
import { ran, summaryOf } from './summaries.ts';

const listed = 'north.plist\nsouth.plist\nharbour.plist';

describe('a script of several commands whose exit code is that of a search at its end', () => {
	it.each(['ls agents; pgrep -la tides', 'ls agents; ps aux | grep tides'])(
		'has not failed: %s',
		(command) => {
			const text = summaryOf(ran([command, `Exit code 1\n${listed}`, true]));
			expect(text).not.toMatch(/exit 1|failed/);
			expect(text).toContain('→ no match of its last search');
		},
	);

	it.each([
		['the search only ran if the command before it passed', 'make north && grep tides log', listed],
		['it also runs a check', 'npm test; pgrep -la tides', listed],
		['the output has an error', 'ls agents; pgrep -la tides', `${listed}\nError: no access to the agents`],
	])('has failed if %s', (_, command, output) => {
		expect(summaryOf(ran([command, `Exit code 1\n${output}`, true]))).toContain('exit 1');
	});
});
