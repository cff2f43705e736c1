import { describe, expect, it } from 'vitest';
import { read } from './reading.ts';

let made = 0;
const event = (type: string, data: object, more: object = {}) => ({
	type,
	id: `e${++made}`,
	timestamp: '2026-11-01T10:00:00.000Z',
	data,
	...more,
});
const start = () =>
	event('session.start', { sessionId: 's', selectedModel: 'gpt-5', context: { cwd: '/w' } });
const user = (content: string, more: object = {}) => event('user.message', { content }, more);
const system = (content: string, more: object = {}) => event('system.message', { content }, more);
const answer = (content: string, more: object = {}) => event('assistant.message', { content, ...more });

describe('a session of Copilot CLI', () => {
	it('a session of Copilot CLI has figures that precede their answers, and the window that they state', () => {
		const usage = {
			apiCallId: 'call',
			inputTokens: 11_775,
			outputTokens: 40,
			cacheReadTokens: 8_242,
			maxPromptTokens: 128_000,
		};
		const found = read([
			start(),
			user('Hi'),
			event('session.usage_record', { usage }),
			answer('Yes', { apiCallId: 'call' }),
		]);
		expect(found?.messages.at(-1)?.usage).toEqual({
			input: 3_533,
			output: 40,
			cacheRead: 8_242,
			cacheWrite: 0,
		});
		expect(found?.info.contextWindow).toBe(128_000);
	});

	it('a session of Copilot CLI keeps instructions and messages written during a background compaction', () => {
		const found = read([
			start(),
			user('Old'),
			system('You are Copilot'),
			answer('Done'),
			event('session.compaction_start', {}),
			answer('Meanwhile'),
			event('session.compaction_complete', {
				success: true,
				summaryContent: 'So far',
				preCompactionTokens: 9,
			}),
			answer('After'),
		]);
		expect(found?.visible).toEqual([
			'system: You are Copilot',
			'user*: So far',
			'assistant: Meanwhile',
			'assistant: After',
		]);
	});

	it('a session of Copilot CLI lacks messages to and from sub-agents', () => {
		const sub = { agentId: 'sub-1' };
		const found = read([
			start(),
			user('Hi'),
			user('Do it', sub),
			system('You are a helper', sub),
			answer('Yes'),
		]);
		expect(found?.visible).toEqual(['user: Hi', 'assistant: Yes']);
	});

	it('a session of Copilot CLI is titled by typed text, without its wrapper', () => {
		const content = '<current_datetime>2026-11-01</current_datetime>\n\nFix the build';
		expect(read([start(), event('user.message', { transformedContent: content })])?.title).toBe(
			'Fix the build',
		);
		const wrapped = [{ role: 'user', content: '<user_input mode="act">Fix it</user_input>', ts: 5 }];
		expect(read({ messages: wrapped })?.title).toBe('Fix it');
	});
});
