import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sessionOfCalls, summaryOf } from './summaries.ts';

type Call = Source['calls'][number];

/** Returns a result as its agent stores it, without a flag for the failure. */
function unflagged(seq: number, { id, name }: Call, content: string): Source {
	const row = { seq, id: `id-${seq}`, tool: name, answers: id };
	return createSource(row, { id: row.id, role: 'tool', toolCallId: id, toolName: name, content });
}

function talk(one: Call, content: string): Source[] {
	return [
		user(1, 'Go on with the booking desk.'),
		assistant(2, 'I do that now.', one),
		unflagged(3, one, content),
		assistant(4, 'Let me look at something else.'),
		user(5, 'Fine.'),
	];
}

const edit = (name: string) =>
	call(name, {
		file_path: 'src/desk.ts',
		old_string: 'const open = 9;',
		new_string: 'const opensEarly = openAt(7);',
	});

/** Results of calls that changed nothing, each with a text that a summary must show. */
const refusedEdits: [agent: string, tool: string, result: string, shown: string][] = [
	[
		'Claude Code',
		'Edit',
		"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).",
		'refused by the user',
	],
	[
		'Claude Code',
		'Edit',
		'<tool_use_error>String to replace not found in file.</tool_use_error>',
		'not found',
	],
	[
		'Codex',
		'apply_patch',
		'apply_patch verification failed: Failed to find expected lines',
		'verification failed',
	],
	['Gemini CLI', 'replace', '[Operation Cancelled] Reason: User did not allow tool call', 'Cancelled'],
	['OpenCode', 'edit', 'Error: oldString not found in content', 'oldString not found'],
	['Claude Code', 'Edit', '<tool_use_error>Sibling tool call errored</tool_use_error>', 'cancelled, because'],
	['Cline', 'replace_in_file', 'The user denied this operation.', 'denied'],
	['Cline', 'replace_in_file', 'The tool execution failed with the following error:\nno match', 'failed'],
	[
		'Kimi',
		'StrReplaceFile',
		'The tool call is rejected by the user. Please follow their instructions.',
		'rejected',
	],
	[
		'OpenHands',
		'str_replace_editor',
		'ERROR:\nNo replacement was performed, old_str did not appear',
		'No replacement',
	],
	['pi', 'edit', 'Could not find the exact text in src/desk.ts.', 'Could not find'],
	[
		'OpenHands',
		'str_replace_editor',
		"Ran into [Errno 2] No such file or directory: 'src/desk.ts' while trying to write to src/desk.ts",
		'Ran into',
	],
	[
		'Cline',
		'replace_in_file',
		"[replace_in_file for 'src/desk.ts'] Result:\nThe SEARCH block does not match anything in the file.",
		'does not match',
	],
	['Roo', 'apply_diff', '<error>\nUnable to apply diff to file: src/desk.ts\n</error>', 'Unable to apply'],
	['Gemini CLI', 'replace', 'Failed to edit, 0 occurrences found for old_string.', '0 occurrences'],
	['aider', 'apply_edit', '1 SEARCH/REPLACE block failed to match!', 'failed to match'],
	['Codex', 'apply_patch', 'patch rejected: writing outside of the project', 'rejected'],
	['an MCP server', 'edit_file', "ENOENT: no such file or directory, open 'src/desk.ts'", 'ENOENT'],
	[
		'a tool in Python',
		'edit_file',
		'Traceback (most recent call last):\n  File "/opt/tools/edit.py", line 9, in <module>\nPermissionError: [Errno 13]',
		'PermissionError',
	],
	['SWE-agent', 'insert', 'src/desk.ts is a directory', 'is a directory'],
];

