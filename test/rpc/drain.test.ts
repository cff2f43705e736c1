import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { RequestMethod } from '../../server/rpc/call/define.ts';
import { converse, echo, framed, initialized, introduction } from './conversation.ts';

const slow: RequestMethod = {
	method: 'context/slow',
	async handle(params) {
		await delay(20);
		return params;
	},
};

it('a thousand requests directly before the end of the input are answered', async () => {
	const talk = await initialized();
	const requests = Array.from({ length: 1000 }, (_, id) => ({ id, method: 'context/echo', params: { id } }));
	talk.input.write(Buffer.concat(requests.map((request) => framed(request))));
	const { messages, code } = await talk.finish();
	expect(messages.map(({ id }) => id)).toEqual(requests.map(({ id }) => id));
	expect(code).toBe(0);
});

it('slow requests are answered before the server releases its resources', async () => {
	const steps: string[] = [];
	const talk = await initialized({ requests: [slow], onShutdown: () => void steps.push('released') });
	talk.send({ id: 1, method: 'context/slow' }, { id: 2, method: 'context/slow' });
	talk.output.on('data', () => steps.push('answered'));
	const { messages } = await talk.finish();
	expect(messages.map(({ id }) => id)).toEqual([1, 2]);
	expect(steps).toEqual(['answered', 'answered', 'released']);
});

it('a whole conversation written before the server starts is served', async () => {
	const talk = converse({
		requests: [echo],
		async onInitialize() {
			await delay(10);
			return introduction;
		},
	});
	talk.send(
		{ id: 1, method: 'initialize', params: {} },
		{ method: 'initialized', params: {} },
		{ id: 2, method: 'context/echo', params: { a: 1 } },
		{ id: 3, method: 'shutdown' },
		{ method: 'exit' },
	);
	const { messages, code } = await talk.finish();
	expect(messages.map(({ id }) => id)).toEqual([1, 2, 3]);
	expect(code).toBe(0);
});

it('the rest of the output is flushed to a slow reader', async () => {
	const talk = await initialized();
	talk.output.pause();
	const text = 'x'.repeat(1_000_000);
	talk.send({ id: 1, method: 'context/echo', params: { text } });
	setTimeout(() => talk.output.resume(), 30);
	const { messages } = await talk.finish();
	expect(messages).toHaveLength(1);
});

it('the input pauses while too many requests wait, and all are answered', async () => {
	const talk = await initialized();
	let sent = 0;
	for (; sent < 5000; sent++) talk.send({ id: sent, method: 'context/echo', params: {} });
	const { messages } = await talk.finish();
	expect(messages).toHaveLength(sent);
});
