import { describe, expect, it } from 'vitest';
import { arrays, streams } from './fixtures/all.ts';
import { sdkLines } from './fixtures/claudeAgentSdk.ts';
import { claudeLines } from './fixtures/claudeCode.ts';
import { clineArray, rooArray } from './fixtures/cline.ts';
import { codexLines } from './fixtures/codex.ts';
import { codexExecLines } from './fixtures/codexExec.ts';
import { copilotLines } from './fixtures/copilotCli.ts';
import { geminiDocument, geminiLines } from './fixtures/geminiCli.ts';
import {
	anthropicArray,
	neutralLines,
	openAiArray,
	vercelArray,
	vercelModelArray,
} from './fixtures/messageArrays.ts';
import { openCodeRecords } from './fixtures/openCode.ts';
import { piLines } from './fixtures/pi.ts';
import { read, readText } from './reading.ts';

it.each(Object.entries(streams))(
	'the agent of a transcript is detected by its content: %s',
	(agent, records) => {
		expect(read(records)?.agent).toBe(agent);
	},
);

it.each(Object.entries(arrays))('an array of %s messages is detected by its content', (agent, messages) => {
	expect(readText(JSON.stringify(messages))?.agent).toBe(agent);
});

it('no agent is detected for anything but a transcript', () => {
	for (const text of ['', 'plain text', '{}', '[]', '{"name":"a package","version":"1"}', '[1,2]', 'null']) {
		expect(readText(text)).toBeUndefined();
	}
});

it('a session is titled by its title, else by the first line that a person typed', () => {
	expect(read(claudeLines)?.title).toBe('Reading two files');
	expect(read(codexLines)?.title).toBe('Look');
	expect(read(copilotLines)?.title).toBe('Why');
	expect(readText(JSON.stringify(clineArray))?.title).toBe('Fix');
	expect(read(sdkLines)?.title).toBeUndefined();
	expect(readText(JSON.stringify([{ role: 'user', content: 'x'.repeat(200) }]))?.title).toHaveLength(80);
});

it('a call without an id and its result get one', () => {
	const lines = [
		{
			id: 'm1',
			role: 'assistant',
			content: '',
			toolCalls: [{ id: '', name: 'read', args: { path: 'a.ts' } }],
		},
		{ id: 'm2', role: 'tool', content: 'text', toolCallId: '' },
	];
	const messages = read(lines)?.messages ?? [];
	expect(messages[0]?.toolCalls?.[0]?.id).toBe('m1:call');
	expect(messages[1]?.toolCallId).toBe('m1:call');
});

describe('Claude Agent SDK', () => {
	it('a boundary of Claude Agent SDK replaces earlier messages by a summary', () => {
		const session = read(sdkLines);
		expect(session?.all).toEqual(['assistant: [c1 Read]', 'tool c1: x', 'user*: Summary of it all']);
		expect(session?.visible).toEqual(['user*: Summary of it all']);
		expect(session?.info).toMatchObject({ sessionId: 's2', cwd: '/w', model: 'claude-x' });
		expect(session?.skipped).toMatchObject({ sidechain: 1 });
	});
});