/** Results of successful calls that repeat code, paths or arguments with words such as "failed" and "not found". */
const acceptedEdits: [tool: string, result: string][] = [
	['Edit', 'The file src/desk.ts has been updated.\n1\tthrow new Error("Failed to apply: no such file");'],
	['write_to_file', 'The content was successfully saved to src/not found.ts.'],
	['replace', "Replaced 'file does not exist' in src/desk.ts."],
	['apply_patch', 'Success. Updated the following files:\nM docs/failed edits.md'],
	['edit_file', '```diff\n+ Could not find the exact text\n```'],
	['edit', '{"path": "src/desk.ts", "notice": "Unable to open is now a warning."}'],
	['insert', 'Edit of `cannot open` done: 0 failed'],
	['str_replace_editor', 'The file /srv/fixtures/invalid/desk.ts has been edited.'],
	['Edit', 'The file src/invalid.ts has been updated.'],
	['write_to_file', '<file_write_result>\n<path>src/rejected/desk.ts</path>\n</file_write_result>'],
	['move_file', 'src/invalid/desk.ts -> src/refused/desk.ts'],
	['str_replace_based_edit_tool', '1: // Refuses invalid desks.\n2: export const desk = 1;'],
	['dispatch_agent', 'The desk opens at seven; its door cannot be opened from outside.'],
	['lookup_credit', 'Customer 12: credit denied in May'],
	['getUpdatedOrders', 'Order 12: its payment failed on Monday'],
	['create_ticket', 'Ticket T-12 opened: the customer cannot log in'],
];

describe('failed or refused calls without a flag', () => {
	it.each(refusedEdits)(
		'an edit of %s (%s) that failed is shown with its outcome and without its content',
		(_, tool, result, shown) => {
			const text = summaryOf(talk(edit(tool), result));
			expect(text).toMatch(new RegExp(`${tool} src/desk\\.ts → .*${shown}`));
			expect(text).not.toContain('opensEarly');
		},
	);

	it.each(acceptedEdits)('an edit by %s that succeeded is not shown as failed: %s', (tool, result) => {
		expect(summaryOf(talk(edit(tool), result))).not.toContain('→ failed');
	});

	it.each([
		['Error handling', 'All calls return a result.'],
		['Invalid dates', '- 31 June'],
		['ENOENT means that a file is missing.', 'EACCES means that it may not be opened.'],
	])('a file that begins with a word of failures is not shown as a failed read: %s', (...lines) => {
		const read = call('read_file', { path: 'docs/desk.md' });
		expect(summaryOf(talk(read, lines.join('\n')))).not.toContain('→ failed');
	});

	it('a sub-agent that found nothing to change did not fail', () => {
		const ask = call('Task', { prompt: 'Check the desk.' });
		expect(summaryOf(talk(ask, 'No changes were needed: the desk works.'))).not.toContain('→ failed');
	});

	it.each([
		['Task', { prompt: 'List the 14 desks that open early.' }],
		['Agent', { description: 'desks', prompt: 'List the 14 desks that open early.' }],
	])('a sub-agent that its provider refused has failed, and its task is marked: %s', (name, args) => {
		const answer = 'API Error: 429 {"error":{"message":"Rate limit reached for requests"}}';
		const text = summaryOf(talk(call(name, args), answer));
		expect(text).toContain('→ failed: API Error: 429');
	});

	it('a file that could not be created is not listed as changed', () => {
		const create = call('str_replace_editor', {
			command: 'create',
			path: '/srv/hello.py',
			file_text: 'pass',
		});
		const text = summaryOf(
			talk(create, 'Ran into [Errno 2] No such file or directory while trying to write'),
		);
		expect(text).not.toContain('- changed');
	});

	it.each([
		['that follows the patch', (patch: string) => `${patch}npm test`],
		['before the patch', (patch: string) => `sed -i s/one/two/ src/desk.ts && ${patch}`],
	])('a file that a script changed is listed although a command failed %s', (_, script) => {
		const patch =
			"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/desk.ts\n@@\n-one\n+two\n*** End Patch\nEOF\n";
		const run = call('Bash', { command: script(patch) });
		expect(summaryOf(talk(run, 'Exit code 1\nTests: 3 failed'))).toContain('- changed: src/desk.ts');
	});

	const patch = '*** Begin Patch\n*** Update File: src/desk.ts\n@@\n-one\n+two\n*** End Patch';

	it.each([
		['shell', { command: ['apply_patch', patch] }, 'error: '],
		['shell_command', { command: `apply_patch <<'EOF'\n${patch}\nEOF` }, 'apply_patch verification failed: '],
		['apply_patch', { input: patch }, 'apply_patch verification failed: '],
	])(
		'lines that a patch of Codex did not find are not quoted as lines of the file: %s',
		(name, args, start) => {
			const report = `${start}Failed to find expected lines in /home/me/shop/src/desk.ts:`;
			const text = summaryOf(
				talk(call(name, args), `${report}\nconst open = 9;\nconst closesLateAtNight = 23;`),
			);
			expect(text).toContain('→ failed: ');
			expect(text).toContain(': const open = 9;');
			expect(text).not.toContain('closesLateAtNight');
			expect(text).not.toMatch(/^- changed/m);
		},
	);

	it('a patch that a command could not apply changes no file', () => {
		const apply = call('shell', { command: ['apply_patch', patch] });
		const text = summaryOf(talk(apply, 'apply_patch verification failed: Failed to find expected lines'));
		expect(text).not.toContain('- changed');
	});

	it.each([
		'Error: no place left on HB-19F',
		'{"error": "no place left on HB-19F"}',
		'{"success": false, "message": "no place left on HB-19F"}',
	])('a failed call of a service is shown with its outcome: %s', (result) => {
		const text = summaryOf(talk(call('change_leg', { leg: 'L-901', sailing: 'HB-19F' }), result));
		expect(text).toMatch(/change_leg L-901 HB-19F → failed: .*no place left/);
	});

	it('a refused plan is shown as refused, without its content', () => {
		const plan = call('ExitPlanMode', { plan: '# Plan\nReplace the ledger by a queue, because it is slow.' });
		const text = summaryOf(talk(plan, "The user doesn't want to proceed with this tool use."));
		expect(text).toContain('ExitPlanMode → refused by the user');
		expect(text).not.toContain('queue');
	});

	it('a failed update of the task list keeps the earlier list', () => {
		const todos = (content: string) => call('TodoWrite', { todos: [{ content, status: 'pending' }] });
		const [first, second] = [todos('write the tests'), todos('rewrite everything')];
		const text = summaryOf([
			user(1, 'Plan it.'),
			assistant(2, '', first),
			unflagged(3, first, 'Todos have been modified successfully.'),
			assistant(4, '', second),
			unflagged(5, second, 'Error: the list is locked'),
		]);
		expect(text).toContain('write the tests');
		expect(text).not.toContain('rewrite everything');
	});

	it('an error in the output of a command that only shows a file is not a failure', () => {
		const text = summaryOf(talk(call('Bash', { command: 'cat error.log' }), 'Error: disk full'));
		expect(text).not.toContain('failed');
	});

	it('a document about errors is not a failure', () => {
		const text = summaryOf(
			talk(call('Read', { file_path: 'a.md' }), '# Error handling\nEach error has a code.'),
		);
		expect(text).not.toContain('failed');
	});
});

