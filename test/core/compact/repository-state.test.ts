import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

type Run = [command: string, output: string, exitCode?: number] | string;

const formats: [
	tool: string,
	args: (command: string) => unknown,
	wrap: (output: string, code: number) => string,
][] = [
	[
		'Bash',
		(command) => ({ command }),
		(output, code) => (code === 0 ? output : `Exit code ${code}\n${output}`),
	],
	['command_execution', (command) => ({ command: `bash -lc '${command}'` }), (output) => output],
	[
		'exec_command',
		(cmd) => ({ cmd }),
		(output, code) => `Chunk ID: 1\nProcess exited with code ${code}\nOutput:\n${output}\n`,
	],
	[
		'run_shell_command',
		(command) => ({ command }),
		(output, code) => `Output: ${output || '(empty)'}\nError: (none)\nExit Code: ${code}\n`,
	],
];

const commit: Run = ['git commit -m berths', '[pier 7c41e9b] Berths\n 2 files changed, 9 insertions(+)'];
const push: Run = ['git push origin pier', 'To example.com:ferry.git\n   1b2c3d4..7c41e9b  pier -> pier'];
const open: Run = ['gh pr create --fill', 'https://example.com/ferry/pier/pull/136'];
const conflicts = [
	'Rebasing (1/2)',
	'Auto-merging src/pier.ts',
	'CONFLICT (content): Merge conflict in src/pier.ts',
	'CONFLICT (content): Merge conflict in docs/tide.md',
	'error: could not apply 1b2c3d4... Berths',
].join('\n');
const rebase: Run = ['git fetch && git rebase origin/main', conflicts, 1];
const merge: Run = ['git merge main', 'CONFLICT (content): Merge conflict in src/pier.ts', 1];
const interrupted = 'stopped by conflicts';

