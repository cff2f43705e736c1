import { expect, it } from 'vitest';
import { createSessionPorts } from '../../client-claude/src/channel.ts';
import type { Host } from '../../client-claude/src/host.ts';

it('the plugin says that the daemon has ended, and starts it again at the next request', async () => {
	const host = {
		clock: { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms).unref()) },
		http: {
			fetch: async () => {
				throw new Error('ECONNREFUSED: Was there a typo in the url or port?');
			},
		},
	} as unknown as Host;
	const daemon = { socket: '/s', stateFolder: '/f', secret: 'ab'.repeat(32), isThere: true };
	const { ask } = createSessionPorts(async () => daemon)(host, 'claude:s');
	await expect(ask('context/stats', { sessionId: 'claude:s' }, { timeoutMs: 1000 })).rejects.toThrow(
		/^the daemon has ended; the next request starts it again$/,
	);
	expect(daemon.isThere).toBe(false);
});
