import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { call, logLines, result, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

/** Returns the placeholder of one large result in a turn in which everything else is protected. */
async function placeholderOf(tool: string, args: object, content: string, more: Partial<ChatMessage> = {}) {
	const session = await sessionWith(testWorld(), [
		user('u', 'Move the booking desk to the new ledger.'),
		call('c', ['c1'], tool, args),
		result('r', 'c1', content, { toolName: tool, ...more }),
	]);
	await compactNow(session, {
		targetTokens: 60,
		config: { enableSummarize: false, enableTruncate: false, pruneProtectTokens: 0, pruneMinimumSavings: 0 },
	});
	const shown = (await historyOf(session)).find(({ id }) => id === 'r');
	return String(shown?.content);
}

const log = logLines(120);
const edit = { file_path: 'src/desk.ts', old_string: 'open = 9', new_string: 'open = 7' };

/** Results as agents store them: the agent, its tool and arguments, what it stores, and what the placeholder must say. */
const failures: [agent: string, tool: string, args: object, content: string, outcome: RegExp][] = [
	[
		'Claude Code',
		'Bash',
		{ command: 'make all' },
		`Exit code 2\n${log}\nfatal: no ledger.h`,
		/; exit 2: .*no ledger\.h/,
	],
	[
		'Codex',
		'shell',
		{ command: ['make'] },
		`Process exited with code 2\nOutput:\n${log}\nerror: no ledger.h`,
		/; exit 2: .*no ledger\.h/,
	],
	[
		'Gemini CLI',
		'run_shell_command',
		{ command: 'make' },
		`Output: ${log}\nerror: no ledger.h\nExit Code: 2`,
		/; exit 2: .*no ledger\.h/,
	],
	[
		'OpenHands',
		'execute_bash',
		{ command: 'make' },
		`${log}\nerror: no ledger.h\n[The command completed with exit code 2.]`,
		/; exit 2: .*no ledger\.h/,
	],
	[
		'Claude Code',
		'Edit',
		edit,
		`<tool_use_error>String to replace not found in file.\n${log}</tool_use_error>`,
		/; failed: .*not found/,
	],
	[
		'Cline',
		'replace_in_file',
		edit,
		`The tool execution failed with the following error:\nno match for the block\n${log}`,
		/; failed: .*no match/,
	],
	[
		'SWE-agent',
		'edit',
		{ start_line: 4, replacement_text: 'open = 7' },
		`Your proposed edit has introduced new syntax error(s). Please read this error message.\n\nERRORS:\n\n- E999 IndentationError: unexpected indent\nThis is how your edit would have looked if applied\n${log}\nYour changes have NOT been applied.`,
		/; failed: .*(?:edit has introduced|IndentationError)/,
	],
	['Kimi', 'StrReplaceFile', edit, `The tool call is rejected by the user.\n${log}`, /; .*rejected/],
	[
		'a booking service',
		'book',
		{ seat: 4 },
		`{"error": "no seat left on HB-19F", "log": ${JSON.stringify(log)}}`,
		/; failed: .*no seat left/,
	],
];

it.each(failures)(
	'a cleared result of %s (%s) says that its call failed',
	async (_, tool, args, content, outcome) => {
		const text = await placeholderOf(tool, args, content);
		expect(text).toMatch(/\[Tool result cleared: \d+ tokens, original r; [^\n]{1,110}\]$/);
		expect(text).toMatch(outcome);
	},
);

it('a cleared result that its agent flags says that its call failed', async () => {
	expect(await placeholderOf('Read', { file_path: 'a.ts' }, log, { isError: true })).toMatch(/; failed\b/);
});

it('a cleared test run keeps its count of passed tests', async () => {
	const passed = await placeholderOf('Bash', { command: 'npx vitest run' }, `${log}\nTests  42 passed (42)`);
	expect(passed).toMatch(/; Tests\s+42 passed \(42\)\]$/);
});

it('a cleared result of a successful call names no outcome', async () => {
	expect(await placeholderOf('Bash', { command: 'cat build.log' }, log)).toMatch(/original r\]$/);
});

it('a cleared result keeps its first line until the agent has answered it', async () => {
	const ids = ['a', 'b', 'c'];
	const found = ids.map((id, index) =>
		result(`r-${id}`, id, `${12 + index} desks were found\n${log}`, { toolName: 'search' }),
	);
	const session = await sessionWith(testWorld(), [
		user('u', 'Move the booking desk to the new ledger.'),
		call('c', ids, 'search', { words: 'desk' }),
		...found,
	]);
	await compactNow(session, { targetTokens: 60, config: { pruneProtectTokens: 0, enableTruncate: false } });
	const shown = (await historyOf(session)).find(({ id }) => id === 'r-a');
	expect(shown?.content).toMatch(/^12 desks were found\n\[Tool result cleared: \d+ tokens, original r-a\]$/);
});

it('a result whose middle was cut says that its call failed', async () => {
	const session = await sessionWith(testWorld(), [
		user('u', 'Move the booking desk to the new ledger.'),
		call('c', ['c1'], 'Bash', { command: 'make all' }),
		result('r', 'c1', `${log}\n${log}\nfatal: no ledger.h\nExit code 2`, { toolName: 'Bash' }),
	]);
	await compactNow(session, { targetTokens: 60, config: { enableSummarize: false, enablePrune: false } });
	const shown = (await historyOf(session)).find(({ id }) => id === 'r');
	expect(shown?.content).toMatch(/tokens cut here; original r; exit 2: .*no ledger\.h …\]/);
});
