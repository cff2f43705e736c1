import { afterEach, beforeEach, expect, it } from 'vitest';
import { didChange } from '../../server/protocol/push.ts';
import { echo, hang, initialized } from './conversation.ts';

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);

beforeEach(() => {
	unhandled.length = 0;
	process.on('unhandledRejection', note);
});
afterEach(async () => {
	await new Promise((resolve) => setTimeout(resolve, 10));
	process.off('unhandledRejection', note);
	expect(unhandled).toEqual([]);
});

it('the server ends when its output fails, and cancels running requests', async () => {
	let aborted = false;
	const watched = {
		...hang,
		handle(params: unknown, context: Parameters<typeof hang.handle>[1]) {
			context.signal.addEventListener('abort', () => {
				aborted = true;
			});
			return hang.handle(params, context);
		},
	};
	const talk = await initialized({ requests: [watched, echo] });
	talk.send({ id: 1, method: 'context/hang' });
	await talk.ask('context/echo');
	talk.output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
	expect(await talk.server.exitCode).toBe(1);
	expect(aborted).toBe(true);
});

it('the server ends when its output closes while a reply waits to be read', async () => {
	const talk = await initialized();
	talk.output.pause();
	for (let id = 0; id < 5; id++) {
		talk.send({ id, method: 'context/echo', params: { text: 'x'.repeat(100_000) } });
	}
	await new Promise((resolve) => setTimeout(resolve, 20));
	talk.output.destroy();
	expect(await talk.server.exitCode).toBe(1);
});

it('the server drops notifications to a client that has left', async () => {
	const talk = await initialized();
	const { client } = talk.server;
	talk.output.destroy();
	void client.notify(didChange, { sessionId: 's', stats: null });
	await talk.server.exitCode;
	await expect(client.notify(didChange, { sessionId: 's', stats: null })).resolves.toBeUndefined();
	client.createProgress(1).begin('late');
	await expect(client.request('context/summarize', {})).rejects.toThrow('closed the connection');
});
