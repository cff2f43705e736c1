import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, done, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

/** Calls of a shell in the formats of Claude Code, Codex and Gemini. */
const formats: [tool: string, createArgs: (command: string) => unknown][] = [
	['Bash', (command) => ({ command })],
	['exec_command', (cmd) => ({ cmd })],
	['run_shell_command', (command) => ({ command })],
];

describe.each(formats)('commits by %s', (tool, createArgs) => {
	const commit = (seq: number, options: string, hash: string): Source[] => {
		const made = call(tool, createArgs(`git add -A && git commit ${options}`));
		return [
			assistant(seq, 'I commit it.', made),
			result(seq + 1, made, `[pier ${hash}] Berths\n 2 files changed, 9 insertions(+)`),
		];
	};

	it('an amended commit replaces its first version at the same request', () => {
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			...commit(1, '-m Berths', '7c41e9b'),
			...commit(3, '--amend --no-edit', '8d52fac'),
			assistant(5, 'The ferry berths there now.'),
		]);
		expect(text).toContain('→ committed: 8d52fac (#4)');
		expect(text).not.toContain('committed: 7c41e9b');
	});

	it('a commit by a script that deploys counts, but not one that the script only shows', () => {
		const deploy = call(tool, createArgs('./deploy.sh'));
		const made = '[pier 7c41e9b] Deploy\n 3 files changed, 9 insertions(+)';
		const shown = '[pier 7c41e9b] Deploy\nDone';
		const textAfter = (output: string): string =>
			summaryOf([
				user(0, 'Deploy the ferry.'),
				assistant(1, 'I deploy it.', deploy),
				result(2, deploy, `Building …\n${output}\nAlready on 'pier'`),
			]);
		expect(textAfter(made)).toContain('→ committed: 7c41e9b (#2)');
		expect(textAfter(shown)).not.toContain('committed');
	});

	it('a commit counts although the push after it failed', () => {
		const made = call(tool, createArgs('git commit -am Berths && git push'));
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			assistant(1, 'I commit it.', made),
			result(2, made, 'fatal: The branch pier has no upstream branch.\n[pier 7c41e9b] Berths', true),
			user(3, 'Now paint the first pier in red.'),
			...commit(4, '-m Paint', '8d52fac'),
			assistant(6, 'It is red.'),
		]);
		expect(text).toMatch(/second pier\. → committed: 7c41e9b \(#2\)$/m);
		expect(text).toMatch(/in red\. → committed: 8d52fac \(#5\)$/m);
	});

	it('a commit belongs to the command that the user typed after an earlier request', () => {
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			assistant(1, 'It berths there.'),
			{
				...user(2, '<command-message>paint-pier</command-message>\n<command-name>/paint-pier</command-name>'),
				isInjected: true,
			},
			...commit(3, '-m Paint', '8d52fac'),
			assistant(5, 'It is red.'),
		]);
		expect(text).toMatch(/\/paint-pier → committed: 8d52fac \(#4\)$/m);
		expect(text).not.toMatch(/second pier\. → committed/);
	});

	const rebased = 'Successfully rebased and updated refs/heads/pier.';
	const pushed = 'To example.com:quay.git\n   1b2c3d4..9e63abd  pier -> pier';

	it('a commit that its script rebased is named by the hash that was pushed', () => {
		const made = call(tool, createArgs('git commit -am Berths && git pull --rebase && git push'));
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			assistant(1, 'I commit it.', made),
			result(2, made, `[pier 7c41e9b] Berths\n 1 file changed\n\u001b[K${rebased}\n${pushed}`),
		]);
		expect(text).toContain('→ committed: 9e63abd (#2)');
		expect(text).not.toContain('committed: 7c41e9b');
	});

	it('a commit that its script rebased has no hash if no push shows it', () => {
		const made = call(tool, createArgs('git commit -am Berths && git pull --rebase'));
		const fetched = ' 1b2c3d4..9e63abd  pier -> origin/pier';
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			assistant(1, 'I commit it.', made),
			result(2, made, `[pier 7c41e9b] Berths\n${fetched}\n${rebased}`),
		]);
		expect(text).not.toContain('→ committed');
	});

	it('a pull rebases no commit that was pushed before', () => {
		const first = call(tool, createArgs('git commit -am Berths && git push'));
		const second = call(tool, createArgs('git commit --amend --no-edit && git pull --rebase && git push'));
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			assistant(1, 'I commit it.', first),
			result(2, first, '[pier 7c41e9b] Berths\n   0a1b2c3..7c41e9b  pier -> pier'),
			user(3, 'Now paint the first pier in red.'),
			...commit(4, '-m Paint', '8d52fac'),
			assistant(6, 'I push it.', second),
			result(7, second, `[pier 3c4d5e6] Paint\n${rebased}\n${pushed}`),
		]);
		expect(text).toMatch(/second pier\. → committed: 7c41e9b \(#2\)$/m);
		expect(text).toMatch(/in red\. → committed: 9e63abd \(#7\)$/m);
	});

	it('an option behind the message amends the commit, too', () => {
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			...commit(1, '-m Berths', '7c41e9b'),
			...commit(3, '-m "Berths of all ferries" --amend', '8d52fac'),
		]);
		expect(text).not.toContain('committed: 7c41e9b');
	});

	it('an amended commit belongs to the requests of both versions', () => {
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			...commit(1, '-m Berths', '7c41e9b'),
			user(3, 'Name the pier in the same commit.'),
			...commit(4, '--amend --no-edit', '8d52fac'),
			assistant(6, 'The pier has a name now.'),
		]);
		expect(text.match(/committed: 8d52fac \(#5\)/g)).toHaveLength(2);
		expect(text).not.toContain('committed: 7c41e9b');
	});

	it('the state names the commits of the newest request in order', () => {
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			...commit(1, '-m Pier', '5a20f3c'),
			user(3, 'Split the rest into several commits.'),
			...commit(4, '-m Berths', '7c41e9b'),
			...commit(6, '-m Tides', '8d52fac'),
			...commit(8, '-m Names', '9e63abd'),
			assistant(10, 'It is committed.'),
		]);
		expect(text).toMatch(
			/^State: .*commit 9e63abd on branch pier \(#9\) after 7c41e9b \(#5\), 8d52fac \(#7\)/m,
		);
	});

	it.each([
		'git reset --soft main',
		'git reset 1b2c3d4',
		'git -C /srv/harbour reset --hard 1b2c3d4',
		'git filter-repo --force',
		'git rebase -q -i --autosquash HEAD~2',
	])('commits that were replaced are not named: %s', (command) => {
		const reset = call(tool, createArgs(command));
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			...commit(1, '-m Berths', '7c41e9b'),
			assistant(3, 'I squash them.', reset),
			result(4, reset, ''),
			...commit(5, '-m Pier', '8d52fac'),
			assistant(7, 'It is committed.'),
		]);
		expect(text).toMatch(/^State: .*commit 8d52fac on branch pier \(#6\)(?! after)/m);
		expect(text).toMatch(/→ committed: 8d52fac \(#6\)/);
	});

	it('the state names no commits in other folders', () => {
		const inOther = call(tool, createArgs('cd /srv/quay && git commit -am Quay'));
		const inPier = call(tool, createArgs('cd /srv/pier && git commit -am Pier'));
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			assistant(1, 'I commit it.', inOther),
			result(2, inOther, '[pier 7c41e9b] Quay\n 1 file changed'),
			assistant(3, 'I commit it.', inPier),
			result(4, inPier, '[pier 8d52fac] Pier\n 1 file changed'),
			assistant(5, 'It is committed.'),
		]);
		expect(text).toMatch(/^State: .*commit 8d52fac on branch pier \(#4\)(?! after)/m);
	});

	it('a commit is found below other lines of its output', () => {
		const made = call(tool, createArgs('git checkout -b pier && git commit -am Berths'));
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			assistant(1, 'I commit it.', made),
			result(2, made, "Switched to a new branch 'pier'\n[pier 7c41e9b] Berths\n 1 file changed"),
		]);
		expect(text).toContain('→ committed: 7c41e9b (#2)');
	});

	it.each(['Why is the pier written in Python?', 'wait, what is a berth?'])(
		'a question about the work is not followed by a commit: %s',
		(question) => {
			const text = summaryOf([
				user(0, 'Make the ferry berth at the second pier.'),
				assistant(1, 'I look.'),
				user(2, question),
				assistant(3, 'Because it was. I go on.'),
				...commit(4, '-m Berths', '7c41e9b'),
				assistant(6, 'It is committed.'),
			]);
			expect(text).toMatch(/second pier\. → committed: 7c41e9b \(#5\)/);
		},
	);

	it('a commit whose message names the option amends nothing', () => {
		const text = summaryOf([
			user(0, 'Make the ferry berth at the second pier.'),
			...commit(1, '-m Berths', '7c41e9b'),
			...commit(3, '-m "Explain" -m "use git commit with --amend"', '8d52fac'),
			assistant(5, 'The ferry berths there now.'),
		]);
		expect(text).toContain('→ committed: 7c41e9b (#2), 8d52fac (#4)');
	});

	it('a request not to forget the commit is followed by it', () => {
		const text = summaryOf([
			user(0, "Rename it, and don't forget to commit."),
			...commit(1, '-m Berths', '7c41e9b'),
		]);
		expect(text).toContain('→ committed: 7c41e9b (#2)');
	});

	it.each(['Can we not commit the notes?', 'Fix it without a commit.', 'Bitte nicht committen.'])(
		'a request that forbids a commit is not followed by one: %s',
		(request) => {
			expect(summaryOf([user(0, request), ...commit(1, '-m Berths', '7c41e9b')])).toContain(
				`[#0 user] ${request}\n`,
			);
		},
	);
});

