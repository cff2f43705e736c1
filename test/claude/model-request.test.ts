import { describe, expect, it } from 'vitest';
import {
	isCachedForHour,
	omitMessages,
	parseModelRequest,
	serializeWithMessages,
} from '../../client-claude/src/modelRequest.ts';

const url = 'https://api.anthropic.com/v1/messages?beta=true';
const body = {
	model: 'claude-opus-5-5',
	metadata: { user_id: JSON.stringify({ device_id: 'd', session_id: 's-1' }) },
	system: [{ type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral' } }],
	tools: [{ name: 'Read', input_schema: { type: 'object' } }],
	thinking: { type: 'adaptive' },
	messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
};

const read = (changes: object = {}, headers: Record<string, string> = {}, to = url) =>
	parseModelRequest(to, { method: 'POST', headers, body: JSON.stringify({ ...body, ...changes }) });

describe('requests of Claude Code', () => {
	it('a request belongs to the main conversation or to a subagent', () => {
		expect(read()).toMatchObject({ session: 's-1', model: 'claude-opus-5-5', isSummary: false });
		expect(read()?.agent).toBeUndefined();
		expect(read({}, { 'x-claude-code-agent-id': 'a7' })).toMatchObject({ session: 's-1', agent: 'a7' });
	});

	it.each([
		['counts tokens', {}, 'https://api.anthropic.com/v1/messages/count_tokens?beta=true'],
		['was signed before', {}, 'https://bedrock.example/model/claude/invoke-with-response-stream'],
		['asks for a title', { tools: [] }, url],
		['names no session', { metadata: {} }, url],
		['holds messages of another shape', { messages: [{ role: 'user', content: 7 }] }, url],
		['holds no messages', { messages: [] }, url],
	])('a request is left alone if it %s', (_what, changes, to) => {
		expect(read(changes, {}, to)).toBeUndefined();
	});

	it('isCachedForHour recognizes a cache of one hour', () => {
		const hour = { type: 'text', text: 'You are.', cache_control: { type: 'ephemeral', ttl: '1h' } };
		const isForHour = (system: unknown) => isCachedForHour(read({ system })!);
		expect([body.system, [hour], 'You are.'].map(isForHour)).toEqual([false, true, false]);
	});

	it('a request is left alone if its body is not JSON', () => {
		expect(parseModelRequest(url, { body: 'not JSON' })).toBeUndefined();
		expect(parseModelRequest(url, { body: { base64: 'AA==' } })).toBeUndefined();
	});

	it('a request for a summary is recognized by its prompt', () => {
		const order =
			'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is to create a detailed summary of the conversation so far.';
		const messages = [
			...body.messages,
			{ role: 'assistant', content: 'Hi' },
			{ role: 'user', content: order },
		];
		expect(read({ messages })?.isSummary).toBe(true);
		const quoted = [...body.messages, { role: 'user', content: `What does this mean: ${order}` }];
		expect(read({ messages: quoted })?.isSummary).toBe(false);
	});

	it('a changed body has other messages and equal other members', () => {
		const request = read();
		if (request === undefined) throw new Error('not read');
		const messages = [{ role: 'user', content: 'Other' }];
		expect(JSON.parse(serializeWithMessages(request, messages))).toEqual({ ...body, messages });
		expect(omitMessages(request)).toEqual({
			systemPrompt: 'You are Claude Code.',
			toolDefinitions: body.tools,
		});
	});
});
