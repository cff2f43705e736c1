import { describe, expect, it } from 'vitest';
import { CallFailure } from '../../../server/core/ask/callFailure.ts';
import { createAskProvider } from '../../../server/node/models/askProvider.ts';
import type { ModelReply } from '../../../server/session/ports.ts';
import { eventually } from '../../support/eventually.ts';
import { json, type Loopback, loopback, pieces } from './loopback.ts';

const key = 'marker-key-0123456789';
const now = Date.parse('2026-01-01T00:00:00Z');

const items = [
	{ role: 'user', content: 'Build a page.' },
	{ type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{}' },
	{ type: 'function_call_output', call_id: 'call_1', output: 'alpha' },
];
const question = { sessionId: 's', system: 'Keep the ports.', prompt: '', maxTokens: 500, items };

const output = [
	{
		id: 'msg_000',
		type: 'message',
		status: 'completed',
		role: 'user',
		content: [{ type: 'input_text', text: 'Build a page.' }],
	},
	{ id: 'cmp_001', type: 'compaction', encrypted_content: 'gAAAAABpM0Yj' },
];

function compaction(made: unknown = output) {
	return {
		id: 'resp_001',
		object: 'response.compaction',
		created_at: 1764967971,
		output: made,
		usage: { input_tokens: 139, output_tokens: 438, total_tokens: 577 },
	};
}

function ask(
	{ origin }: Pick<Loopback, 'origin'>,
	signal = new AbortController().signal,
	over: Partial<typeof question> = {},
): Promise<ModelReply> {
	const link = {
		provider: 'openai-compact',
		model: 'gpt-5',
		apiKey: key,
		headers: { 'x-team': 'a' },
	} as const;
	return createAskProvider({}, () => now)(
		{ ...link, baseURL: `${origin}/v1` },
		{ ...question, ...over },
		signal,
	);
}

async function failureOf(asking: Promise<unknown>): Promise<CallFailure> {
	const error = await asking.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	expect(error).toBeInstanceOf(CallFailure);
	expect((error as CallFailure).message).not.toContain(key);
	return error as CallFailure;
}

describe("a provider's endpoint for compaction", () => {
	it('the endpoint receives items, instructions and key, and its items are returned unchanged', async () => {
		const server = await loopback((response) => json(response, compaction()));
		expect(await ask(server)).toEqual({
			text: '',
			stopReason: 'stop',
			model: 'gpt-5',
			items: output,
			usage: { input: 139, output: 438 },
		});
		const [firstRequest] = server.requests;
		expect(firstRequest).toMatchObject({ method: 'POST', url: '/v1/responses/compact' });
		expect(firstRequest?.headers).toMatchObject({
			authorization: `Bearer ${key}`,
			'content-type': 'application/json',
			'x-team': 'a',
		});
		expect(JSON.parse(firstRequest?.body ?? '')).toEqual({
			model: 'gpt-5',
			input: items,
			instructions: 'Keep the ports.',
		});
	});

	it('the endpoint receives no instructions if they are empty', async () => {
		const server = await loopback((response) => json(response, compaction()));
		await ask(server, undefined, { system: '' });
		expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ model: 'gpt-5', input: items });
	});

	it.each([
		['nothing', {}],
		['an empty list', compaction([])],
		['a refusal', compaction([{ type: 'message', role: 'assistant', content: [{ type: 'refusal' }] }])],
	])('an answer with %s returns no compaction item', async (_, value) => {
		const server = await loopback((response) => json(response, value));
		const { items: made = [] } = await ask(server);
		expect(made.filter((item) => (item as { type: string }).type === 'compaction')).toEqual([]);
	});

	it('a refused key is not retried, and the error message does not contain it', async () => {
		const error = { error: { message: `Incorrect API key provided: ${key}.`, type: 'x' } };
		const server = await loopback((response) => json(response, error, 401));
		const failure = await failureOf(ask(server));
		expect(failure).toMatchObject({
			retryable: false,
			message: '401: Incorrect API key provided: [key].',
		});
	});

	it('a refused request fails with the words of the endpoint, also if they are not JSON', async () => {
		const server = await loopback((response) => {
			response.writeHead(400, { 'content-type': 'text/plain' });
			response.end('invalid_encrypted_content');
		});
		expect(await failureOf(ask(server))).toMatchObject({
			retryable: false,
			message: '400: invalid_encrypted_content',
		});
	});

	it.each([
		[{ 'retry-after': '7' }, 7000],
		[{ 'retry-after-ms': '1500' }, 1500],
		[{}, undefined],
	])('a rate limit returns the time to wait: %j', async (headers, wait) => {
		const error = { error: { message: 'slow down', type: 'x' } };
		const server = await loopback((response) =>
			json(response, error, 429, headers as Record<string, string>),
		);
		expect(await failureOf(ask(server))).toMatchObject({ retryable: true, retryAfterMs: wait });
	});

	it('a request that hangs before or within its answer is cancelled with its connection', async () => {
		for (const begun of [[], ['{"output":[']]) {
			const server = await loopback((response) =>
				begun.length > 0 ? pieces(response, 'application/json', begun) : undefined,
			);
			const controller = new AbortController();
			const asking = ask(server, controller.signal);
			asking.catch(() => {});
			await eventually(() => expect(server.requests).toHaveLength(1));
			controller.abort(new Error('no answer in time'));
			await expect(asking).rejects.toThrow('no answer in time');
			await eventually(() => expect(server.countAbandoned()).toBe(1));
		}
	});

	it('a truncated answer is retryable, whether its connection broke or ended', async () => {
		for (const cut of ['destroy', 'end'] as const) {
			const server = await loopback(async (response) => {
				await pieces(response, 'application/json', [JSON.stringify(compaction()).slice(0, 60)]);
				response[cut]();
			});
			expect(await failureOf(ask(server))).toMatchObject({ retryable: true });
		}
	});

	it('a connection that fails is retryable', async () => {
		const server = await loopback(() => {});
		await server.end();
		expect(await failureOf(ask(server))).toMatchObject({ retryable: true });
	});

	it('a redirect to another origin is not followed', async () => {
		const other = await loopback((response) => json(response, compaction()));
		const server = await loopback((response) => {
			response.writeHead(307, { location: `${other.origin}/v1/responses/compact` });
			response.end();
		});
		expect((await failureOf(ask(server))).message).toContain('is not followed');
		expect(other.requests).toEqual([]);
	});

	it('a question without items is refused before any request', async () => {
		const server = await loopback((response) => json(response, compaction()));
		const failure = await failureOf(ask(server, undefined, { items: undefined, prompt: 'What is in it?' }));
		expect(failure).toMatchObject({ retryable: false });
		expect(server.requests).toEqual([]);
	});
});