describe('calls without a result', () => {
	const sleep = call('Bash', { command: './migrate --all' });
	const look = call('Bash', { command: 'ls' });
	const before = [
		user(1, 'Migrate.'),
		assistant(2, '', look),
		unflagged(3, look, 'a.sql'),
		assistant(4, '', sleep),
	];

	it('a call without a result in an earlier turn is shown as interrupted', () => {
		expect(summaryOf([...before, user(5, 'Stop, not yet.')])).toContain(
			'./migrate --all → interrupted, no result',
		);
	});

	it('a call of a tool that never answers is not shown as interrupted if the agent went on', () => {
		const search = call('web_search_call', { query: 'migrate a full disk' });
		const sources = [...before.slice(0, 3), assistant(4, '', search), assistant(5, 'I read about it.')];
		expect(summaryOf([...sources, user(6, 'Go on.')])).not.toContain('interrupted');
		expect(summaryOf([...sources.slice(0, 4), user(6, 'Stop.')])).toContain('→ interrupted, no result');
	});

	it('a command whose empty result was not recorded is not shown as interrupted, and its effect counts', () => {
		const removal = call('Bash', { command: 'rm old.sql' });
		const text = summaryOf([
			...before.slice(0, 3),
			assistant(4, '', removal),
			assistant(5, 'It is gone.'),
			user(6, 'Go on.'),
		]);
		expect(text).not.toContain('interrupted');
		expect(text).toContain('- removed: old.sql');
	});

	it('a search whose empty result was not recorded has found nothing if the agent went on, unlike a check', () => {
		const search = call('Bash', { command: 'grep -n tide a.sql' });
		const check = call('Bash', { command: 'npm test' });
		const text = summaryOf([
			...before.slice(0, 3),
			assistant(4, '', search),
			assistant(5, '', check),
			assistant(6, '', look),
			unflagged(7, look, 'a.sql'),
			user(8, 'Go on.'),
		]);
		expect(text).toMatch(/grep -n tide a\.sql → no (?:output|match)/);
		expect(text).not.toContain('npm test →');
	});

	it('parallel calls with one id are answered in their order', () => {
		const [first, second] = [
			{ ...call('Bash', { command: './migrate --north' }), id: 'call' },
			{ ...call('Bash', { command: './migrate --south' }), id: 'call' },
		];
		const text = summaryOf([
			user(1, 'Migrate.'),
			assistant(2, '', first, second),
			result(3, first, 'Error: north is locked', true),
			result(4, second, 'moved 31 rows of the south'),
			user(5, 'Good.'),
		]);
		expect(text).toMatch(/--north → failed: Error: north is locked/);
		expect(text).toMatch(/--south → moved 31 rows/);
	});

	it('a call without a result in the current turn is not shown as interrupted', () => {
		expect(summaryOf(before)).not.toContain('interrupted');
	});
});

