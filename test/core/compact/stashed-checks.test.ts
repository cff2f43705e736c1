import { describe, expect, it } from 'vitest';
import { call } from './facts-sources.ts';
import { sectionIn, sessionOfCalls, summaryOf } from './summaries.ts';

type Run = [command: string, output: string, failed?: boolean];

const failing: Run = ['npm test', 'Tests: 1 failed, 11 passed', true];
const passing = 'Tests: 12 passed';
const saved = 'Saved working directory and index state WIP on main: 3fa21bc Berths';
const restored = 'Dropped refs/stash@{0} (5c1b2a3)';

/** Returns the summary of a session that edits a file and then runs these commands. */
function summaryAfter(...runs: Run[]): string {
	const edit = call('Edit', { file_path: '/w/src/sum.ts', old_string: 'a', new_string: 'b' });
	return summaryOf(
		sessionOfCalls(
			[edit, 'The file was updated.'],
			...runs.map(([command, output, failed]): [typeof edit, string, boolean?] => [
				call('Bash', { command }),
				output,
				failed,
			]),
		),
		3000,
	);
}

describe('checks while git has put the changes aside', () => {
	it.each<[string, Run[]]>([
		[
			'several commands',
			[
				['git stash', saved],
				['npm test', passing],
				['git stash pop', restored],
			],
		],
		['one script', [['git stash && npm test; git stash pop', `${saved}\n${passing}\n${restored}`]]],
	])('a failure did not pass later if it passed without the changes, in %s', (_, runs) => {
		const text = summaryAfter(failing, ...runs);
		expect(text).not.toContain('passed later');
		expect(text).toContain('last check: npm test: failed: Tests: 1 failed, 11 passed (#5)');
		expect(text).toContain('→ Tests: 12 passed (with the changes stashed)');
		expect(sectionIn(text, 'checks')).toContain('with the changes stashed)');
	});

	it('a check counts again after the changes are back', () => {
		const text = summaryAfter(
			failing,
			['git stash', saved],
			['git stash pop', restored],
			['npm test', passing],
		);
		expect(text).toContain('(passed later, #11)');
		expect(text).toContain('last check: npm test: Tests: 12 passed (#11)');
	});

	it.each(['git stash drop', 'git checkout stash@{0} -- .', 'git stash branch retry'])(
		'a check counts again after %s',
		(command) => {
			const text = summaryAfter(failing, ['git stash', saved], [command, restored], ['npm test', passing]);
			expect(text).toContain('last check: npm test: Tests: 12 passed (#11)');
		},
	);

	it('a stash of nothing puts nothing aside', () => {
		const text = summaryAfter(failing, ['git stash', 'No local changes to save'], ['npm test', passing]);
		expect(text).not.toContain('with the changes stashed');
		expect(text).toContain('(passed later, #9)');
	});

	it.each(['git stash -q', 'git stash push --quiet', 'git stash > /dev/null'])(
		'%s put nothing aside if nothing is brought back',
		(command) => {
			expect(summaryAfter([command, ''], ['npm test', passing])).not.toContain('stashed');
			expect(summaryAfter([command, ''], ['npm test', passing], ['git stash pop', restored])).toContain(
				'(with the changes stashed)',
			);
		},
	);

	it('a stash that a script starts on a clean tree puts nothing aside', () => {
		const runs: Run = ['git stash; npm test', `No local changes to save\n${passing}`];
		expect(summaryAfter(runs, ['npm test', passing])).not.toContain('stashed');
	});
});
