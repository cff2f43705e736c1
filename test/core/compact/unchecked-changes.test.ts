import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sessionOfCalls, summaryOf } from './summaries.ts';

describe('changes of files without a check', () => {
	it.each<[string, ToolCall | undefined, boolean]>([
		['nothing', undefined, true],
		['a search', call('Grep', { pattern: 'total' }), true],
		['a plan', call('TodoWrite', { todos: [{ content: 'Test it', status: 'pending' }] }), true],
		['a script', call('exec_command', { cmd: 'python3 /srv/reproduce.py' }), false],
		['a tool that may run tests', call('mcp__ide__run_project', { name: 'totals' }), false],
	])('are reported as unchecked, or not, after %s', (_, later, isUnchecked) => {
		const edit = call('Edit', { file_path: '/srv/totals.ts', old_string: 'one', new_string: 'two' });
		const text = summaryOf(
			[
				user(1, 'Repair the totals.'),
				assistant(2, '', edit),
				result(3, edit, 'done'),
				...(later ? [assistant(4, '', later), result(5, later, 'done')] : []),
				assistant(6, 'Done.'),
			],
			3000,
		);
		expect(text).toContain('State: changed, no commit seen: ');
		expect(text.includes('; no check seen')).toBe(isUnchecked);
	});
});

describe('a session that changed nothing', () => {
	const read = call('Read', { file_path: '/srv/totals.ts' });
	it.each<[string, ToolCall, boolean]>([
		['another read', call('Grep', { pattern: 'total', path: '/srv' }), true],
		['an edit', call('Edit', { file_path: '/srv/totals.ts', old_string: 'one', new_string: 'two' }), false],
		['a change by the shell', call('exec_command', { cmd: "sed -i 's/one/two/' /srv/totals.ts" }), false],
		['a removal', call('run_shell_command', { command: 'rm /srv/totals.ts' }), false],
		['a commit', call('Bash', { command: 'git commit -am Totals' }), false],
		['a sub-agent', call('Task', { prompt: 'Repair the totals.' }), false],
	])('is reported as one, or not, after %s', (_, later, isUnchanged) => {
		const sources = [...sessionOfCalls([read, 'done'], [later, 'done']), assistant(6, 'I go on.')];
		const text = summaryOf(sources, 3000);
		expect(text.includes('State: no file change seen')).toBe(isUnchanged);
	});

	it('is not reported as one if it read no files', () => {
		const search = call('search_flights', { from: 'DEN' });
		const sources = [...sessionOfCalls([search, '[]']), assistant(4, 'There is none.')];
		expect(summaryOf(sources, 3000)).not.toContain('no file change seen');
	});
});