describe.each(formats)('the state of a repository after commands of %s', (tool, create, wrap) => {
	/** Returns the line about the state after these commands; a text is a message of the user. */
	const stateAfter = (...runs: Run[]): string => {
		const edit = call('Write', { file_path: '/srv/src/pier.ts', content: 'berth();\n' });
		const sources: Source[] = [
			user(0, 'Make the ferry berth at the second pier.'),
			assistant(1, 'I write it.', edit),
			result(2, edit, 'File created'),
		];
		for (const run of runs) {
			const seq = sources.length;
			if (typeof run === 'string') {
				sources.push(user(seq, run));
				continue;
			}
			const [command, output, exitCode = 0] = run;
			const made = call(tool, create(command));
			sources.push(assistant(seq, 'I run it.', made));
			sources.push(result(seq + 1, made, wrap(output, exitCode), exitCode !== 0));
		}
		sources.push(assistant(sources.length, 'That is the state of the pier.'));
		return summaryOf(sources, 4000).match(/^State: .*/m)?.[0] ?? '';
	};

	it('names the newest commit, its push, and the pull request', () => {
		expect(stateAfter(commit, push, open)).toContain(
			'commit 7c41e9b on branch pier (#4), pushed (#6), opened https://example.com/ferry/pier/pull/136 (#8)',
		);
		const both = `${commit[1]}\n${push[1]}`;
		expect(stateAfter(['git commit -m berths && git push', both])).toContain(
			'7c41e9b on branch pier (#4), pushed (#4)',
		);
	});

	it.each<[string, Run[], string]>([
		['a status', [['git status', 'On branch tide/north\nnothing to commit']], 'on branch tide/north (#4)'],
		[
			'a status with the distance from its upstream',
			[['git status', "On branch tide\nYour branch is ahead of 'origin/tide' by 2 commits."]],
			'on branch tide, ahead of origin/tide by 2 commits (#4)',
		],
		[
			'a short status',
			[['git status -sb', '## tide...origin/tide [ahead 1, behind 2]\n M a.ts']],
			'on branch tide, ahead 1, behind 2 (#4)',
		],
		['a status in German', [['git status', 'Auf Branch tide\nnichts zu committen']], 'on branch tide (#4)'],
		[
			'the status of another program',
			[
				['git status', 'On branch main\nnothing to commit'],
				['ferry status', '● Enabled · manual · branch tide\n  Agents · Codex'],
			],
			'on branch tide (#6)',
		],
		[
			'a merge by the program of a host',
			[
				['git checkout -b tide', "Switched to a new branch 'tide'"],
				['gh pr merge --squash -d', '✓ Deleted local branch tide and switched to branch main'],
			],
			'on branch main (#6)',
		],
		[
			'a new name',
			[
				['git status', 'On branch tide\nnothing to commit'],
				['git branch -m tide north', ''],
			],
			'on branch north (#6)',
		],
		[
			'another repository',
			[
				['git status', 'On branch tide\nnothing to commit'],
				['git -C /srv/base checkout -b other', "Switched to a new branch 'other'"],
			],
			'on branch other in base (#6)',
		],
		[
			'a commit',
			[
				['git status', 'On branch tide\nnothing to commit'],
				['git checkout 3fa21bc', "Note: switching to '3fa21bc'.\n\nYou are in 'detached HEAD' state."],
			],
			'on no branch (detached HEAD) (#6)',
		],
		['a switch', [['git switch tide', "Switched to branch 'tide'"]], 'on branch tide (#4)'],
		['a new branch', [['git checkout -b tide', "Switched to a new branch 'tide'"]], 'on branch tide (#4)'],
		['a new branch without a report', [['git checkout -q -b tide', '']], 'on branch tide (#4)'],
		[
			'two switches',
			[
				[
					'git checkout main && ls; git checkout tide',
					"Switched to branch 'main'\nSwitched to branch 'tide'",
				],
			],
			'on branch tide (#4)',
		],
		[
			'a script that failed after the switch',
			[['git checkout tide && git pull', "Switched to branch 'tide'\nerror: no upstream", 1]],
			'on branch tide (#4)',
		],
		[
			'a switch that failed',
			[
				['git status', 'On branch pier'],
				['git checkout tide', "error: pathspec 'tide' did not match", 1],
			],
			'on branch pier (#4)',
		],
		['a list', [['git branch -v', '  main 1b2c3d4 Berths\n* tide 2c3d4e5 Crew']], 'on branch tide (#4)'],
		['a commit', [commit], 'commit 7c41e9b on branch pier (#4)'],
		[
			'a commit after a status',
			[['git status', 'On branch pier'], commit],
			'commit 7c41e9b on branch pier (#6)',
		],
		[
			'a status before a push',
			[commit, ['git status', "On branch pier\nYour branch is ahead of 'origin/pier' by 1 commit."], push],
			'commit 7c41e9b (#4), pushed (#8); on branch pier (#6)',
		],
		[
			'a status of another working tree',
			[commit, ['cd /srv/ferry && git status -sb', '## main...origin/main [behind 12]']],
			'commit 7c41e9b on branch pier (#4); on branch main in ferry, behind 12 (#6)',
		],
		[
			'a status before a change of files',
			[
				['git status', 'On branch pier'],
				['git checkout -- a.ts', ''],
			],
			'on branch pier (#4)',
		],
	])('names the branch after %s', (_, runs, branch) => {
		expect(stateAfter(...runs).replace('State:', ';')).toContain(`; ${branch}`);
	});

	it.each<[string, Run[]]>([
		['a commit is checked out', [['git checkout 7c41e9b', "Note: switching to '7c41e9b'."]]],
		['the head is detached', [['git status', 'HEAD detached at 7c41e9b']]],
		['another one was checked out silently', [['git checkout -q tide', '']]],
		['it is that of a test in a temporary folder', [['cd /tmp/x && git status', 'On branch tide']]],
		['a test made the repository', [['cd x && git init && git status', 'On branch tide']]],
		['another program names it', [['cat notes.md', 'On branch tide']]],
		['the switch failed', [['git checkout tide', "error: pathspec 'tide' did not match", 1]]],
		[
			'a script that switches silently failed',
			[
				['git status', 'On branch tide'],
				['git checkout -q main && git pull', 'error: no upstream', 1],
			],
		],
	])('names no branch if %s', (_, runs) => {
		expect(stateAfter(...runs)).not.toContain('on branch tide');
	});

	it.each<[string, Run[]]>([
		[
			'it was rejected',
			[commit, ['git push', ' ! [rejected]  pier -> pier (fetch first)\nerror: failed', 1]],
		],
		['it was tried only', [commit, ['git push --dry-run', '   1b2c3d4..7c41e9b  pier -> pier']]],
		['it is older than the commit', [push, commit]],
		[
			'it ran before the commit of the same command',
			[['git push; git commit -m x', `${push[1]}\n${commit[1]}`]],
		],
		['its failure is hidden by a pipe', [commit, ['git push 2>&1 | tail -2', 'fatal: unable to access']]],
	])('does not name a push if %s', (_, runs) => {
		expect(stateAfter(...runs)).not.toContain('pushed');
	});

	it.each<[string, Run[]]>([
		['it was reset', [commit, ['git reset --soft HEAD~1', '']]],
		['it was rebased', [commit, ['git rebase main', 'Successfully rebased and updated refs/heads/pier.']]],
		['a newer commit has no report', [commit, ['git commit -qam more', '']]],
		[
			'it is the first one of a repository in another folder',
			[['cd trial && git commit -m x', '[pier (root-commit) 7c41e9b] Berths']],
		],
		['a log quotes it', [['git log -1', `commit 7c41e9b\n    ${commit[1]}`]]],
	])('does not name a commit if %s', (_, runs) => {
		expect(stateAfter(...runs)).not.toContain('7c41e9b');
	});

	it.each<[string, Run]>([
		['merged', ['gh pr merge 136 --squash', '']],
		['closed', ['gh pr close 136', 'Closed pull request']],
	])('does not name a pull request that was %s', (_, run) => {
		expect(stateAfter(commit, open, run)).not.toContain('pull/136');
	});

	it('names an interrupted rebase and its unmerged files', () => {
		expect(stateAfter(commit, rebase)).toContain(
			`rebase ${interrupted} (#6), not finished, unmerged in #6: src/pier.ts, docs/tide.md`,
		);
		expect(stateAfter(rebase, ['git status --short', 'M  a.ts\nUU docs/tide.md'])).toContain(
			'not finished, unmerged in #6: docs/tide.md',
		);
		expect(
			stateAfter(rebase, ['git status', 'You are currently rebasing.\n\tboth modified:   src/pier.ts']),
		).toContain('unmerged in #6: src/pier.ts');
		expect(stateAfter(rebase, ['git add src/pier.ts', ''])).toContain('unmerged in #4: docs/tide.md');
		expect(stateAfter(rebase, ['git add -A', ''])).toMatch(/not finished(?:;|$)/);
	});

	it('names an interrupted rebase that stopped again', () => {
		const again = 'CONFLICT (content): Merge conflict in src/crew.ts\nerror: could not apply 2c3d4e5... Crew';
		expect(stateAfter(rebase, ['GIT_EDITOR=true git rebase --continue', again, 1])).toContain(
			`rebase ${interrupted} (#4), not finished, unmerged in #6: src/crew.ts`,
		);
	});

	it.each<[string, Run[], string]>([
		['merge', [merge], 'merge'],
		['cherry-pick', [['git cherry-pick 1b2c3d4', conflicts, 1]], 'cherry-pick'],
		['pull', [['git pull origin main', String(merge[1]), 1]], 'merge'],
		['pull that rebases', [['git pull --rebase', conflicts, 1]], 'rebase'],
		['stash pop', [['git stash pop', String(merge[1]), 1]], 'stash pop'],
		['rebase whose failure is hidden', [['git rebase main | tail -20', conflicts]], 'rebase'],
		['rebase that an editor stopped', [rebase, ['git rebase --continue', 'error: no editor', 1]], 'rebase'],
	])('names an interrupted %s', (_, runs, name) => {
		expect(stateAfter(...runs)).toContain(`${name} ${interrupted}`);
	});

	it.each<[string, Run[]]>([
		[
			'it was continued',
			[rebase, ['git add -A && git rebase --continue', 'Successfully rebased and updated pier.']],
		],
		['it was aborted', [rebase, ['git rebase --abort', '']]],
		['a step was skipped', [rebase, ['git rebase --skip', 'Successfully rebased']]],
		['its merge was committed', [merge, ['git commit --no-edit', '[pier 9a8b7c6] Merge branch main']]],
		['its merge was reset', [merge, ['git reset --hard', 'HEAD is now at 1b2c3d4 Berths']]],
		[
			'the status is clean',
			[rebase, ['git status', 'On branch pier\nnothing to commit, working tree clean']],
		],
		['the user reports its end', [rebase, 'I have resolved it myself, go on with the tests.']],
		['a file quotes it', [['cat rebase.log', conflicts]]],
		['a commit message quotes it', [['git log -1', `commit 1b2c3d4\n\n${conflicts}`]]],
	])('names no interruption if %s', (_, runs) => {
		expect(stateAfter(...runs)).not.toContain(interrupted);
	});

	it('names an interruption in another folder than that of a later command', () => {
		const [command, output] = rebase as [string, string];
		const elsewhere: Run = ['cd /srv/crew && git rebase --abort', ''];
		expect(stateAfter([`cd /srv/pier && ${command}`, output, 1], elsewhere)).toContain(interrupted);
	});

	it('names only changes after a clean status as not committed', () => {
		const clean: Run = ['git status', 'On branch pier\nnothing to commit, working tree clean'];
		const move: Run = ['git mv src/pier.ts src/quay.ts && echo >> src/quay.ts', ''];
		const state = stateAfter(clean, move, ['git status --short', 'R  src/pier.ts -> src/quay.ts']);
		expect(state).toContain('changed since the last commit: src/quay.ts');
	});

	const longStatus = [
		'On branch pier',
		'Changes not staged for commit:',
		'  (use "git add <file>..." to update what will be committed)',
		'\tmodified:   src/pier.ts',
		'\tmodified:   src/buoy.ts',
		'',
		'Untracked files:',
		'  (use "git add <file>..." to include in what will be committed)',
		'\tnotes/tides.md',
		'',
		'no changes added to commit',
	].join('\n');
	const shortStatus = ' M src/pier.ts\n M src/buoy.ts\n?? notes/tides.md';

	it.each<[string, Run]>([
		['in the long form', ['git status', longStatus]],
		['in the short form', ['git status --short', shortStatus]],
		['next to other output', ['git status; ls src', `${longStatus}\nbuoy.ts\npier.ts`]],
	])('names uncommitted files that the session did not change: %s', (_, status) => {
		expect(stateAfter(status)).toContain('also uncommitted: src/buoy.ts, untracked: notes/tides.md (#4)');
	});

	it('names files of the session that a status lists after their commit, as another working tree does', () => {
		expect(stateAfter(commit, ['cd /srv/ferry && git status --short', shortStatus])).toContain(
			'also uncommitted: src/pier.ts, src/buoy.ts, untracked: notes/tides.md (#6)',
		);
	});

	it.each<[string, Run[]]>([
		['after a commit', [['git status', longStatus], commit]],
		[
			'after a stash',
			[
				['git status', longStatus],
				['git stash', 'Saved working directory'],
			],
		],
		[
			'if a newer status lists none',
			[
				['git status', longStatus],
				['git status', 'On branch pier\nnothing to commit'],
			],
		],
		['during a rebase', [rebase, ['git status', longStatus.replace('On branch pier', 'rebase in progress')]]],
	])('names no uncommitted files that may be committed or gone: %s', (_, runs) => {
		expect(stateAfter(...runs)).not.toContain('src/buoy.ts');
	});

	it('names changes as not committed only if git listed them and nothing may have committed them', () => {
		const status: Run = ['git status --short', '?? src/pier.ts'];
		expect(stateAfter(status)).toContain('changed, not committed: ');
		expect(stateAfter(['ls src', 'pier.ts'])).toContain('changed, no commit seen: ');
		expect(stateAfter(['cat > notes <<EOF\ngit commit\nEOF', ''])).toContain('changed, no commit seen: ');
		expect(stateAfter(['curl -s https://pier.example/commits', '[]'])).toContain('changed, no commit seen: ');
		expect(stateAfter(['python3 -c "print(d[\'publisher\'])"', 'x'])).toContain('changed, no commit seen: ');
		expect(stateAfter(['curl -X POST https://pier.example/deploy', 'ok'])).toContain('changed: ');
		expect(stateAfter(['git status', 'On branch pier\nnothing to commit, working tree clean'])).toContain(
			'changed: ',
		);
		expect(stateAfter(['git status --short', '?? src/crew.ts'])).toContain(
			'changed, but not listed by git status (#4): src/pier.ts',
		);
		expect(stateAfter(status, ['git status --short', ''])).toContain('changed: ');
		expect(stateAfter(status, ['./release.sh', 'done'])).toContain('changed: ');
		expect(stateAfter(status, 'I committed it, go on.')).toContain('changed: ');
		expect(stateAfter(status, commit)).not.toContain('not committed');
		expect(stateAfter('When will you commit it?', ['./release.sh', 'done'], status)).toContain(
			'changed, not committed: ',
		);
	});

	const check: Run = ['npm test', 'Tests  31 passed (31)'];
	const status = (branch: string): Run => ['git status', `On branch ${branch}\nnothing to commit`];

	it('a check before a change of branch says nothing of the files of the other branch', () => {
		const switched: Run = ['git checkout tide', "Switched to branch 'tide'"];
		expect(stateAfter(status('pier'), check, switched)).toContain('31 passed (31) (#6), on another branch');
		expect(stateAfter(status('pier'), switched, check)).not.toContain('another branch');
		const back: Run = ['git checkout pier', "Switched to branch 'pier'"];
		expect(stateAfter(status('pier'), check, switched, back)).not.toContain('another branch');
		expect(stateAfter(status('pier'), switched, check, back)).toContain('on another branch');
	});

	it('a check holds on a branch that was created afterwards at the same commit', () => {
		const created: Run = ['git checkout -b tide', "Switched to a new branch 'tide'"];
		const elsewhere: Run = ['git checkout -b tide origin/main', "Switched to a new branch 'tide'"];
		expect(stateAfter(status('pier'), check, created)).not.toContain('another branch');
		expect(stateAfter(status('pier'), check, elsewhere)).toContain('on another branch');
	});
});
