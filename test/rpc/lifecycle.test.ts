import { afterEach, expect, it, vi } from 'vitest';
import { Failure } from '../../server/core/failure.ts';
import { converse, hang, initialized, introduction } from './conversation.ts';

afterEach(() => {
	vi.useRealTimers();
});

const deaf = { ...hang, handle: () => new Promise(() => {}) };

it('the server waits two minutes for a request that hangs when the input ends, and then exits', async () => {
	const talk = await initialized({ requests: [deaf] });
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
	talk.send({ id: 1, method: 'context/hang' });
	const end = talk.finish();
	await new Promise(setImmediate);
	await vi.advanceTimersByTimeAsync(119_000);
	expect(await Promise.race([end, 'still there'])).toBe('still there');
	await vi.advanceTimersByTimeAsync(3_000);
	expect((await end).code).toBe(0);
	expect(talk.log.join('\n')).toContain('did not stop');
});

it('the server does not wait for a request if the client cannot read the answer', async () => {
	const talk = await initialized({ requests: [deaf] });
	talk.send({ id: 1, method: 'context/hang' });
	const end = talk.finish();
	await new Promise(setImmediate);
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
	talk.output.destroy();
	await new Promise(setImmediate);
	await vi.advanceTimersByTimeAsync(2_000);
	expect((await end).code).toBe(1);
});

it('the server answers requests before initialize with -32002 and drops notifications', async () => {
	const handled: unknown[] = [];
	const told = {
		method: 'context/told',
		handle: (params: unknown) => handled.push(params),
	};
	const talk = converse({ notifications: [told] });
	talk.send({ method: 'context/told', params: { n: 1 } });
	expect(await talk.ask('context/echo')).toMatchObject({ error: { code: -32002 } });
	expect(await talk.ask('shutdown')).toMatchObject({ error: { code: -32002 } });
	await talk.ask('initialize', {});
	talk.send({ method: 'context/told', params: { n: 2 } });
	await talk.ask('context/echo');
	expect(handled).toEqual([{ n: 2 }]);
});

it('the server refuses a second initialize with -32600', async () => {
	const talk = await initialized();
	expect(await talk.ask('initialize', {})).toMatchObject({ error: { code: -32600 } });
	expect(await talk.ask('context/echo')).toMatchObject({ result: {} });
});

it('a client may initialize again after a failure', async () => {
	let attempts = 0;
	const talk = converse({
		onInitialize() {
			if (++attempts === 1) throw new Failure('InvalidParams', 'compaction.threshold: expected 0..1, got 7');
			return introduction;
		},
	});
	expect(await talk.ask('initialize', {})).toMatchObject({ error: { code: -32602, data: { retry: false } } });
	expect(await talk.ask('context/echo')).toMatchObject({ error: { code: -32002 } });
	expect(await talk.ask('initialize', {})).toMatchObject({ result: introduction });
	expect(await talk.ask('context/echo')).toMatchObject({ result: {} });
});

it('a failed initialize says that it may succeed later', async () => {
	const talk = converse({
		onInitialize() {
			throw new Failure('StorageFailed', 'the disk is full');
		},
	});
	const { error } = await talk.ask('initialize', {});
	expect(error?.data).toEqual({ kind: 'StorageFailed', retry: true });
});

it('the server refuses requests after shutdown with -32600, and exits with 0', async () => {
	const talk = await initialized();
	expect(await talk.ask('shutdown')).toEqual({ jsonrpc: '2.0', id: expect.anything(), result: null });
	expect(await talk.ask('context/echo')).toMatchObject({ error: { code: -32600 } });
	expect(await talk.ask('shutdown')).toMatchObject({ error: { code: -32600 } });
	talk.send({ method: 'exit' });
	expect(await talk.server.exitCode).toBe(0);
});

it('the server exits with 1 without shutdown, before initialize too', async () => {
	const early = converse();
	early.send({ method: 'exit' });
	expect(await early.server.exitCode).toBe(1);
	const talk = await initialized();
	talk.send({ method: 'exit' });
	expect(await talk.server.exitCode).toBe(1);
});

it('the server releases its resources exactly once, however it ends', async () => {
	for (const messages of [
		[],
		[{ id: 1, method: 'shutdown' }],
		[{ id: 1, method: 'shutdown' }, { method: 'exit' }],
	]) {
		let released = 0;
		const talk = await initialized({ onShutdown: () => void released++ });
		talk.send(...messages);
		await talk.finish();
		expect(released).toBe(1);
	}
});

it('the server cancels a request that still runs when the client leaves', async () => {
	const talk = await initialized({ requests: [hang] });
	talk.send({ id: 1, method: 'context/hang' }, { id: 2, method: 'shutdown' }, { method: 'exit' });
	const { messages, code } = await talk.finish();
	expect(messages.find(({ id }) => id === 1)).toMatchObject({ error: { code: -32800 } });
	expect(messages.find(({ id }) => id === 2)).toMatchObject({ result: null });
	expect(code).toBe(0);
});

it('the server stops on request', async () => {
	const talk = await initialized();
	talk.server.stop();
	expect(await talk.server.exitCode).toBe(0);
});

it('the server exits with 1 if it could not release its resources', async () => {
	const talk = await initialized({
		onShutdown() {
			throw new Error('disk full');
		},
	});
	const { code } = await talk.finish();
	expect(code).toBe(1);
	expect(talk.log.join('\n')).toContain('disk full');
});
