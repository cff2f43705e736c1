import { describe, expect, it } from 'vitest';
import { renderCallHead, splitArguments } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, readResult, user } from './facts-sources.ts';
import { sessionOfCalls, summaryOf } from './summaries.ts';

const path = '/srv/ferry/fares.py';
const made = (command: string, args: object = {}) => call('str_replace_editor', { command, path, ...args });
const shown = `Here's the result of running \`cat -n\` on ${path}:\n     1\tdef fare(berth):\n     2\t    return berth * 7\n`;
const edit = made('str_replace', { old_str: '    return berth * 7', new_str: '    return berth * 9 + pier' });
const edited = `The file ${path} has been edited. ${shown.replace('berth * 7', 'berth * 9 + pier')}`;

describe('an editor tool whose command names an action on a file', () => {
	it('a summary shows the new lines of an edit, and what was read has no outcome', () => {
		const text = summaryOf(
			[
				...sessionOfCalls([made('view', { view_range: [1, 2] }), shown], [edit, edited]),
				assistant(6, 'The fare counts the pier now.'),
			],
			2000,
		);
		expect(text).toContain('(the newest edit) return berth * 9 + pier');
		expect(text).not.toContain('return berth * 7');
		expect(text).not.toContain('→');
	});

	it('a failed edit says why it failed, not a line of the text that it looked for', () => {
		const refused =
			'No replacement was performed, old_str `    if pier:\n        total = 3` did not appear verbatim in fares.py.';
		const text = summaryOf(
			[...sessionOfCalls([edit, refused, true]), assistant(4, 'I look at the file again.')],
			2000,
		);
		expect(text).toContain('failed: No replacement was performed');
	});

	it('a later view of a file does not mean that a failed edit of it passed', () => {
		const calls: [typeof edit, string, boolean?][] = [
			[edit, 'No replacement was performed, old_str did not appear verbatim.', true],
			[made('view', { view_range: [1, 2] }), shown],
		];
		const text = summaryOf([...sessionOfCalls(...calls), assistant(6, 'I see the lines.')], 2000);
		expect(text).toContain('→ failed');
		expect(text).not.toContain('passed later');
	});

	it('a call begins with its action, without the name of the argument', () => {
		const view = made('view', { limit: 20, security_risk: 'LOW' });
		expect(renderCallHead(view.name, splitArguments(view).short)).toBe(
			`str_replace_editor view ${path} limit=20`,
		);
	});

	it('a command of a shell may have the name of an action', () => {
		const run = call('bash', { command: 'view' });
		const text = summaryOf([...sessionOfCalls([run, 'berth 7 is free']), assistant(4, 'It is free.')], 2000);
		expect(text).toContain('berth 7 is free');
	});

	it('a view of a long file shows neither line numbers nor the marks of left-out lines', () => {
		const view = made('view');
		const lines = [
			'<NOTE>This file is too large to display entirely. Showing abbreviated version.</NOTE>',
			'     1 class Ferry:',
			'     2 ... eliding lines 2-40 ...',
			'    41 ',
			'    42     def moor(self, berth):',
			'    43 ... eliding lines 43-88 ...',
			'<IMPORTANT><NOTE>The above file has been abbreviated.</NOTE></IMPORTANT>',
		];
		const text = summaryOf(
			[
				user(1, 'Where does the ferry moor?'),
				assistant(2, '', view),
				readResult(3, view, lines.join('\r\n')),
				assistant(4, 'It moors in the class Ferry.'),
			],
			2000,
		);
		expect(text).toContain('def moor(self, berth):');
		expect(text).not.toMatch(/eliding|<NOTE>|^ ?4[12]\b/m);
	});

	const undo = made('undo_edit');
	const undone = `Last edit to ${path} undone successfully. ${shown}`;

	it('edits that were taken back are no changes', () => {
		const text = summaryOf(
			[
				...sessionOfCalls([edit, edited], [edit, edited], [undo, undone], [undo, undone]),
				assistant(10, 'All is back.'),
			],
			2000,
		);
		expect(text).toContain('[#4] (undone in #6) str_replace_editor');
		expect(text).not.toMatch(/changed|newest edit/);
	});

	it.each([
		[
			'another edit remains',
			[
				[edit, edited],
				[edit, edited],
				[undo, undone],
			],
		],
		[
			'nothing could be taken back',
			[
				[edit, edited],
				[undo, `No edit history found for ${path}.`],
			],
		],
	])('a file is changed if %s', (_, calls) => {
		const made = calls.map(([one, output]) => [one, output, `${output}`.startsWith('No ')] as never);
		const text = summaryOf([...sessionOfCalls(...made), assistant(10, 'I go on.')], 2000);
		expect(text).toMatch(/^State: changed, no commit seen: .*fares\.py/m);
	});

	it('a result that names no edit history, or a file that changed, is a failure', () => {
		expect(readResult(3, undo, `No edit history found for ${path}.`).failed).toBe(true);
		const refused = 'File has been modified since read, either by the user or by a linter. Read it again.';
		expect(readResult(3, call('Edit', { file_path: path }), refused).failed).toBe(true);
	});
});
