import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import { findObservation } from '../../../server/core/analysis/message/observation.ts';
import { findAbortLine } from '../../../server/core/analysis/text/errorLines.ts';
import type { Row } from '../../../server/core/history/row.ts';
import type { IdentifiedMessage } from '../../../server/protocol/conversation.ts';

const lines = Array.from({ length: 30 }, (_, index) => `${index + 1}:const value${index} = ${index};`);

describe('program output in user messages', () => {
	it('a user message that ends with a shell prompt is program output, without line numbers and prompt', () => {
		const text = `[File: /srv/app/a.ts (30 lines total)]\n${lines.join('\n')}\n\n(Open file: /srv/app/a.ts)\n(Current directory: /srv/app)\nbash-$`;
		const printed = findObservation(text);
		expect(printed).toContain('[File: /srv/app/a.ts (30 lines total)]\nconst value0 = 0;\nconst value1 = 1;');
		expect(printed).not.toMatch(/bash-\$|Current directory|^\d+:/m);
	});

	it.each(['OBSERVATION:\n', 'EXECUTION RESULT of [CmdRunAction]:\n', '<returncode>1</returncode>\n'])(
		'a user message that begins with %j is program output',
		(mark) => {
			expect(findObservation(`${mark}${lines.join('\n')}`)).toMatch(/const value29 = 29;$/);
		},
	);

	it.each([
		['<returncode>0</returncode>\n<output>\n12 files\n</output>', '12 files'],
		[
			'<returncode>127</returncode>\n<output>\nsh: foo: not found\n</output>',
			'Exit code 127\nsh: foo: not found',
		],
		[
			"<exception>An error occurred: Command '['docker', 'exec', 'b1', 'make ferry']' timed out after 60 seconds</exception>\n<returncode>-1</returncode>\n<output>\n12 files\n</output>",
			'Exit code -1\nCommand timed out after 60 seconds.\n12 files',
		],
		[
			'<exception>no such container</exception>\n<returncode>-1</returncode>\n<output>\n</output>',
			'Exit code -1\nno such container\n',
		],
		[
			'<returncode>0</returncode>\n<warning>\nThe output of your last command was too long.\n</warning><output_head>\nfirst pier\n</output_head>\n<elided_chars>\n9120 characters elided\n</elided_chars>\n<output_tail>\nlast pier\n</output_tail>',
			'first pier\n[9120 characters elided]\nlast pier',
		],
		[
			'<returncode>0</returncode>\n<output>\nerror: exit status 2\n5 passed\n</output>',
			'Exit code 0\nerror: exit status 2\n5 passed',
		],
		['OBSERVATION:\n12 files', '12 files'],
		[
			'Your command ran successfully and did not produce any output.',
			'Your command ran successfully and did not produce any output.',
		],
		["[execute_command for 'npm test'] Result:\nCommand executed.\n12 files", 'Command executed.\n12 files'],
	])('a short user message that only an agent’s program writes is program output: %j', (text, output) => {
		expect(findObservation(text)).toBe(output);
	});

	it('the report that a command ran too long may be wrapped at a width', () => {
		const report = (space: string): string =>
			`The last command <command>make ferry</command>${space}timed out and has been killed.\nThe output of the command was:\n <output>\n12 files\n</output>\nPlease try another command and make sure to avoid those requiring interactive input.`;
		const output = 'Exit code 124\nCommand timed out and has been killed.\n12 files';
		for (const space of [' ', '\n', ' \n']) expect(findObservation(report(space))).toBe(output);
	});

	it('a short user message that ends like a screen is program output', () => {
		expect(findObservation('Found 3 matches\n(Current directory: /srv/app)\nbash-$')).toBe('Found 3 matches');
	});

	it('a user message that asks about an output is the user’s own', () => {
		expect(findObservation(`Why does it print this?\n${lines.join('\n')}\nbash-$ I am lost`)).toBeUndefined();
		expect(
			findObservation(`Traceback (most recent call last):\n${lines.join('\n')}\nWhat is wrong?`),
		).toBeUndefined();
	});

	it('a user message that may have been typed is the user’s own', () => {
		expect(findObservation('OBSERVATION: it is slow\nbash-$')).toBeUndefined();
	});

	it('program output keeps the times of a log', () => {
		const log = Array.from({ length: 40 }, (_, index) => `12:30:${10 + index} request done`).join('\n');
		expect(findObservation(`${log}\nme@host:~/app$ `)).toContain('12:30:10 request done');
	});
});

describe('results with the tags of a runner', () => {
	it('a result with a return code has the exit code and no tags', () => {
		const content = '<returncode>2</returncode>\n<output>\nfixed\nbash: -c: line 4: syntax error\n</output>';
		const row = { seq: 1, id: 'm', tool: 'bash' };
		const message: IdentifiedMessage = { id: 'm', role: 'tool', toolCallId: 'c', content };
		expect(createSource(row, message).text).toBe('Exit code 2\nfixed\nbash: -c: line 4: syntax error');
	});
});

describe('commands that took too long', () => {
	it.each([
		'Exit code -1\nCommand timed out after 60 seconds.\n..F.. [ 38%]',
		'Exit code 143\nCommand timed out after 2m 0.0s\n..F.. [ 38%]',
	])('the outcome is the report, not a line of progress: %s', (output) => {
		expect(findAbortLine(output)).toMatch(/^Command timed out after \d+[ m]/);
	});
});

describe('user messages before the first assistant message', () => {
	const task = `Here is the issue:\n${'The ferry table loses its last row. '.repeat(20)}\n\n(Open file: n/a)\n(Current directory: /srv/app)\nbash-$`;
	const row = { seq: 0, id: 'm' } as Row;
	const formats: [string, IdentifiedMessage['content']][] = [
		['text', task],
		['parts', [{ type: 'text', text: task }]],
		['Windows lines', task.replaceAll('\n', '\r\n')],
	];

	it.each(formats)('a task above a prompt is the user’s own: %s', (_, content) => {
		const source = createSource(row, { id: 'm', role: 'user', content }, true);
		expect(source).toMatchObject({ role: 'user', toolName: undefined });
		expect(source.text).toContain('(Current directory: /srv/app)');
	});

	it.each(formats.slice(0, 2))('a later message with the same text is output: %s', (_, content) => {
		const source = createSource(row, { id: 'm', role: 'user', content });
		expect(source).toMatchObject({ role: 'tool', toolName: 'output' });
	});

	it.each(['OBSERVATION:\n', '<returncode>0</returncode>\n'])(
		'output that begins with %j is output even if its command is missing',
		(mark) => {
			const content = `${mark}${lines.join('\n')}`;
			expect(createSource(row, { id: 'm', role: 'user', content }, true).role).toBe('tool');
		},
	);
});
