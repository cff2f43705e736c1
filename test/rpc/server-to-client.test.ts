import { expect, it } from 'vitest';
import type { NotificationDeclaration } from '../../server/protocol/declaration.ts';
import type { RequestMethod } from '../../server/rpc/call/define.ts';
import { initialized } from './conversation.ts';

const work: RequestMethod = {
	method: 'context/work',
	async handle(_, { progress }) {
		progress.begin('Compacting');
		progress.begin('again');
		await new Promise((resolve) => setTimeout(resolve, 5));
		progress.report('half way', 50);
		progress.report('dropped, since the one before is on its way', 51);
		await new Promise((resolve) => setTimeout(resolve, 5));
		return 'done';
	},
};

const summarize: RequestMethod = {
	method: 'context/ask',
	handle: (_, { client, signal }) => client.request('context/summarize', { prompt: 'x' }, signal),
};

it('progress is reported under the token of the request, and ends before the reply', async () => {
	const talk = await initialized({ requests: [work] });
	talk.send({ id: 1, method: 'context/work', params: { workDoneToken: 'w' } });
	const { messages } = await talk.finish();
	expect(messages).toEqual([
		...[
			{ kind: 'begin', title: 'Compacting', cancellable: true },
			{ kind: 'report', message: 'half way', percentage: 50 },
			{ kind: 'end' },
		].map((value) => ({ jsonrpc: '2.0', method: '$/progress', params: { token: 'w', value } })),
		{ jsonrpc: '2.0', id: 1, result: 'done' },
	]);
});

it('no progress is sent without a token', async () => {
	const talk = await initialized({ requests: [work] });
	talk.send({ id: 1, method: 'context/work' });
	expect((await talk.finish()).messages).toHaveLength(1);
});

it("the client's result or error is passed on", async () => {
	const talk = await initialized({ requests: [summarize] });
	talk.send({ id: 'a', method: 'context/ask' });
	const first = await talk.next();
	expect(first).toMatchObject({ method: 'context/summarize', params: { prompt: 'x' } });
	talk.send({ id: first.id, result: { text: 'short' } });
	expect(await talk.next()).toEqual({ jsonrpc: '2.0', id: 'a', result: { text: 'short' } });
	talk.send({ id: 'b', method: 'context/ask' });
	talk.send({ id: (await talk.next()).id, error: { code: -31000, message: 'no model' } });
	expect(await talk.next()).toMatchObject({ id: 'b', error: { code: -31000, message: 'no model' } });
});

it('a request fails if the client answers with neither a result nor an error', async () => {
	const talk = await initialized({ requests: [summarize] });
	talk.send({ id: 'a', method: 'context/ask' });
	talk.send({ jsonrpc: '2.0', id: (await talk.next()).id });
	expect(await talk.next()).toMatchObject({
		id: 'a',
		error: { message: expect.stringContaining('neither') },
	});
});

it('a cancellation is forwarded to the client, without waiting for its answer', async () => {
	const talk = await initialized({ requests: [summarize] });
	talk.send({ id: 'a', method: 'context/ask' });
	const { id } = await talk.next();
	talk.send({ method: '$/cancelRequest', params: { id: 'a' } });
	const told = [await talk.next(), await talk.next()];
	expect(told).toContainEqual({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } });
	expect(told).toContainEqual(
		expect.objectContaining({ id: 'a', error: expect.objectContaining({ code: -32800 }) }),
	);
});

it('a request to the client fails when the input ends, since no answer can arrive', async () => {
	const talk = await initialized({ requests: [summarize] });
	talk.send({ id: 'a', method: 'context/ask' });
	await talk.next();
	const { messages, code } = await talk.finish();
	expect(messages).toMatchObject([{ id: 'a', error: { code: -32603 } }]);
	expect(code).toBe(0);
});

it('logs a notification that cannot be serialized', async () => {
	const talk = await initialized();
	const counted: NotificationDeclaration<{ n: bigint }> = {
		kind: 'notification',
		method: 'context/counted',
		direction: 'to the client',
		since: '0.1.0',
	};
	await talk.server.client.notify(counted, { n: 1n });
	expect(talk.log.join('\n')).toMatch(/error could not send context\/counted: .*BigInt/);
});
