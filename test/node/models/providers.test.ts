import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { CallFailure } from '../../../server/core/ask/callFailure.ts';
import { createAskProvider } from '../../../server/node/models/askProvider.ts';
import type { SummarizeResult } from '../../../server/protocol/push.ts';
import { eventually } from '../../support/eventually.ts';
import { json, type Loopback, loopback, pieces } from './loopback.ts';
import { type End, key, type Wire, wires } from './wires.ts';

const question = { sessionId: 's', system: 'Be short.', prompt: 'What was said?', maxTokens: 500 };
const text = 'What was said, in short: nothing much.';
const now = Date.parse('2026-01-01T00:00:00Z');

function ask(
	{ link, path }: Wire,
	{ origin }: Loopback,
	stream: boolean,
	signal = new AbortController().signal,
): Promise<SummarizeResult> {
	const asking = createAskProvider({}, () => now);
	return asking({ ...link, baseURL: `${origin}${path}`, stream }, question, signal);
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

async function answerWith(response: ServerResponse, wire: Wire, stream: boolean, said: string, end: End) {
	if (!stream) return json(response, wire.whole(said, end));
	await pieces(response, wire.contentType, wire.pieces(said, end));
	response.end();
}

/** Asks a server that answers with the text `said`, and ends the answer by `end`. Returns the server and the result. */
async function answered(wire: Wire, stream: boolean, said: string, end: End) {
	const server = await loopback((response) => answerWith(response, wire, stream, said, end));
	return { server, result: await ask(wire, server, stream) };
}

describe.each(Object.entries(wires))('%s', (_, wire) => {
	describe.each([
		['asked for a whole answer', false],
		['asked for pieces', true],
	])('%s', (_, stream) => {
		it('the answer has text, stop reason and usage, and the request has question and key', async () => {
			const { server, result } = await answered(wire, stream, text, 'stop');
			expect(result).toEqual({
				text,
				stopReason: 'stop',
				model: wire.link.model,
				usage: { input: 7, output: 3 },
			});
			const [firstRequest] = server.requests;
			expect(firstRequest?.method).toBe('POST');
			const path = `${wire.path}${stream ? wire.streamPath : wire.wholePath}`;
			expect(decodeURIComponent(firstRequest?.url ?? '')).toBe(decodeURIComponent(path));
			expect(firstRequest?.headers[wire.keyHeader[0]]).toBe(wire.keyHeader[1]);
			for (const words of [question.system, question.prompt]) expect(firstRequest?.body).toContain(words);
		});

		it('an answer cut by its length says so', async () => {
			const { result } = await answered(wire, stream, text, 'length');
			expect(result).toMatchObject({ text, stopReason: 'length' });
		});

		it('a refusal returns no usable text', async () => {
			const { text: said = 'I', stopReason } = wire.refused;
			const { result } = await answered(wire, stream, said, stopReason === undefined ? 'stop' : 'refusal');
			expect(result).toMatchObject(wire.refused);
		});

		it('an empty answer returns the empty text', async () => {
			const { result } = await answered(wire, stream, '', 'stop');
			expect(result).toMatchObject({ text: '', stopReason: 'stop' });
		});

		it('a refused key is not retried, and the error message does not contain it', async () => {
			const told = `Incorrect API key provided: ${key}.`;
			const server = await loopback((response) => json(response, wire.error(told), 401));
			const failure = await failureOf(ask(wire, server, stream));
			expect(failure).toMatchObject({ retryable: false, message: expect.stringMatching(/^401: /) });
			expect(server.requests).toHaveLength(1);
		});

		it.each([
			[{ 'retry-after': '7' }, 7000],
			[{ 'retry-after-ms': '1500' }, 1500],
			[{ 'retry-after': 'Thu, 01 Jan 2026 00:00:40 GMT' }, 40_000],
			[{}, undefined],
		])('a rate limit returns the time to wait: %j', async (headers, wait) => {
			const server = await loopback((response) => json(response, wire.error('slow down'), 429, headers));
			const failure = await failureOf(ask(wire, server, stream));
			expect(failure).toMatchObject({ retryable: true, retryAfterMs: wait });
			expect(server.requests).toHaveLength(1);
		});

		it('a request that hangs is cancelled with its connection', async () => {
			const server = await loopback(() => {});
			const controller = new AbortController();
			const asking = ask(wire, server, stream, controller.signal);
			asking.catch(() => {});
			await eventually(() => expect(server.requests).toHaveLength(1));
			controller.abort(new Error('no answer in time'));
			await expect(asking).rejects.toThrow('no answer in time');
			await eventually(() => expect(server.countAbandoned()).toBe(1));
		});
	});

	it.each([
		['with its connection', (response: ServerResponse) => void response.destroy()],
		['as if it were the end', (response: ServerResponse) => void response.end()],
	])('a stream that breaks off %s is retryable', async (_, cut) => {
		const server = await loopback(async (response) => {
			await pieces(response, wire.contentType, wire.pieces(text, 'stop').slice(0, 2));
			cut(response);
		});
		expect(await failureOf(ask(wire, server, true))).toMatchObject({ retryable: true });
	});

	it('a stream that hangs is cancelled with its connection', async () => {
		const server = await loopback((response) =>
			pieces(response, wire.contentType, wire.pieces(text, 'stop').slice(0, 2)),
		);
		const controller = new AbortController();
		const asking = ask(wire, server, true, controller.signal);
		asking.catch(() => {});
		await eventually(() => expect(server.requests).toHaveLength(1));
		await new Promise((done) => setTimeout(done, 20));
		controller.abort(new Error('no answer in time'));
		await expect(asking).rejects.toThrow('no answer in time');
		await eventually(() => expect(server.countAbandoned()).toBe(1));
	});

	it('a connection that fails is retryable', async () => {
		const server = await loopback(() => {});
		await server.end();
		expect(await failureOf(ask(wire, server, false))).toMatchObject({ retryable: true });
	});
});
