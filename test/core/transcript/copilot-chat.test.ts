import { describe, expect, it } from 'vitest';
import { read } from './reading.ts';

const head = { version: 3, sessionId: 's', creationDate: 1, responderUsername: 'GitHub Copilot' };
const request = (id: string, text: string, more: object = {}) => ({
	requestId: id,
	message: { text },
	timestamp: 1_700_000_000_000,
	modelId: 'copilot/gpt-5',
	response: [],
	...more,
});
const rounds = {
	result: {
		metadata: {
			toolCallRounds: [
				{ response: 'I look.', toolCalls: [{ id: 'c1', name: 'read_file', arguments: '{"filePath":"/a"}' }] },
				{ response: 'Done.', toolCalls: [] },
			],
			toolCallResults: {
				c1: { content: [{ value: { node: { children: [{ text: 'one' }, { text: ' two' }] } } }] },
			},
			promptTokens: 12_000,
			outputTokens: 30,
		},
	},
};
const whole = ['user: Fix it', 'assistant: I look. [c1 read_file]', 'tool c1: one two', 'assistant: Done.'];

describe('a chat session of VS Code', () => {
	it('a chat session of VS Code has each call of a request as its own answer', () => {
		const found = read({ ...head, customTitle: 'Fixing', requests: [request('r1', 'Fix it', rounds)] });
		expect(found).toMatchObject({ agent: 'copilot-chat', title: 'Fixing', visible: whole });
		expect(found?.info).toMatchObject({ model: 'gpt-5', provider: 'copilot' });
		expect(found?.messages.at(-1)?.usage).toEqual({ input: 12_000, output: 30 });
	});

	it('a chat session of VS Code is read in its final state from a log of changes', () => {
		const found = read([
			{ kind: 0, v: { ...head, requests: [] } },
			{ kind: 2, k: ['requests'], v: [request('r1', 'Fix it')] },
			{ kind: 2, k: ['requests', 0, 'response'], v: [{ value: 'I look' }] },
			{ kind: 2, k: ['requests', 0, 'response'], v: [{ value: 'ing' }], i: 1 },
			{ kind: 1, k: ['requests', 0, 'result'], v: rounds.result },
			{ kind: 1, k: ['customTitle'], v: 'Fixing' },
		]);
		expect(found).toMatchObject({ title: 'Fixing', visible: whole });
	});

	it('a chat session of VS Code lacks what a repeated request replaced', () => {
		const found = read([
			{ kind: 0, v: { ...head, requests: [request('r1', 'One'), request('r2', 'Two')] } },
			{ kind: 2, k: ['requests'], v: [request('r3', 'Other')], i: 1 },
		]);
		expect(found?.visible).toEqual(['user: One', 'user: Other']);
	});

	it('a chat session of VS Code has unique ids even if a generated one appears later', () => {
		const found = read({ ...head, requests: [request('r1', 'One'), 0, request('r2', 'Two')] });
		const ids = found?.messages.map(({ id }) => id) ?? [];
		expect(new Set(ids).size).toBe(ids.length);
		expect(found?.visible).toContain('user: Two');
	});

	it('a chat session of VS Code ignores log entries whose path does not exist', () => {
		const found = read([
			{ kind: 0, v: { ...head, requests: [request('r1', 'One')] } },
			{ kind: 1, k: ['requests', 7, 'result'], v: {} },
			{ kind: 2, k: ['requests', -0.5, 'response'], v: [{ value: 'no' }] },
			{ kind: 1, k: ['__proto__', 'x'], v: 1 },
			{ kind: 9, k: ['requests'] },
			{ kind: 3, k: ['inputState'] },
		]);
		expect(found?.visible).toEqual(['user: One']);
		expect(({} as Record<string, unknown>).x).toBeUndefined();
	});
});
