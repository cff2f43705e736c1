import { expect, it } from 'vitest';
import { createSessionPorts } from '../../client-claude/src/channel.ts';
import type { Host } from '../../client-claude/src/host.ts';

const listening = { socket: '/s', stateFolder: '/f', secret: 'ab'.repeat(32) };

it('the plugin says that the daemon has ended, and starts it again at the next request', async () => {
	const host = {
		clock: { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms).unref()) },
		http: {
			fetch: async () => {
				throw new Error('ECONNREFUSED: Was there a typo in the url or port?');
			},
		},
	} as unknown as Host;
	const daemon = { ...listening, isRunning: true, end() {} };
	const { ask } = createSessionPorts(async () => daemon)(host, 'claude:s');
	await expect(ask('context/stats', { sessionId: 'claude:s' }, { timeoutMs: 1000 })).rejects.toThrow(
		/^the daemon has ended; the next request starts it again$/,
	);
	expect(daemon.isRunning).toBe(false);
});

it('the plugin ends a process that does not even refuse a request', async () => {
	const host = {
		clock: { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms / 50)) },
		http: { fetch: () => new Promise(() => {}) },
	} as unknown as Host;
	let hasEnded = false;
	const end = (): void => {
		hasEnded = true;
	};
	const { ask } = createSessionPorts(async () => ({ ...listening, isRunning: true, end }))(host, 'claude:s');
	const asked = ask('context/stats', { sessionId: 'claude:s' }, { timeoutMs: 1000 });
	await expect(asked).rejects.toThrow('the daemon did not answer in time');
	await expect.poll(() => hasEnded).toBe(true);
});
