import { expect, it } from 'vitest';
import { Failure } from '../../server/core/failure.ts';
import type { RequestMethod } from '../../server/rpc/call/define.ts';
import { framed, hang, initialized } from './conversation.ts';

const hangMethod = { id: 1, method: 'context/hang', params: {} };
const cancel = { method: '$/cancelRequest', params: { id: 1 } };

it('a running request that is cancelled is answered with -32800', async () => {
	const talk = await initialized();
	talk.send(hangMethod);
	await talk.ask('context/echo');
	talk.send(cancel);
	expect(await talk.next()).toMatchObject({ id: 1, error: { code: -32800 } });
});

it('a request that was cancelled while it waited for its turn never starts', async () => {
	let started = 0;
	const counted: RequestMethod = { ...hang, handle: () => ++started };
	const talk = await initialized({ requests: [counted] });
	talk.input.write(Buffer.concat([framed(hangMethod), framed(cancel)]));
	expect(await talk.next()).toMatchObject({ id: 1, error: { code: -32800 } });
	expect(started).toBe(0);
});

it('a cancelled request that succeeds nevertheless is answered with its result', async () => {
	const stubborn: RequestMethod = {
		method: 'context/stubborn',
		handle: (_, { signal }) =>
			new Promise((resolve) => signal.addEventListener('abort', () => resolve({ done: true }))),
	};
	const talk = await initialized({ requests: [stubborn] });
	talk.send({ id: 1, method: 'context/stubborn' });
	await talk.ask('context/none');
	talk.send(cancel);
	expect(await talk.next()).toMatchObject({ id: 1, result: { done: true } });
});

it('a failure is reported with its own code even after a cancellation', async () => {
	const failing: RequestMethod = {
		...hang,
		handle: (_, { signal }) =>
			new Promise((_resolve, reject) => {
				signal.addEventListener('abort', () => reject(new Failure('StorageFailed', 'disk full')));
			}),
	};
	const talk = await initialized({ requests: [failing] });
	talk.send(hangMethod);
	await talk.ask('context/none');
	talk.send(cancel);
	expect(await talk.next()).toMatchObject({ error: { code: -31992 } });
});

it('the cancellation of an answered or unknown request is ignored', async () => {
	const talk = await initialized();
	talk.send({ method: '$/cancelRequest', params: { id: 77 } });
	expect(await talk.ask('context/echo')).toMatchObject({ result: {} });
	talk.send(hangMethod, cancel);
	expect(await talk.next()).toMatchObject({ error: { code: -32800 } });
});
