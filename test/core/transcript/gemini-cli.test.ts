import { describe, expect, it } from 'vitest';
import { read } from './reading.ts';

const index = '2026-11-01T10:00:00.000Z';
const header = { sessionId: 's', projectHash: 'h', startTime: index, lastUpdated: index };
const prompt = { id: 'u1', timestamp: index, type: 'user', content: [{ text: 'Look' }] };
const response = (output: string) => ({ functionResponse: { id: 'c1', name: 'ls', response: { output } } });
const answer = (more: object) => ({
	id: 'g1',
	timestamp: index,
	type: 'gemini',
	content: 'I look.',
	...more,
});
const called = { toolCalls: [{ id: 'c1', name: 'ls', args: {}, result: [response('a.ts')] }] };
const repeated = { id: 'r1', timestamp: index, type: 'user', content: [response('a.ts')] };

describe('results of Gemini CLI', () => {
	it('a result of Gemini CLI is read once even if a separate record repeats it', () => {
		const found = read([header, prompt, answer({}), answer(called), repeated]);
		expect(found?.visible).toEqual(['user: Look', 'assistant: I look. [c1 ls]', 'tool c1: a.ts']);
	});

	it('results of Gemini CLI are read from their own record if the answer has none', () => {
		const found = read([
			header,
			prompt,
			answer({ toolCalls: [{ id: 'c1', name: 'ls', args: {} }] }),
			repeated,
		]);
		expect(found?.visible).toEqual(['user: Look', 'assistant: I look. [c1 ls]', 'tool c1: a.ts']);
	});

	it('repeated results of Gemini CLI are read once in a resumed session with repeating ids', () => {
		const messages = [
			prompt,
			{
				id: 'g1',
				timestamp: index,
				type: 'gemini',
				content: [
					{ text: 'hm', thought: true },
					{ text: 'I look.' },
					{ functionCall: { id: 'c1', name: 'ls', args: { path: '.' } } },
				],
			},
			{ id: 'g1', timestamp: index, type: 'user', content: [response('a.ts')] },
			repeated,
		];
		const found = read([header, prompt, answer({}), answer(called), repeated, { $set: { messages } }]);
		expect(found?.visible).toEqual(['user: Look', 'assistant: (hm) I look. [c1 ls]', 'tool c1: a.ts']);
	});

	it("later calls of Gemini CLI are read in order if they are written into the first turn's record", () => {
		const call = (id: string) => ({ id, name: 'ls', args: {}, result: [response(`of ${id}`)] });
		const said = (id: string, more: object) => ({
			id,
			timestamp: index,
			type: 'gemini',
			content: '',
			...more,
		});
		const found = read([
			header,
			prompt,
			said('calls', { toolCalls: [call('c1')] }),
			said('g1', { content: 'One.' }),
			{ ...prompt, id: 'u2' },
			said('calls', { toolCalls: [call('c1'), call('c2')] }),
			said('g2', { content: 'Two.' }),
		]);
		expect(found?.visible).toEqual([
			'user: Look',
			'assistant: [c1 ls]',
			'tool c1: of c1',
			'assistant: One.',
			'user: Look',
			'assistant: [c2 ls]',
			'tool c2: of c2',
			'assistant: Two.',
		]);
		const compressed = { $set: { messages: [{ ...prompt, id: 's', content: 'What was said' }] } };
		const after = read([
			header,
			prompt,
			said('calls', { toolCalls: [call('c1')] }),
			compressed,
			said('calls', { toolCalls: [call('c1'), call('c2')] }),
		]);
		expect(after?.visible).toEqual(['user: What was said', 'assistant: [c2 ls]', 'tool c2: of c2']);
	});
});

describe('a compression by Gemini CLI', () => {
	const snapshot = {
		id: 's1',
		timestamp: index,
		type: 'user',
		content: [{ text: '<state_snapshot><overall_goal>Look.</overall_goal></state_snapshot>' }],
	};
	const tokens = { input: 9000, output: 10, cached: 0 };
	const last = { id: 'g2', timestamp: index, type: 'gemini', content: 'All seen.', tokens };
	const next = { id: 'u2', timestamp: index, type: 'user', content: [{ text: 'Go on' }] };
	const chat = [header, prompt, answer(called), last];
	const context = {
		...prompt,
		id: 'u0',
		content: [{ text: '<session_context>\nToday\n</session_context>' }],
	};
	const compressed = { $set: { messages: [snapshot, last] } };
	const summary = 'user*: <state_snapshot><overall_goal>Look.</overall_goal></state_snapshot>';

	it('a compression by Gemini CLI hides its messages behind the summary and kept messages', () => {
		const found = read([...chat, compressed, next]);
		expect(found?.visible).toEqual([summary, 'assistant: All seen.', 'user: Go on']);
		expect(found?.all).toContain('user: Look');
		expect(found?.all).toContain('tool c1: a.ts');
	});

	it('a compression by Gemini CLI is detected after the introduction of a chat', () => {
		const list = { $set: { messages: [context, snapshot, last] } };
		const found = read([header, { $set: { messages: [context] } }, ...chat.slice(1), list, next]);
		expect(found?.visible.slice(1)).toEqual([summary, 'assistant: All seen.', 'user: Go on']);
		expect(found?.all).toContain('user: Look');
	});

	it('a second and a rewritten compression by Gemini CLI are handled', () => {
		const again = { ...snapshot, id: 's2' };
		const more = { $set: { messages: [snapshot, last, next] } };
		expect(read([...chat, compressed, more])?.visible).toEqual([
			summary,
			'assistant: All seen.',
			'user: Go on',
		]);
		const twice = read([...chat, compressed, next, { $set: { messages: [again, next] } }]);
		expect(twice?.visible).toEqual([summary, 'user: Go on']);
	});

	it('rewinds and changes apply to messages that Gemini CLI compressed', () => {
		expect(read([...chat, compressed, next, { $rewindTo: 'g2' }])?.visible).toEqual([summary]);
		expect(read([...chat, compressed, next, { $rewindTo: 's1' }])?.visible).toEqual([]);
		expect(read([...chat, compressed, { ...last, content: 'All of it.' }])?.visible).toEqual([
			summary,
			'assistant: All of it.',
		]);
	});
});
