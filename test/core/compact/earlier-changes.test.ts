import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

type Step = [made: Source['calls'][number], output: string];

const ran = (command: string, output = ''): Step => [call('Bash', { command }), output];
const wrote = (path: string): Step => [
	call('Write', { file_path: `/w/ferry/${path}`, content: 'berth();\n' }),
	'The file was written.',
];
const edits = ['src/pier.ts', 'src/tide.ts'].map(wrote);

/** Returns the state after these steps. */
function stateAfter(...steps: readonly Step[]): string {
	const sources: Source[] = [user(0, 'Make the ferry berth at the second pier.')];
	for (const [made, output] of steps) {
		const seq = sources.length;
		sources.push(assistant(seq, '', made), result(seq + 1, made, output));
	}
	return summaryOf(sources, 4000).match(/^State: .*/m)?.[0] ?? '';
}

const diff = 'diff --git a/src/tide.ts b/src/tide.ts\n@@ -1 +1 @@\n-low();\n+high();';

describe('uncommitted changes from before the session', () => {
	it.each([
		['a status', 'git status --short', ' M src/tide.ts\n?? notes/'],
		[
			'a long status',
			'git status',
			'On branch tide\nChanges not staged for commit:\n\tmodified:   src/tide.ts\n',
		],
		[
			'a status next to commits',
			'git log -2 --stat && git status -s',
			' src/pier.ts | 3 +++\n\n M src/tide.ts',
		],
		['a diff', 'git diff', diff],
		['a diff of some files', 'git --no-pager diff -- src docs', diff],
		['the totals of a diff', 'cd /w/ferry && git diff --stat', ' src/tide.ts | 24 +++--\n 1 file changed'],
		['a status next to a diff with a revision', 'git diff HEAD --stat; git status --short', ' M src/tide.ts'],
	])('are named next to those of the session: %s', (_, command, output) => {
		expect(stateAfter(ran(command, output), ...edits)).toContain(
			'changed, no commit seen: src/pier.ts, src/tide.ts; changed already before the first edit (#2): src/tide.ts',
		);
	});

	it('are named in short if they are in all files', () => {
		const output = ' M src/pier.ts\n M src/tide.ts';
		expect(stateAfter(ran('git status -s', output), ...edits)).toContain('first edit (#2): all of these');
	});

	it.each<[string, Step[]]>([
		['only files that the session did not change', [ran('git status -s', ' M src/mast.ts')]],
		['nothing in the newest status', [ran('git status -s', ' M src/tide.ts'), ran('git status -s')]],
		['files that were then stashed', [ran('git status -s', ' M src/tide.ts'), ran('git stash')]],
		['files of a commit', [ran('git diff HEAD~1 --stat', ' src/tide.ts | 24 +++--')]],
		['files of commits', [ran('git log --stat', ' src/tide.ts | 24 +++--')]],
		['files that a script may have changed', [ran('python3 fix.py'), ran('git status -s', ' M src/tide.ts')]],
		['files that another edit changed', [wrote('src/tide.ts'), ran('git status -s', ' M src/tide.ts')]],
	])('are not found in %s', (_, steps) => {
		expect(stateAfter(...steps, ...edits)).not.toContain('already');
	});

	it('are not named after a commit, which may contain them', () => {
		const commit = ran('git commit -am "Berth"', '[tide 7c41e9b] Berth\n 2 files changed, 4 insertions(+)');
		const state = stateAfter(ran('git status -s', ' M src/tide.ts'), ...edits, commit, wrote('src/tide.ts'));
		expect(state).toContain('since the last commit: src/tide.ts');
		expect(state).not.toContain('already');
	});
});
