import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

function summaryAfter(made: ToolCall, output: string): string {
	const messages = [
		user(0, 'Sum all rows.'),
		assistant(1, 'I rename it.', made),
		result(2, made, output, true),
	];
	return summaryOf([...messages, assistant(3, 'The file has other lines.')], 2000);
}

const patch =
	'*** Begin Patch\n*** Update File: src/sum.ts\n@@\n-let total = 0;\n+let sum = 0;\n*** End Patch';

describe('refused edits', () => {
	it.each([
		[
			'Claude Code',
			call('Edit', { file_path: 'src/sum.ts', old_string: 'let total = 0;', new_string: 'let sum = 0;' }),
			'String to replace not found in file.',
		],
		[
			'Gemini CLI',
			call('replace', { file_path: 'src/sum.ts', old_string: 'let total = 0;', new_string: 'let sum = 0;' }),
			'Failed to edit, 0 occurrences found for old_string in src/sum.ts. No edits made.',
		],
		[
			'Cline',
			call('replace_in_file', { path: 'src/sum.ts', diff: 'let total = 0;' }),
			'The tool execution failed with the following error: The block was not found.',
		],
		[
			'pi',
			call('edit', { path: 'src/sum.ts', oldText: 'let total = 0;', newText: 'let sum = 0;' }),
			'Could not find the exact text in src/sum.ts.',
		],
	])('the reason of a refused edit is the report, not a line that it quotes, in %s', (_, made, report) => {
		const text = summaryAfter(
			made,
			`${report.replace('error: ', 'error:\n')}\nlet total = 0; // throws an error: no rows`,
		);
		expect(text).toContain(`→ failed: ${report}`);
		expect(text).not.toContain('no rows');
	});

	it.each([
		[
			'Codex',
			call('apply_patch', { input: patch }),
			'apply_patch verification failed: Failed to find expected lines in /home/me/work/shop/src/sum.ts:\n',
			'Failed to find expected lines in …/shop/src/sum.ts: let total = 0;',
		],
		[
			'Claude Code',
			call('Edit', { file_path: 'src/sum.ts', old_string: 'let total = 0;', new_string: 'let sum = 0;' }),
			'String to replace not found in file.\nString: ',
			'String to replace not found in file. String: let total = 0;',
		],
	])('a refused edit shows the first line that was not found, in %s', (_, made, report, shown) => {
		const text = summaryAfter(made, `${report}let total = 0;\nlet rest = 1;`);
		expect(text).toContain(shown);
		expect(text).not.toContain('let rest');
	});

	it.each(['Bash', 'bash', 'shell', 'run_shell_command'])(
		'a command that the user interrupted is not shown as refused: %s',
		(name) => {
			const text = summaryAfter(call(name, { command: './import --all' }), '[Request interrupted by user]');
			expect(text).toContain('./import --all → interrupted by the user');
			expect(text).not.toContain('refused');
		},
	);
});
