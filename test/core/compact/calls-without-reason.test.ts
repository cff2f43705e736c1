import { describe, expect, it } from 'vitest';
import { judgeCall } from '../../../server/core/analysis/calls/callEnd.ts';
import type { CallEnd } from '../../../server/core/analysis/message/callOutcome.ts';
import { call, result } from './facts-sources.ts';
import { ran, summaryOf } from './summaries.ts';

/** Formats that mark a failed call, but do not state its exit code. */
const flaggedFormats: [tool: string, args: (command: string) => unknown][] = [
	['command_execution', (command) => ({ command: `bash -lc '${command}'` })],
	['shell', (command) => ({ command: ['bash', '-lc', command] })],
	['Bash', (command) => ({ command })],
];
const codeFormats: [tool: string, args: (command: string) => unknown, wrap: (output: string) => string][] = [
	['Bash', (command) => ({ command }), (output) => `Exit code 1\n${output}`],
	[
		'exec_command',
		(cmd) => ({ cmd }),
		(output) => `Chunk ID: 1\nProcess exited with code 1\nOutput:\n${output}\n`,
	],
	['run_shell_command', (command) => ({ command }), (output) => `Output: ${output}\nExit Code: 1\n`],
];
const copies = [
	'[OK] Copied /srv/pier/boats.json -> /srv/pier/dist/boats.json',
	'[OK] Copied /srv/pier/crew -> /srv/pier/dist/crew',
].join('\n');

describe.each(flaggedFormats)('a search by %s that is marked as failed', (tool, create) => {
	const judge = (command: string, output = ''): CallEnd => {
		const made = call(tool, create(command));
		return judgeCall(made, result(2, made, output, true));
	};

	it.each([
		'grep -n tide src/pier.ts',
		'cd /srv/pier && rg tide src',
		'grep -rin tide src 2>&1',
		'findstr /s tide *.cs',
		'git grep tide',
	])('found no match if it printed nothing: %s', (command) => {
		expect(judge(command)).toMatchObject({ failed: false, message: 'no match' });
	});

	it.each([
		['its errors are thrown away', 'grep -n tide src/pier.ts 2>/dev/null', ''],
		['it is told to hide errors', 'grep -rns tide src', ''],
		['another command may have failed', 'test -f pier && grep tide pier', ''],
		['another command follows', 'grep -q tide pier && ./berth', ''],
		['it prints an error', 'rg tide src', 'bash: line 1: rg: command not found\n'],
		['the program is not a search', './berth --grep tide', ''],
	])('failed if %s', (_, command, output) => {
		expect(judge(command, output)).toMatchObject({ failed: true });
		expect(judge(command, output).message).not.toBe('no match');
	});
});

describe('a failure without an error in its output', () => {
	it.each(flaggedFormats)('has no success as its reason: %s', (tool, create) => {
		const made = call(tool, create('npm run build'));
		const output = `\n> pier@1.0.0 build\n> tsc -p . && node copy.mjs\n\n${copies}\n`;
		expect(judgeCall(made, result(2, made, output, true))).toMatchObject({
			failed: true,
			message: 'its output names no error',
		});
	});

	it.each(codeFormats)(
		'has no success as its reason although its exit code is known: %s',
		(tool, create, wrap) => {
			const made = call(tool, create('./publish'));
			const output = `${copies}\nSuccessfully compiled the second pier`;
			expect(judgeCall(made, result(2, made, wrap(output), true)).message).toBe('its output names no error');
		},
	);

	it.each([
		['Success is not possible without a pier', 'Success is not possible without a pier'],
		[`${copies}\nThe pier is closed`, 'The pier is closed'],
		[`${copies}\nnpm ERR! code ELIFECYCLE`, 'npm ERR! code ELIFECYCLE'],
		['success: false', 'success: false'],
		['[OK] Copied the crew, but lost the boats', '[OK] Copied the crew, but lost the boats'],
	])('does not hide a reason: %s', (output, message) => {
		const made = call('Bash', { command: './publish' });
		expect(judgeCall(made, result(2, made, output, true)).message).toBe(message);
	});

	it('is not reported for an output whose middle is not searched', () => {
		const made = call('Bash', { command: './publish' });
		const output = `${`${copies}\n`.repeat(100)}The pier is closed\n${`${copies}\n`.repeat(100)}`;
		expect(judgeCall(made, result(2, made, output, true)).message).not.toContain('no error');
	});
});

describe('the last check in the head of a summary', () => {
	const line =
		'[OK] Copied /srv/workspaces/pier-5d712bab/templates -> /srv/workspaces/pier-5d712bab/dist/templates';
	const stateOf = (output: string, failed = false): string =>
		summaryOf(ran(['npm run build', output, failed]), 2000).match(/^State: .*/m)?.[0] ?? '';

	it('is shown as passed if its last line is long and states no result', () => {
		expect(stateOf(line)).toContain('npm run build: passed (#');
	});

	it.each([
		['a short line', '[OK] Copied 12 boats'],
		['totals', `${'The ferry berths at the second pier. '.repeat(3)}12 passed`],
		[
			'a measured value',
			`${'The ferry berths at the second pier after all of the others. '.repeat(2)}in 41 ms`,
		],
	])('keeps %s', (_, output) => {
		expect(stateOf(output)).toContain(output.trim().slice(-8));
	});

	it('is not shown as passed if it failed', () => {
		expect(stateOf(line, true)).toContain('npm run build: failed: its output names no error (#');
	});
});
