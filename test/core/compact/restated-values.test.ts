import { describe, expect, it } from 'vitest';
import { assistant, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const first = 'The limits of the lock:\n- `maxBoats`: 12\n- `waitTime`: `40s`\n- `lamp`: red (#c00)';
const summaryWith = (later: string): string =>
	summaryOf([
		user(1, 'Set the limits of the lock.'),
		assistant(2, first),
		user(3, 'Make them larger.'),
		assistant(4, later),
		user(5, 'Thanks.'),
	]);

describe('values in a list of the agent', () => {
	it('have a note on the values that a later list states instead', () => {
		const text = summaryWith(
			'The limits are larger now:\n- `maxBoats`: 20\n- `waitTime`: `40s`\n- `lamp`: `#800`',
		);
		expect(text).toContain('`lamp`: red (#c00) (later, in #4: `#800`)');
		expect(text).toContain('`maxBoats`: 12 (later, in #4: 20)');
		expect(text).toMatch(/`waitTime`: `40s`$/m);
	});

	it.each([
		['the lists share one name', 'The pier has:\n- `maxBoats`: 20\n- `lamps`: 7'],
		['the later values are words', 'I changed:\n- `maxBoats`: Added a check\n- `waitTime`: Renamed it'],
	])('have no note if %s', (_, later) => {
		expect(summaryWith(later)).not.toContain('(later');
	});
});
