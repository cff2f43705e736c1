import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RequestMethod } from '../../server/rpc/call/define.ts';
import { echo, hang, initialized } from './conversation.ts';

/** The limit that docs/protocol.md states for `shutdown`. */
const limitMs = 3_000;

/** Answers after two seconds. */
const slow: RequestMethod = {
	method: 'context/slow',
	handle: (params) => new Promise((resolve) => setTimeout(() => resolve(params), 2_000)),
};

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
	vi.useRealTimers();
});

/** Waits until everything that needs no timer has happened. */
async function settle(): Promise<void> {
	for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

const shutdown = { id: 9, method: 'shutdown' };

it('shutdown waits for running requests before it answers', async () => {
	const talk = await initialized({ requests: [slow] });
	talk.send({ id: 4, method: 'context/slow', params: { a: 1 } }, shutdown);
	await settle();
	await vi.advanceTimersByTimeAsync(2_000);
	expect(await talk.next()).toMatchObject({ id: 4, result: { a: 1 } });
	expect(await talk.next()).toMatchObject({ id: 9, result: null });
	expect(talk.log.join('\n')).not.toContain('cancelled');
});

it('shutdown cancels requests that exceed its limit, and logs the id and method of each', async () => {
	const talk = await initialized({ requests: [echo, hang] });
	talk.send(
		{ id: 4, method: 'context/hang' },
		{ id: 'five', method: 'context/hang' },
		{ id: 6, method: 'context/echo' },
		shutdown,
	);
	await settle();
	expect(await talk.next()).toMatchObject({ id: 6 });
	await vi.advanceTimersByTimeAsync(limitMs - 1);
	await settle();
	expect(talk.log.join('\n')).not.toContain('cancelled after');
	await vi.advanceTimersByTimeAsync(1);
	expect(await talk.next()).toMatchObject({ id: 4, error: { code: -32800 } });
	expect(await talk.next()).toMatchObject({ id: 'five', error: { code: -32800 } });
	expect(await talk.next()).toMatchObject({ id: 9, result: null });
	expect(talk.log.filter((line) => line.includes('cancelled after'))).toEqual([
		'warn cancelled after 3 s, because the daemon is stopping: "context/hang" (id 4), "context/hang" (id "five")',
	]);
});

it('shutdown keeps its limit if exit follows at once', async () => {
	const talk = await initialized({ requests: [slow] });
	talk.send({ id: 4, method: 'context/slow', params: {} }, shutdown, { method: 'exit' });
	await settle();
	await vi.advanceTimersByTimeAsync(2_000);
	expect(await talk.next()).toMatchObject({ id: 4, result: {} });
	expect(await talk.next()).toMatchObject({ id: 9, result: null });
	await vi.advanceTimersByTimeAsync(2_000);
	expect(await talk.server.exitCode).toBe(0);
});

it('shutdown names ten cancelled requests and counts the others', async () => {
	const talk = await initialized({ requests: [hang] });
	for (let id = 1; id <= 12; id++) talk.send({ id, method: 'context/hang' });
	talk.send({ id: 99, method: 'shutdown' });
	await settle();
	await vi.advanceTimersByTimeAsync(limitMs);
	await settle();
	expect(talk.log.join('\n')).toContain('(id 10) and 2 more');
});
