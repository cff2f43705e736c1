import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const listing = (path: string): string =>
	`[File: ${path} (1998 lines total)]\r\n(1458 more lines above)\r\n1459:    self.weeks,\r\n1460:\r\n(Open file: ${path})`;

/** Returns a session of calls and their results. */
function session(...done: [made: ToolCall, output: string][]): Source[] {
	return [
		user(1, 'Fix the precision of the field.'),
		...done.flatMap(([made, output], index) => [
			assistant(2 + 2 * index, '', made),
			result(3 + 2 * index, made, output),
		]),
	];
}

/** Returns the lists of files in a summary of the session. */
const files = (...done: [made: ToolCall, output: string][]): string =>
	sectionIn(summaryOf(session(...done)), 'files');

describe('files that only the result of a call names', () => {
	it.each([
		call('edit', { search: 'int(value)', replace: 'int(round(value))' }),
		call('edit', { line_range: '10:20', text: 'return round(value)' }),
		call('insert', { text: 'import math' }),
	])('an edit of the open file lists that file as changed: %j', (made) => {
		expect(files([made, `Text replaced.\r\n${listing('/app/src/fields.py')}`])).toContain(
			'- changed: /app/src/fields.py',
		);
	});

	it('a scroll call lists the open file as read', () => {
		expect(files([call('scroll_down', {}), listing('/app/src/fields.py')])).toContain(
			'- read: /app/src/fields.py',
		);
	});

	it('a path in the call takes precedence over the open file', () => {
		const made = call('Edit', { file_path: 'src/a.ts', old_string: 'one', new_string: 'two' });
		const list = files([made, listing('/app/src/fields.py')]);
		expect(list).toContain('- changed: src/a.ts');
		expect(list).not.toContain('fields.py');
	});

	it("an open file in a command's output is not listed", () => {
		expect(
			files([call('bash', { command: 'cat session.log' }), listing('/app/src/fields.py')]),
		).not.toContain('fields.py');
	});

	it('the open file is listed as changed if a failed edit is repeated with success', () => {
		const edit = call('edit', { search: 'int(value)', replace: 'int(round(value))' });
		const again = call('edit', { search: 'int(value)', replace: '    int(round(value))' });
		const refused = `Your proposed edit has introduced new syntax error(s).\r\nERRORS:\r\n- E999 IndentationError: unexpected indent\r\n${listing('/app/src/fields.py')}`;
		const sources = session([edit, refused], [again, listing('/app/src/fields.py')]);
		const text = summaryOf(sources.map((one) => (one.text === refused ? { ...one, failed: true } : one)));
		expect(text).toContain('unexpected indent (passed later, #5)');
	});
});
