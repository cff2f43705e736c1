import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sessionOfCalls, summaryOf } from './summaries.ts';

const formats: [agent: string, command: ToolCall, running: string, poll: ToolCall][] = [
	[
		'Claude Code',
		call('Bash', { command: 'npm run ferry:sync', run_in_background: true }),
		'Command running in background with ID: b12. Output is being written to: /tmp/b12.output',
		call('BashOutput', { bash_id: 'b12' }),
	],
	[
		'Codex',
		call('exec_command', { cmd: 'npm run ferry:sync' }),
		'Wall time: 10.0 seconds\nProcess running with session ID 12\nOutput:\n',
		call('write_stdin', { session_id: 12, chars: '', yield_time_ms: 5000 }),
	],
	[
		'scripts of Codex',
		call('exec_command', { cmd: 'npm run ferry:sync' }),
		'Script running with cell ID 12\nWall time 10.0 seconds\nOutput:\n',
		call('wait', { cell_id: '12', yield_time_ms: 5000 }),
	],
	[
		'Copilot',
		call('bash', { command: 'npm run ferry:sync', description: 'Copy the ferries' }),
		'<command with shellId: 12 is still running after 30 seconds. Use read_bash to continue waiting for output, or stop_bash to stop it.>',
		call('read_bash', { shellId: '12', delay: 5 }),
	],
];

describe.each(formats)('a call that waits for a command of %s', (_, command, running, poll) => {
	const summaryAfter = (output: string, failed = false): string =>
		summaryOf([
			user(1, 'Copy the ferries.'),
			assistant(2, '', command),
			result(3, command, running),
			assistant(4, '', poll),
			result(5, poll, output, failed),
			assistant(6, 'The ferries are copied.'),
		]);

	it('is not shown, and the line of the command shows the outcome', () => {
		const text = summaryAfter('Copied 31 ferries to the new pier');
		expect(text).toMatch(/npm run ferry:sync.* → .*Copied 31 ferries/);
		expect(
			text.split('\n').filter((line) => line.includes(`${poll.name} `) && !line.startsWith('[')),
		).toEqual([]);
	});

	it('the line of the command shows a failure that the waiting call read', () => {
		expect(summaryAfter('Exit code 1\nError: the pier is closed', true)).toMatch(
			/npm run ferry:sync.* → exit 1: Error: the pier is closed/,
		);
	});
});

it.each([
	['Copilot', 3, call('stop_bash', { shellId: '12' }), '<command with id: 12 stopped>'],
	['Claude Code', 0, call('KillShell', { shell_id: 'b12' }), '{"message":"Successfully killed shell: b12"}'],
])('the line of a command that %s stopped says so', (_, format, stop, output) => {
	const [, command, running, poll] = formats[format] ?? [];
	if (!command || !running || !poll) throw new Error('the format is missing');
	const late: [ToolCall, string, boolean] = [poll, 'The shell was already stopped.', true];
	const text = summaryOf(sessionOfCalls([command, running], [stop, output], late));
	expect(text).toMatch(/npm run ferry:sync.* → stopped$/m);
});

it.each([
	'Shell b12 is not running, so cannot be killed (status: completed)',
	'write_stdin failed: Unknown process id 12',
	'The shell was already stopped.',
])('a command does not fail because a call reached it too late: %s', (refusal) => {
	const [, command, running, poll] = formats[0] ?? [];
	if (!command || !running || !poll) throw new Error('the format of Claude Code is missing');
	const text = summaryOf(
		sessionOfCalls([command, running], [poll, 'Copied 31 ferries to the new pier'], [poll, refusal, true]),
	);
	expect(text).toMatch(/npm run ferry:sync.* → .*Copied 31 ferries/);
});

it('input to a running command is shown', () => {
	const [, command, running] = formats[1] ?? [];
	if (!command || !running) throw new Error('the format of Codex is missing');
	const answer = call('write_stdin', { session_id: 12, chars: 'yes, overwrite\n' });
	const text = summaryOf(sessionOfCalls([command, running], [answer, 'Copied 31 ferries']));
	expect(text).toContain('yes, overwrite');
});

it('a notice of Copilot that a command ended is not quoted as a message', () => {
	const notice =
		'<system_notification>\nShell command "Copy the ferries" (shellId: 12) has completed successfully. Use read_bash with shellId "12" to retrieve the output.\n</system_notification>';
	const text = summaryOf([user(1, 'Copy the ferries.'), user(2, notice), assistant(3, 'They are copied.')]);
	expect(text).not.toContain('retrieve the output');
	const merged = summaryOf([user(1, 'Copy the ferries.'), user(2, `${notice}\n\nNow paint the pier.`)]);
	expect(merged).toContain('Now paint the pier.');
});