const bash = (command: string) => call('Bash', { command });

describe("commits for the user's requests", () => {
	const committed = (name: string): [Source['calls'][number], string] => [
		bash('git commit -am work'),
		`[main ${name}] Work\n 1 file changed`,
	];

	it('a request is followed by its commits', () => {
		const text = summaryOf([
			user(1, 'Fix the login.'),
			...done(2, committed('7c41e9b')),
			user(6, 'Now the search.'),
			...done(7, [bash('ls')]),
		]);
		expect(text).toContain('[#1 user] Fix the login. → committed: 7c41e9b (#3)');
		expect(text).toMatch(/\[#6 user\] Now the search\.$/m);
	});

	it.each(['git reset --soft HEAD~1', 'git reset HEAD^'])(
		'a request is not followed by a commit that was taken back: %s',
		(command) => {
			const text = summaryOf([
				user(1, 'Fix the login.'),
				...done(2, committed('7c41e9b'), committed('8d52fac'), [bash(command), '']),
				user(8, 'Go on.'),
			]);
			expect(text).toContain('→ committed: 7c41e9b (#3)');
			expect(text).not.toContain('committed: 8d52fac');
		},
	);

	it('a request is not followed by a reverted commit', () => {
		const text = summaryOf([
			user(1, 'Fix the login.'),
			...done(2, committed('7c41e9b'), [bash('git revert --no-edit HEAD'), 'Reverted.']),
			user(6, 'Go on.'),
		]);
		expect(text).not.toContain('committed: 7c41e9b');
	});
});
