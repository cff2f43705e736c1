import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, readMessage, readResult } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const head = 'Created At: 2026-05-25T09:30:07Z\nCompleted At: 2026-05-25T09:30:09Z\n';
const request = (words: string): string =>
	`<USER_REQUEST>\n${words}\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nThe current local time is: 2026-05-25T06:29:57-03:00.\n</ADDITIONAL_METADATA>`;
const systemMessage = (words: string): string =>
	`The following is a <SYSTEM_MESSAGE> not actually sent by the user. It is important.\n\n<SYSTEM_MESSAGE>\n[Message] timestamp=2026-05-25T09:33:30Z sender=s/task-30 priority=MESSAGE_PRIORITY_HIGH content=Task id "s/task-30" ${words}\n</SYSTEM_MESSAGE>`;

/** Returns an assistant message with a call as Antigravity writes it. */
function made(seq: number, one: ToolCall): Source {
	const row = { seq, id: `id-${seq}`, tool: undefined, answers: undefined };
	return createSource(row, { id: row.id, role: 'assistant', content: '', toolCalls: [one] });
}

const command = (line: string): ToolCall =>
	call('run_command', { CommandLine: line, Cwd: 'C:\\shop', WaitMsBeforeAsync: 500, toolAction: 'Running' });

/** Returns the summary of a session with these calls and results. */
function summaryAfter(...parts: Source[]): string {
	return summaryOf([readMessage(1, 'user', request('Repair the till.')), ...parts, assistant(30, 'Done.')]);
}

describe('a session of Antigravity', () => {
	it('shows the words of the user without the time that Antigravity adds', () => {
		const text = summaryAfter();
		expect(text).toContain('Goal (#1): Repair the till.');
		expect(text).not.toMatch(/USER_REQUEST|local time/);
	});

	it('shows its commands with their output, without the frame around it', () => {
		const one = command('npm test');
		const output = `${head}\n\t\t\t\tThe command completed successfully.\n\t\t\t\tOutput:\n\t\t\t\tTests  12 passed (12)\n`;
		const text = summaryAfter(made(2, one), readResult(3, one, output));
		expect(text).toMatch(/^State:.*last check: npm test in shop: .*12 passed/m);
		expect(text).not.toMatch(/Created At|completed successfully/);
	});

	it('shows that a command failed', () => {
		const one = command('python check_db.py');
		const output = `${head}\n\t\t\t\tThe command failed with exit code: 1\n\t\t\t\tOutput:\n\t\t\t\tKeyError: 'database'\n`;
		const text = summaryAfter(made(2, one), readResult(3, one, output));
		expect(text).toMatch(/python check_db\.py.* → exit 1: KeyError/);
	});

	it.each([
		['write_to_file', { CodeContent: '@echo off', Overwrite: true }],
		[
			'replace_file_content',
			{ TargetContent: 'a = 1', ReplacementContent: 'a = 2', StartLine: 1, EndLine: 1 },
		],
		['multi_replace_file_content', { ReplacementChunks: [{ TargetContent: 'a', ReplacementContent: 'b' }] }],
	])('lists the file that %s changed once, whatever the case of its drive', (name, args) => {
		const [one, other] = [
			call(name, { TargetFile: 'c:\\shop\\till.py', ...args }),
			call(name, { TargetFile: 'C:\\shop\\till.py', ...args }),
		];
		const output = `${head}The following changes were made by the ${name} tool to: c:\\shop\\till.py.`;
		const text = summaryAfter(
			made(2, one),
			readResult(3, one, output),
			made(4, other),
			readResult(5, other, output),
		);
		expect(text).toMatch(/^State: changed, no commit seen: \S*till\.py; /m);
	});

	it('shows a command that runs on, until it ends or someone stops it', () => {
		const one = command('npm run dev');
		const running = readResult(
			3,
			one,
			`${head}Tool is running as a background task with task id: s/task-30\n`,
		);
		const open = summaryAfter(made(2, one), running);
		expect(open).toMatch(/not seen to end: run_command npm run dev/);
		for (const end of ['was canceled with result:\nStep was canceled', 'finished with result:\nDone']) {
			const text = summaryAfter(made(2, one), running, readMessage(4, 'user', systemMessage(end)));
			expect(text).not.toContain('not seen to end');
		}
	});

	it('shows a task that failed in the background', () => {
		const one = command('python import.py');
		const running = readResult(
			3,
			one,
			`${head}Tool is running as a background task with task id: s/task-30\n`,
		);
		const end = systemMessage('finished with result:\n\n\t\t\tThe command failed with exit code: 3\n');
		expect(summaryAfter(made(2, one), running, readMessage(4, 'user', end))).toMatch(/import\.py.* → exit 3/);
	});

	it('shows what a search found as lines of files, not as records', () => {
		const one = call('grep_search', { SearchPath: 'C:\\shop', Query: 'VAT', MatchPerLine: true });
		const found = [7, 9].map((line) =>
			JSON.stringify({ File: 'C:/shop/till.py', LineNumber: line, LineContent: `rate = VAT_${line}` }),
		);
		const text = summaryAfter(made(2, one), readResult(3, one, `${head}${found.join('\n')}\n`));
		expect(text).toContain('C:/shop/till.py:7:rate = VAT_7');
		expect(text).not.toMatch(/Records by id|LineContent/);
	});

	it('shows a crash on Windows as a failure', () => {
		const one = command('python import.py');
		const running = readResult(
			3,
			one,
			`${head}Tool is running as a background task with task id: s/task-30\n`,
		);
		const end = systemMessage(
			'finished with result:\n\n\t\t\tThe command failed with exit code: -1073741819\n',
		);
		expect(summaryAfter(made(2, one), running, readMessage(4, 'user', end))).toMatch(/import\.py.* → exit 1/);
		const output = `${head}\n\t\t\t\tThe command failed with exit code: 3221225786\n\t\t\t\tOutput:\n\t\t\t\tStopped\n`;
		expect(summaryAfter(made(2, one), readResult(3, one, output))).toMatch(/import\.py.* → exit 1: Stopped/);
	});

	it('leaves the content of a written file and the arguments of other tools as they are', () => {
		const [written, task] = [
			{ TargetFile: 'c:\\shop\\a.json', CodeContent: '[{"id":1,"Description":"c:\\\\temp"}]' },
			{ TaskId: 'SHOP-12', Description: 'The login fails' },
		];
		const { calls } = made(2, call('write_to_file', written));
		expect(calls[0]?.args).toEqual({ file_path: 'C:\\shop\\a.json', content: written.CodeContent });
		expect(made(2, call('mcp__tracker__update', task)).calls[0]?.args).toEqual(task);
	});
});
