import { describe, expect, it } from 'vitest';
import { Conversations } from '../../client-claude/src/conversations.ts';
import { compactAtTurnEnd, suggestCompactionAfterIdle } from '../../client-claude/src/earlyCompaction.ts';
import type { Host } from '../../client-claude/src/host.ts';
import type { Ask } from '../../kit/ports.ts';

const said: string[] = [];

/** Returns a simulated host of Claude Code with these settings for plugins. */
const hostWith = (agents: object) =>
	({
		plugin: { root: '/plugin' },
		clock: { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) },
		process: { hookEnv: async () => ({ CLAUDE_CODE_SESSION_ID: 's' }) },
		fs: {
			read: async (path: string) =>
				JSON.stringify(path === '/settings' ? { agents } : { argv: [], settings: '/settings' }),
		},
		ui: { log: (text: string) => said.push(text) },
	}) as unknown as Host;
const host = hostWith({});

const hour = 3_600_000;
const both = { toolResultTokens: 4000, compactWhenCold: true, compactAtTurnEnd: true };
const neither = { toolResultTokens: 4000, compactWhenCold: false, compactAtTurnEnd: false };

/** Returns the main conversation over a daemon with these stats, and the requested methods. */
async function main(agents: typeof both, figures: object) {
	const asked: string[] = [];
	const ask = (async (method: string) => {
		asked.push(method);
		return method === 'context/stats'
			? figures
			: { created: false, messageCount: 1, messages: [], messageIds: [] };
	}) as unknown as Ask;
	const store = { load: async () => undefined, save: async () => {} };
	const conversations = new Conversations(() => ({ ask, store, settings: () => agents }));
	return { asked, conversations, held: await conversations.getCurrent(host, undefined) };
}

describe('resuming a session', () => {
	const long = { estimatedInputTokens: 150_000, shouldCompact: false };
	it.each([
		['long and idle for two hours is offered', { ...long, lastActivityAt: -2 * hour }, true],
		['long and idle for half an hour is not offered', { ...long, lastActivityAt: -hour / 2 }, false],
		[
			'short and idle for two hours is not offered',
			{ ...long, estimatedInputTokens: 50_000, lastActivityAt: -2 * hour },
			false,
		],
		[
			'due for a compaction anyway is not offered',
			{ ...long, shouldCompact: true, lastActivityAt: -2 * hour },
			false,
		],
	])('a resumed session that is %s an early compaction', async (_what, figures, isOffered) => {
		const { conversations } = await main(neither, figures);
		said.length = 0;
		await suggestCompactionAfterIdle(hostWith(neither), conversations, 0);
		expect(said).toHaveLength(isOffered ? 1 : 0);
	});

	it('a resumed session is offered nothing if the daemon is gone', async () => {
		const { conversations, held } = await main(neither, {});
		held.ask = (async () => {
			throw new Error('gone');
		}) as Ask;
		said.length = 0;
		await suggestCompactionAfterIdle(hostWith(neither), conversations, 0);
		expect(said).toEqual([]);
	});
});

describe('end of a turn', () => {
	it.each([
		['compacts at the end of a turn if a compaction is nearly due', both, 0.75, true],
		['does not compact at the end of a turn if no compaction is nearly due', both, 0.5, false],
		['does not compact at the end of a turn without the setting', neither, 0.75, false],
	])('%s', async (_what, agents, usageRatio, isCompacted) => {
		const { held, conversations, asked } = await main(agents, {});
		held.lastRequest = { hostMessages: [{ role: 'user', content: 'Hello' }], context: {} };
		held.stats = { usageRatio, thresholds: { compact: 0.8 } } as NonNullable<typeof held.stats>;
		await compactAtTurnEnd(host, conversations);
		expect(asked.includes('context/compact')).toBe(isCompacted);
	});

	it('does not compact at the end of a turn after an undo', async () => {
		const { held, conversations, asked } = await main(both, {});
		held.lastRequest = { hostMessages: [{ role: 'user', content: 'Hello' }], context: {} };
		held.stats = { usageRatio: 0.75, thresholds: { compact: 0.8 } } as NonNullable<typeof held.stats>;
		held.isUndone = true;
		await compactAtTurnEnd(host, conversations);
		expect(asked).toEqual([]);
	});
});
