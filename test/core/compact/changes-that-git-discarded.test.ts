import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, filesOf, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const tracked = '/repo/src/berths.ts';
const added = '/repo/src/berthTable.ts';

/** How agents change a part of a file, create a file, and run a command. */
const agents: [
	agent: string,
	edit: (path: string) => ToolCall,
	write: (path: string) => ToolCall,
	run: (command: string) => ToolCall,
][] = [
	[
		'Claude Code',
		(file_path) => call('Edit', { file_path, old_string: 'berths = 4', new_string: 'berths = 9' }),
		(file_path) => call('Write', { file_path, content: 'export const berthTable = [];' }),
		(command) => call('Bash', { command }),
	],
	[
		'Codex',
		(path) =>
			call('apply_patch', {
				input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-berths = 4\n+berths = 9\n*** End Patch`,
			}),
		(path) =>
			call('apply_patch', {
				input: `*** Begin Patch\n*** Add File: ${path}\n+export const berthTable = [];\n*** End Patch`,
			}),
		(command) => call('shell', { command: ['bash', '-lc', command] }),
	],
	[
		'OpenCode',
		(filePath) => call('edit', { filePath, oldString: 'berths = 4', newString: 'berths = 9' }),
		(filePath) => call('write', { filePath, content: 'export const berthTable = [];' }),
		(command) => call('bash', { command }),
	],
	[
		'pi',
		(path) => call('edit', { path, oldText: 'berths = 4', newText: 'berths = 9' }),
		(path) => call('write', { path, content: 'export const berthTable = [];' }),
		(command) => call('bash', { command }),
	],
	[
		'Gemini CLI',
		(file_path) => call('replace', { file_path, old_string: 'berths = 4', new_string: 'berths = 9' }),
		(file_path) => call('write_file', { file_path, content: 'export const berthTable = [];' }),
		(command) => call('run_shell_command', { command }),
	],
];

const changedPaths = (...calls: ToolCall[]): string[] =>
	filesOf(calls.map((made, seq): Source => assistant(seq, '', made))).changed.map(({ path }) => path);

describe.each(agents)('changes that git discarded, in %s', (_, edit, write, run) => {
	it.each([
		'git switch -f main',
		'git -C /repo checkout -- src/berths.ts',
		'git -C /repo reset --hard',
		'git -c core.pager=cat restore src/berths.ts',
		'git switch --discard-changes main',
		'git checkout -f main',
		'git reset --hard HEAD',
		'git stash',
	])('a file that was not read before its edit is not listed as changed after %s', (command) => {
		expect(changedPaths(edit(tracked), write(added), run(command))).toEqual([added]);
	});

	it.each([
		'git reset --hard && git clean -fd',
		'git checkout -f main; git clean -xdf',
		'git stash --include-untracked',
		'git stash push -u -m "later"',
	])('a new file is not listed as changed either after %s', (command) => {
		expect(changedPaths(edit(tracked), write(added), run(command))).toEqual([]);
	});

	it.each(['git clean -nd', 'git clean', 'git switch main', 'git checkout main', 'git clean -nfd'])(
		'all files stay listed as changed after %s',
		(command) => {
			expect(changedPaths(edit(tracked), write(added), run(command))).toEqual([tracked, added]);
		},
	);

	it('git clean removes no file that was edited in part', () => {
		expect(changedPaths(edit(tracked), write(added), run('git clean -fd'))).toEqual([tracked]);
	});

	it('a file is not listed as changed if git restores it before a check that fails', () => {
		const restore = run(`git checkout -- ${tracked} && npm test`);
		const change = edit(tracked);
		const text = summaryOf(
			[
				user(0, 'Try nine berths.'),
				assistant(1, '', change),
				result(2, change, 'The file has been updated.'),
				assistant(3, '', restore),
				result(4, restore, 'Exit code: 1\nTests: 1 failed, 3 passed, 4 total', true),
			],
			4000,
		);
		expect(text).not.toContain('changed');
	});

	it('a summary lists no file as changed that a later visible message restores', () => {
		const change = edit(tracked);
		const restore = run('git reset --hard');
		const sources = [
			user(0, 'Try nine berths.'),
			assistant(1, '', change),
			result(2, change, 'The file has been updated.'),
		];
		const visible = [assistant(3, '', restore), result(4, restore, 'HEAD is now at 91ab3cd berths')];
		expect(summaryOf(sources, 4000)).toContain('changed: ');
		expect(summaryOf(sources, 4000, { visible })).not.toContain('changed: ');
	});
});

describe('removed folders', () => {
	it('a folder is not listed as removed after a file in it is written under its absolute path', () => {
		const remove = call('bash', { command: 'rm -rf src/legacy/' });
		const write = call('write', { path: '/repo/src/legacy/sync.ts', content: 'export {};' });
		expect(filesOf([assistant(1, '', remove), assistant(2, '', write)]).removed).toEqual([]);
	});
});
