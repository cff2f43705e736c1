import { describe, expect, it } from 'vitest';
import { ran, summaryOf } from './summaries.ts';

type Run = [command: string, output: string];

const whole: Run = ['git status --short', ' M src/buoy.ts\n?? notes/tides.md'];
const limited: Run = ['git status --short package.json src/buoy.ts', ' M package.json'];

/** Returns the state of the work after these commands. */
function stateAfter(...runs: Run[]): string {
	return summaryOf(ran(...runs), 3000).match(/^State: .*/m)?.[0] ?? '';
}

describe('a git status of some paths', () => {
	it('leaves the other files of an earlier whole status in the state', () => {
		expect(stateAfter(whole, limited)).toContain(
			'untracked: notes/tides.md (#3); also uncommitted: package.json (#5)',
		);
	});

	it.each<[string, Run[]]>([
		['git restored files in between', [['git restore src', ''], limited]],
		['it is shortened', [['git status --short | head -1', ' M package.json']]],
		[
			'it is that of another folder',
			[['cd /srv/ferry && git status --short package.json', ' M package.json']],
		],
	])('replaces an earlier whole status if %s', (_, runs) => {
		expect(stateAfter(whole, ...runs)).not.toContain('tides');
	});
});
