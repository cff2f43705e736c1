import { describe, expect, it } from 'vitest';
import { clineArray, clineSdkDocument, clineTaskRecord } from './fixtures/cline.ts';
import { read } from './reading.ts';

describe('figures of a Cline task', () => {
	it('an answer in a Cline task gets the figures of the newest request before it', () => {
		const session = read(clineTaskRecord);
		expect(session?.agent).toBe('cline');
		expect(session?.messages.map(({ usage }) => usage)).toEqual([
			undefined,
			{ input: 5, output: 9, cacheRead: 100, cacheWrite: 20 },
			undefined,
			undefined,
		]);
	});

	it('a Cline task matches requests and answers by order if messages have no times', () => {
		const messages = clineArray.map((message) => ({ ...(message as object), ts: undefined }));
		const [, failed, answered] = clineTaskRecord.uiMessages;
		const one = read({ messages, uiMessages: [answered] });
		expect(one?.messages[1]?.usage?.cacheRead).toBe(100);
		const two = read({ messages, uiMessages: [failed, answered] });
		expect(two?.messages[1]?.usage).toBeUndefined();
	});

	it.each([
		[{ tokensIn: 125, tokensOut: 9, cacheReads: 100, cacheWrites: 20, apiProtocol: 'anthropic' }, 5],
		[{ tokensIn: 5, tokensOut: 9, cacheReads: 100, cacheWrites: 20, apiProtocol: 'anthropic' }, 5],
		[{ tokensIn: 125, tokensOut: 9, cacheReads: 100, cacheWrites: 20 }, 125],
	])('uncached tokens of a Cline task are derived from %j: %d', (figures, input) => {
		const text = JSON.stringify(figures);
		const uiMessages = [{ ts: 1, type: 'say', say: 'api_req_started', text }];
		expect(read({ messages: clineArray, uiMessages })?.messages[1]?.usage?.input).toBe(input);
	});

	it('Roo Code is detected from its first request on', () => {
		const first = { ts: 1, type: 'say', say: 'api_req_started', text: '{"apiProtocol":"openai"}' };
		const messages = clineArray.slice(0, 1);
		expect(read({ messages, uiMessages: [first] })?.agent).toBe('roo-code');
		expect(read({ messages, uiMessages: [{ ...first, text: '{}' }] })?.agent).toBe('cline');
	});

	it('invalid figures of a Cline task are ignored', () => {
		for (const text of ['', '{', 'null', '[]', '{"tokensIn":"5"}']) {
			const uiMessages = [{ ts: 1, type: 'say', say: 'api_req_started', text }];
			expect(read({ messages: clineArray, uiMessages })?.messages[1]?.usage).toBeUndefined();
		}
	});
});

it("the input of Cline's own programs counts the whole prompt", () => {
	const session = read(clineSdkDocument);
	expect(session?.agent).toBe('cline');
	expect(session?.all).toEqual([
		'system: Be careful',
		'user: Read',
		'assistant: (hm) [c1 read_files]',
		'tool c1: A',
		'user: /w/b\ntext of b',
	]);
	expect(session?.messages[2]?.usage).toEqual({ input: 100, output: 9, cacheRead: 700, cacheWrite: 200 });
	expect(session?.info).toEqual({ sessionId: 's10', model: 'claude-x', provider: 'anthropic' });
});
