import { expect, it } from 'vitest';
import { converse, initialized } from './conversation.ts';

const setTrace = (value: unknown) => ({ method: '$/setTrace', params: { value } });

async function traced(trace: unknown) {
	const talk = converse();
	talk.send({ id: 1, method: 'initialize', params: { trace } });
	expect(await talk.next()).toMatchObject({ id: 1, result: {} });
	return talk;
}

it('no trace is sent to a client that asked for none', async () => {
	for (const trace of [undefined, 'off', null, 'loud', 5]) {
		const talk = await traced(trace);
		expect(await talk.ask('context/echo')).toMatchObject({ result: {} });
		expect((await talk.finish()).messages).toEqual([]);
	}
});

it('traces method, outcome and duration of each message, without params', async () => {
	const talk = await traced('messages');
	talk.send({ id: 2, method: 'context/echo', params: { a: 'secret' } });
	const { method, params } = await talk.next();
	expect(method).toBe('$/logTrace');
	expect(params).toEqual({ message: expect.stringMatching(/^context\/echo: done after \d+ ms$/) });
	expect(await talk.next()).toMatchObject({ id: 2, result: { a: 'secret' } });
	talk.send({ id: 3, method: 'context/none' });
	expect(await talk.next()).toMatchObject({
		params: { message: expect.stringMatching(/^context\/none: failed with -32601 after \d+ ms$/) },
	});
});

it('$/setTrace changes the trace', async () => {
	const talk = await initialized();
	talk.send(setTrace('verbose'));
	const text = 'x'.repeat(100);
	talk.send({ id: 2, method: 'context/echo', params: { text, list: [1, 2], count: 3 } });
	expect(await talk.next()).toMatchObject({
		params: {
			message: expect.stringContaining('context/echo: done'),
			verbose: `"text": "${'x'.repeat(60)}…", "list": array, "count": 3`,
		},
	});
	expect(await talk.next()).toMatchObject({ id: 2 });
	talk.send(setTrace('loud'));
	expect(await talk.next()).toMatchObject({ params: { message: expect.stringContaining('$/setTrace') } });
	talk.send(setTrace('off'));
	expect(await talk.next()).toMatchObject({ params: { message: expect.stringContaining('$/setTrace') } });
	talk.send({ id: 3, method: 'context/echo' });
	expect(await talk.next()).toMatchObject({ id: 3 });
	expect(talk.log.join('\n')).toContain('$/setTrace ignored: params.value');
});