describe('Codex', () => {
	it('a rollout of Codex merges the items of one answer, and gives it the figures that follow', () => {
		const session = read(codexLines);
		expect(session?.all).toEqual([
			'system: You are an agent',
			'system: Be careful',
			'user*: <environment_context>\n/w</environment_context>',
			'user: Look',
			'assistant: (hm) I look [c1 exec_command] [c2 apply_patch]',
			'tool c1: Process exited with code 1\nOutput:\nno',
			'tool c2: Exit code: 0\nOutput:\nok',
			'assistant: Done',
			'user: More',
			'assistant: No',
		]);
		expect(session?.messages[4]?.usage).toEqual({ input: 20, output: 7, cacheRead: 80, cacheWrite: 0 });
		expect(session?.messages[5]).toMatchObject({ isError: true, toolName: 'exec_command' });
		expect(session?.messages[6]?.isError).toBeUndefined();
		expect(session?.info).toEqual({
			sessionId: 's3',
			cwd: '/w',
			provider: 'openai',
			model: 'gpt-x',
			contextWindow: 1000,
		});
	});

	it('a rollback of Codex removes turns', () => {
		const rollback = {
			timestamp: 't',
			type: 'event_msg',
			payload: { type: 'thread_rolled_back', num_turns: 1 },
		};
		expect(read([...codexLines, rollback])?.all.at(-1)).toBe('assistant: Done');
	});

	it("another agent's message in Codex is injected", () => {
		const payload = {
			type: 'agent_message',
			author: 'a',
			content: [{ type: 'input_text', text: 'Found it' }],
		};
		const session = read([...codexLines, { timestamp: 't', type: 'response_item', payload }]);
		expect(session?.all.at(-1)).toBe('user*: Found it');
	});

	it('a compaction of Codex replaces the history by its own', () => {
		const compacted = {
			timestamp: 't',
			type: 'compacted',
			payload: {
				message: 'Summary',
				replacement_history: [
					{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look' }] },
					{ type: 'ghost_snapshot', ghost_commit: { id: 'g' } },
					{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Summary' }] },
				],
			},
		};
		const session = read([...codexLines, compacted]);
		expect(session?.visible).toEqual(['system: You are an agent', 'user: Look', 'user*: Summary']);
		expect(session?.all).toHaveLength(11);
	});
});

it('an item of codex exec is a call and its result', () => {
	const session = read(codexExecLines);
	expect(session?.all).toEqual([
		'assistant: [item_0:call command_execution]',
		'tool item_0:call: a\nb',
		'assistant: [item_1:call find]',
		'tool item_1:call: found',
		'assistant: Done',
	]);
	expect(session?.messages[0]?.toolCalls?.[0]?.args).toEqual({ command: 'ls' });
	expect(session?.messages[1]?.isError).toBe(true);
});

describe('Gemini CLI', () => {
	const expected = [
		'user: Make it',
		'assistant: (Plan\ndo it) I do [c1 write_file]',
		'tool c1: written',
		'assistant: Done',
	];

	it('a document of Gemini CLI is read', () => {
		const session = read(geminiDocument);
		expect(session?.all).toEqual(expected);
		expect(session?.messages[1]?.usage).toEqual({ input: 40, output: 8, cacheRead: 60, cacheWrite: 0 });
		expect(session?.skipped).toEqual({ info: 1 });
	});

	it('lines of Gemini CLI are read, and repeated messages replaced', () => {
		expect(read(geminiLines)?.all).toEqual(expected);
	});

	it('a rewind of Gemini CLI removes a message and everything after it', () => {
		expect(read([...geminiLines, { $rewindTo: 'g2' }])?.all).toEqual(expected.slice(0, 1));
		expect(read([...geminiLines, { $rewindTo: 'unknown' }])?.all).toEqual([]);
	});
});

describe('pi', () => {
	it("the messages that pi's compaction kept follow the summary", () => {
		const session = read(piLines);
		expect(session?.visible).toEqual(['user*: What was', 'assistant: done', 'user*: $ ls\na', 'user: On']);
		expect(session?.messages[1]).toMatchObject({
			stopReason: 'tool',
			usage: { input: 3, output: 4, cacheRead: 5, cacheWrite: 6 },
		});
	});

	it('an entry of pi under an earlier one leaves the branch', () => {
		const branch = { type: 'message', id: 'e9', parentId: 'e3', message: { role: 'user', content: 'Other' } };
		expect(read([...piLines, branch])?.visible).toEqual([
			'user: Go',
			'assistant: ok [c1 read]',
			'tool c1: A',
			'user: Other',
		]);
	});
});

it('messages, results and compactions of Copilot CLI are read', () => {
	const session = read(copilotLines);
	expect(session?.all).toEqual([
		'user: <now>\nWhy',
		'assistant: (hm) [c1 bash]',
		'tool c1: denied',
		'user*: <system_notification>done</system_notification>',
		'user*: So far',
		'assistant: Because',
	]);
	expect(session?.visible).toEqual(['user*: So far', 'assistant: Because']);
	expect(session?.messages[2]).toMatchObject({ isError: true, toolName: 'bash' });
});

describe('OpenCode', () => {
	const expected = [
		'user: Ask',
		'assistant: (hm) [c1 read]',
		'tool c1: A',
		'assistant: It says A',
		'user: Thanks',
	];

	it('sessions, messages and parts of OpenCode are read', () => {
		const session = read(openCodeRecords);
		expect(session?.all).toEqual(expected);
		expect(session?.info).toEqual({ sessionId: 'ses_1', cwd: '/w', title: 'Ask', model: 'm', provider: 'p' });
	});

	it('records of OpenCode are read in any order', () => {
		expect(read(openCodeRecords.toReversed())?.all).toEqual(expected);
	});

	it('an export of OpenCode is read', () => {
		const [info, ...rest] = openCodeRecords as Record<string, unknown>[];
		const messages = rest
			.filter((record) => 'role' in record)
			.map((message) => ({ info: message, parts: rest.filter((part) => part.messageID === message.id) }));
		expect(read({ info, messages })?.all).toEqual(expected);
	});

	it('a cleared output of OpenCode is shown like OpenCode does', () => {
		const cleared = openCodeRecords.map((record) => {
			const part = record as { type?: string; state?: object };
			return part.type === 'tool' ? { ...part, state: { ...part.state, time: { compacted: 5 } } } : record;
		});
		expect(read(cleared)?.all[2]).toBe('tool c1: [Old tool result content cleared]');
	});
});

describe('arrays of messages', () => {
	const all = (value: unknown) => readText(JSON.stringify(value))?.all;

	it("Anthropic's messages are read", () => {
		expect(all(anthropicArray)).toEqual([
			'user: Read',
			'assistant: Yes [c1 Read]',
			'tool c1: A',
			'user: and now',
		]);
		expect(all({ system: 'Be kind', messages: anthropicArray })?.[0]).toBe('system: Be kind');
	});

	it("text inside Cline's wrapper is injected", () => {
		expect(all(clineArray)).toEqual([
			'user: <task>\nFix\n</task> <environment_details>\n</environment_details>',
			'assistant: [c1 read_file]',
			'tool c1: A',
			'user*: <environment_details>\n</environment_details>',
		]);
	});

	it("the tag of Roo Code's summary hides the messages that carry it", () => {
		expect(readText(JSON.stringify(rooArray))?.visible).toEqual(['user*: Summary', 'assistant: New']);
	});

	it("OpenAI's messages are read", () => {
		expect(all(openAiArray)).toEqual([
			'system: Be kind',
			'user: Look <image>',
			'assistant: [c1 find]',
			'tool c1: found',
		]);
		const lines = openAiArray.map((one) => JSON.stringify(one)).join('\n');
		expect(readText(lines)?.all).toEqual(all(openAiArray));
	});

	it('both kinds of Vercel AI SDK messages are read', () => {
		expect(all(vercelArray)).toEqual([
			'user: Weather',
			'assistant: (hm) [c1 weather]',
			'tool c1: {"t":20}',
			'assistant: 20 degrees',
		]);
		expect(all(vercelModelArray)).toEqual(['user: Weather', 'assistant: [c1 weather]', 'tool c1: {"t":20}']);
	});

	it('the model of a request log is read from the response', () => {
		const response = { model: 'litellm_proxy/claude-sonnet-4-20250514', choices: [] };
		const log = { messages: [{ role: 'user', content: 'Hi' }], response };
		expect(read(log)?.info).toMatchObject({ model: 'litellm_proxy/claude-sonnet-4-20250514' });
	});

	it('the neutral form is read without its header', () => {
		const session = read(neutralLines);
		expect(session?.all).toEqual(['user: Hi', 'assistant: [c1 read]', 'tool c1: A']);
		expect(session?.messages[1]?.usage).toEqual({ input: 1, output: 2 });
		expect(session?.messages[2]?.isError).toBe(true);
		expect(session?.skipped).toEqual({});
		expect(session?.info).toMatchObject({ sessionId: 's7', model: 'm' });
	});
});
