import { describe, expect, it } from 'vitest';
import { countReplacedCommits, listGitCommands } from '../../../server/core/analysis/shell/gitCommands.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { call, user } from './facts-sources.ts';
import { sessionOfCalls, summaryOf } from './summaries.ts';

/** Returns the summary of a session that commits 7c41e9b and then runs a command. */
function summaryAfter(run: (command: string) => ToolCall, command: string, output: string): string {
	return summaryOf([
		...sessionOfCalls(
			[run('git commit -qam Berths && git log -1 --oneline'), '[pier 7c41e9b] Berths'],
			[run(command), output],
		),
		user(90, 'Go on.'),
	]);
}

describe('commits that later commands replace', () => {
	it.each([
		['git reset --soft HEAD~2', 2],
		['git reset HEAD^', 1],
		['git reset --hard HEAD^^', 2],
		['git reset --hard @~', 1],
		['git reset 1b2c3d4', Infinity],
		['git reset --hard main', Infinity],
		['git -C /srv/harbour reset --hard origin/main', Infinity],
		['git rebase -i HEAD~3', Infinity],
		['git filter-branch --msg-filter cat HEAD', Infinity],
		['git rebase --abort', 0],
		['git reset', 0],
		['git reset --hard HEAD', 0],
		['git reset src/pier.ts', 0],
		['git reset HEAD~1 src/pier.ts', 0],
		['git reset HEAD~1 -- src', 0],
		['git log HEAD~2', 0],
	])('the number of commits that a command replaces: %s', (command, count) => {
		expect(listGitCommands(command).map(countReplacedCommits)).toEqual([count]);
	});

	const agents: [string, (command: string) => ToolCall][] = [
		['Claude Code', (command) => call('Bash', { command })],
		['Codex', (command) => call('shell', { command: ['bash', '-lc', command] })],
	];

	describe.each(agents)('in %s', (_, run) => {
		it.each([
			['git filter-repo --force', ''],
			['git -C /srv/harbour reset --hard HEAD~1', 'HEAD is now at 1b2c3d4 Tides'],
			['git pull -q --rebase', ''],
		])('neither the state nor a request names a replaced commit: %s', (command, output) => {
			expect(summaryAfter(run, command, output)).not.toMatch(/^State:.*7c41e9b|committed: 7c41e9b/m);
		});

		it.each([
			['git rebase --abort', ''],
			['git pull --rebase', 'Current branch pier is up to date.'],
			['git reset HEAD~1 src/pier.ts', ''],
			['git reset HEAD', ''],
		])('the state and the request name a commit that a command keeps: %s', (command, output) => {
			const text = summaryAfter(run, command, output);
			expect(text).toMatch(/^State:.*commit 7c41e9b/m);
			expect(text).toMatch(/committed: 7c41e9b/);
		});
	});
});
