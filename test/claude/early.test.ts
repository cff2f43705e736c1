import { describe, expect, it } from 'vitest';
import { heldConversations } from '../../client-claude/src/conversations.ts';
import { compactAtTurnEnd, isDueWhenCold, offerWhenCold } from '../../client-claude/src/early.ts';
import type { Host } from '../../client-claude/src/host.ts';
import type { Ask } from '../../kit/ports.ts';

const said: string[] = [];

/** Claude Code's end, where the user set this for plugins. */
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

/** The main conversation over a daemon that gives these figures, and what it was asked. */
async function main(agents: typeof both, figures: object) {
	const asked: string[] = [];
	const ask = (async (method: string) => {
		asked.push(method);
		return method === 'context/stats'
			? figures
			: { created: false, messageCount: 1, messages: [], messageIds: [] };
	}) as unknown as Ask;
	const store = { load: async () => undefined, save: async () => {} };
	const conversations = heldConversations(() => ({ ask, store, settings: () => agents }));
	return { asked, conversations, held: await conversations.current(host, undefined) };
}

describe('a session that is taken up again', () => {
	it.each([
		['long and cold', both, { estimatedInputTokens: 150_000, lastActivityAt: -2 * hour }, true, false],
		['long and warm', both, { estimatedInputTokens: 150_000, lastActivityAt: -hour / 2 }, false, false],
		['short and cold', neither, { estimatedInputTokens: 50_000, lastActivityAt: -2 * hour }, false, false],
		['not to be touched', neither, { estimatedInputTokens: 150_000, lastActivityAt: -2 * hour }, false, true],
	])('that is %s', async (_what, agents, figures, isDue, isOffered) => {
		const { held, conversations } = await main(agents, figures);
		expect(await isDueWhenCold(hostWith(agents), held, 0)).toBe(isDue);
		said.length = 0;
		await offerWhenCold(hostWith(agents), conversations, 0);
		expect(said).toHaveLength(isOffered ? 1 : 0);
	});

	it('is not compacted first where the daemon is away', async () => {
		const { held } = await main(both, {});
		held.ask = (async () => {
			throw new Error('gone');
		}) as Ask;
		expect(await isDueWhenCold(hostWith(both), held, 0)).toBe(false);
	});
});

describe('the end of a turn', () => {
	it.each([
		['near a compaction', both, 0.75, true],
		['far from one', both, 0.5, false],
		['where nobody asked for it', neither, 0.75, false],
	])('that is %s', async (_what, agents, usageRatio, isCompacted) => {
		const { held, conversations, asked } = await main(agents, {});
		held.last = { raw: [{ role: 'user', content: 'Hello' }], context: {} };
		held.stats = { usageRatio, thresholds: { compact: 0.8 } } as NonNullable<typeof held.stats>;
		await compactAtTurnEnd(host, conversations);
		expect(asked.includes('context/compact')).toBe(isCompacted);
	});

	it('leaves what the user took back', async () => {
		const { held, conversations, asked } = await main(both, {});
		held.last = { raw: [{ role: 'user', content: 'Hello' }], context: {} };
		held.stats = { usageRatio: 0.75, thresholds: { compact: 0.8 } } as NonNullable<typeof held.stats>;
		held.isUndone = true;
		await compactAtTurnEnd(host, conversations);
		expect(asked).toEqual([]);
	});
});