describe('a failed call whose arguments are no object', () => {
	it.each(['{"half', '', null, 7, ['ls']])('with the arguments %j is shown', (args) => {
		const made = call('read', args);
		const text = summaryOf([
			user(1, 'Read it.'),
			assistant(2, '', made),
			result(3, made, 'No such file', true),
		]);
		expect(text).toContain('read');
	});
});

describe('calls of one message', () => {
	const edits = ['pier', 'quay', 'berth'].map((name) =>
		call('Edit', { file_path: `/shop/${name}.tex`, old_string: 'deep', new_string: 'very deep water' }),
	);
	const [first, second, third] = edits as [Call, Call, Call];
	const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";

	it('that the user refused together are counted next to the one that is shown', () => {
		const text = summaryOf([
			user(1, 'Say that the water is deep.'),
			assistant(2, '', ...edits),
			...edits.map((edit, index) => result(3 + index, edit, refusal, true)),
			user(6, 'Wait, only the pier is deep.'),
		]);
		expect(text).toMatch(/Edit \S+\.tex → refused by the user \(as 2 other calls\)/);
	});

	it('change no file as long as they have no result', () => {
		const sources = [
			user(1, 'Say that the water is deep.'),
			assistant(2, 'I edit the pier.', first),
			result(3, first, 'The file /shop/pier.tex has been updated.'),
			assistant(4, 'I edit the others.', second, third),
			result(5, second, 'The file /shop/quay.tex has been updated.'),
		];
		const state = summaryOf(sources, 3000)
			.split('\n')
			.find((line) => line.startsWith('State: '));
		expect(state).toMatch(/^State: changed[^;]*pier\.tex[^;]*;/);
		expect(state).toContain('quay.tex');
		expect(state).not.toMatch(/changed[^;]*berth\.tex/);
		expect(state).toMatch(/no result yet: Edit \S*berth\.tex/);
	});
});

describe('a script that failed after a change', () => {
	const script = "python3 - <<'EOF'\nwrite('pier.py')\nprint('Patched pier.py.')\nEOF\n&& cat pier.py";
	const error = 'bash: -c: line 5: syntax error near unexpected token `&&';

	it.each([
		['bash', { command: script }, `Patched pier.py.\n${error}`],
		['exec_command', { cmd: script }, `Process exited with code 2\nOutput:\nPatched pier.py.\n${error}`],
	])('shows what it says that it changed before the error: %s', (tool, args, output) => {
		const text = summaryOf(sessionOfCalls([call(tool, args), output, true]));
		expect(text).toContain(`${error} (after: Patched pier.py.)`);
	});
});
