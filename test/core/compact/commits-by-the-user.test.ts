import { describe, expect, it } from 'vitest';
import { call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const bash = (command: string) => call('Bash', { command });
const edit = (path: string) => call('Edit', { file_path: path, old_string: 'one', new_string: 'two' });

/** Returns the state line of a session of calls. */
function stateAfter(...calls: Parameters<typeof done>[1][]): string {
	const text = summaryOf([user(1, 'Repair the tide.'), ...done(2, ...calls)], 3000);
	return /^State: .*$/m.exec(text)?.[0] ?? '';
}

describe('commits and uncommitted files', () => {
	it.each([
		['a status that lists other files', 'git status --short', ' M src/pier.ts\n?? notes.md', false],
		['a status that lists the file', 'git status --short', ' M src/tide.ts', true],
		['a status of one folder', 'git status --short src', ' M src/pier.ts', true],
		['a status of tracked files', 'git status --short -uno', ' M src/pier.ts', true],
	])('a file is no longer changed after %s, or still is', (_, command, output, isChanged) => {
		const state = stateAfter(
			[edit('src/tide.ts')],
			[bash(command), output],
			[edit('src/pier.ts')],
			[bash('git add src/pier.ts && git commit -qm pier'), ''],
			[edit('src/quay.ts')],
		);
		expect(state.includes('src/tide.ts')).toBe(isChanged);
		expect(state).toContain('src/quay.ts');
	});

	it.each([
		['refused by a hook', 'git commit -am tide 2>&1 | tail -3', 'husky - pre-commit hook exited with code 1'],
		['without staged files', 'git commit -m tide | cat', 'no changes added to commit (use "git add")'],
		['taken back', 'git commit -qam tide && git reset --soft HEAD~1', ''],
	])('a file stays changed after a commit that was %s', (_, command, output) => {
		expect(stateAfter([edit('src/tide.ts')], [bash(command), output])).toMatch(/changed.*src\/tide\.ts/);
	});

	it('a change during a merge is gone after the merge was aborted', () => {
		const read = call('Read', { file_path: 'src/tide.ts' });
		const state = stateAfter(
			[read, 'one'],
			[bash('git merge pier'), 'CONFLICT (content): Merge conflict in src/tide.ts', true],
			[edit('src/tide.ts')],
			[bash('git merge --abort'), ''],
		);
		expect(state).not.toContain('changed');
	});

	it('a stash of one file leaves the other changed', () => {
		const state = stateAfter(
			[edit('src/tide.ts')],
			[edit('src/pier.ts')],
			[bash('git stash push src/pier.ts'), 'Saved working directory'],
		);
		expect(state).toMatch(/changed[^;]*: src\/tide\.ts; put aside by git stash \(#6\): src\/pier\.ts/);
	});

	it.each([
		['nothing to stash', [[edit('src/tide.ts')], [bash('git stash'), 'No local changes to save']]],
		[
			'a file outside the repository',
			[[edit('/tmp/bench.py')], [bash('git stash -u'), 'Saved working directory']],
		],
		[
			'a file that the user brought back',
			[
				[edit('src/tide.ts')],
				[bash('git stash'), 'Saved working directory'],
				[bash('git status --short'), ' M src/tide.ts'],
			],
		],
	] as [string, Parameters<typeof done>[1][]][])('the stash does not have %s', (_, calls) => {
		expect(stateAfter(...calls)).not.toContain('git stash');
	});

	it.each(['git stash pop', 'git stash drop'])('a file is no longer in the stash after %s', (command) => {
		const state = stateAfter(
			[edit('src/tide.ts')],
			[bash('git stash'), 'Saved working directory'],
			[bash(command), 'Dropped refs/stash@{0}'],
		);
		expect(state).not.toContain('git stash');
		expect(state.includes('src/tide.ts')).toBe(command === 'git stash pop');
	});

	it.each([
		['.env', false],
		['.env.local', false],
		['.env.example', true],
	])('a file with secrets, which git ignores, does not wait for a commit: %s', (name, isShown) => {
		const state = stateAfter(
			[edit(`app/${name}`)],
			[edit('src/tide.ts')],
			[bash('git add src/tide.ts && git commit -m tide'), '[main 7c41e9b] tide'],
		);
		expect(state.includes(name)).toBe(isShown);
	});

	it('a commit by "rebase --continue" includes the resolved file', () => {
		const state = stateAfter(
			[edit('src/tide.ts')],
			[
				bash('git add src/tide.ts && git rebase --continue'),
				'Successfully rebased and updated refs/heads/pier.',
			],
		);
		expect(state).not.toContain('changed');
	});

	it('the first commit of a repository that the session creates is the last commit', () => {
		const state = stateAfter(
			[edit('index.html')],
			[bash('git init'), 'Initialized empty Git repository in /srv/tide/.git/'],
			[bash('git add -A && git commit -m start'), '[main (root-commit) e2aec0d] start\n 1 file changed'],
		);
		expect(state).toContain('commit e2aec0d');
		expect(state).not.toContain('changed');
	});

	it('the hash of a revert is not shown as the commit of a request', () => {
		const text = summaryOf([
			user(1, 'Upgrade the ferry library.'),
			...done(2, [bash('git revert --no-edit 1b2c3d4'), '[main 7c41e9b] Revert "Upgrade"\n 1 file changed']),
			user(4, 'Now look at the quay.'),
		]);
		expect(text).not.toContain('→ committed');
	});
});
