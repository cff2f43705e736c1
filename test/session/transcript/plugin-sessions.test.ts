import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPluginAgent, listPluginSessions } from '../../../server/core/transcript/agents.ts';
import { createOwnedJournals } from '../../../server/node/folderOwner.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { needsCompaction } from '../../../server/session/contextUsage.ts';
import { readStats } from '../../../server/session/stats.ts';
import { openSession } from '../../../server/session/store/sessions.ts';
import { SessionStore } from '../../../server/session/store/store.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { importerOver, sessionOf } from '../../support/transcripts.ts';
import { type TestWorld, testWorld } from '../../support/world.ts';

let world: TestWorld;

beforeEach(() => {
	world = testWorld();
});

afterEach(removeFolders);

/** Opens a session as a plugin does, with one message of this many tokens. Returns the session's stats. */
async function fed(sessionId: string, tokens: number, open: { contextWindow?: number; model?: string } = {}) {
	const { store } = world;
	await openSession(store, world.client, {
		sessionId,
		model: 'claude-sonnet-4-5',
		provider: 'anthropic',
		...open,
	});
	await store.run(sessionId, world.client, (session) =>
		appendMessages(session, [{ id: 'u0', role: 'user', content: 'Hello', tokens }], 'contextd', {
			client: session.client,
		}),
	);
	return statsAt(store, sessionId);
}

async function statsAt(store: SessionStore, sessionId: string) {
	const stats = await readStats(await sessionOf(store, sessionId), world.client);
	if (stats === null) throw new Error('there is no message');
	return stats;
}

describe('sessions that a plugin fills', () => {
	it('an OpenCode session reserves the stated size of an answer', async () => {
		const { store } = world;
		const stated = { provider: 'own', model: 'own-1', contextWindow: 32_000, maxOutputTokens: 8192 };
		await openSession(store, world.client, { sessionId: 'opencode:stated', ...stated });
		expect(await fed('opencode:stated', 1000, stated)).toMatchObject({ availableInputTokens: 23_808 });
	});

	it('stats report a compaction as held back if it would not pay back, unless the user set the threshold', async () => {
		const { store } = world;
		const model = { model: 'claude-sonnet-4-5', provider: 'anthropic' };
		await openSession(store, world.client, { sessionId: 'claude:small', ...model, contextWindow: 68_000 });
		const growth = 1500;
		const requests = Array.from({ length: 9 }, (_, no) => [
			{ id: `u${no}`, role: 'user', content: 'Go on', tokens: growth / 2 },
			{
				id: `a${no}`,
				role: 'assistant',
				content: 'Done',
				tokens: growth / 2,
				usage: { input: 17_400 + no * growth, output: growth / 2, cacheRead: 0, cacheWrite: 0 },
			},
		]).flat();
		await store.run('claude:small', world.client, (session) =>
			appendMessages(session, requests, 'contextd', { client: session.client }),
		);
		const held = await statsAt(store, 'claude:small');
		expect(held.usageRatio).toBeGreaterThan(0.8);
		expect(held).toMatchObject({ isHeldBack: true, shouldCompact: false });
		world.configure({ compaction: { threshold: 0.8 } });
		const set = await statsAt(store, 'claude:small');
		expect(set.shouldCompact).toBe(true);
		expect(set.isHeldBack).toBeUndefined();
	});

	it("a plugin's session is due at the usual share of its agent, or at the threshold that was set", async () => {
		const dueAt = async (sessionId: string) => (await fed(sessionId, 1000)).thresholds.compact;
		expect([await dueAt('claude:d'), await dueAt('opencode:d'), await dueAt('pi:d')]).toEqual([
			0.8, 0.9, 0.9,
		]);
		world.configure({ compaction: { threshold: 0.7 } });
		expect([await dueAt('claude:e'), await dueAt('opencode:e'), await dueAt('pi:e')]).toEqual([
			0.7, 0.7, 0.7,
		]);
	});

	it("a plugin's session is measured against the limit of its agent, and contextd compacts it", async () => {
		expect(await fed('claude:s', 100_000)).toMatchObject({
			agent: 'claude-code',
			contextWindow: 200_000,
			availableInputTokens: 167_000,
			outputReserve: 33_000,
			limit: { tokens: 167_000, of: 'agent', compacts: 'contextd' },
			shouldCompact: false,
		});
	});

	it("a plugin's session is due before its agent would compact", async () => {
		const stats = await fed('claude:s', 140_000);
		expect(stats).toMatchObject({ shouldCompact: true, withinBudget: true });
		expect(stats.thresholds.compact).toBe(0.8);
		expect(await needsCompaction(await sessionOf(world, 'claude:s'), world.client, {})).toBe(true);
	});

	it("a plugin's session is an overflow only beyond the window itself", async () => {
		expect((await fed('claude:s', 190_000)).state).toBe('critical');
		expect((await fed('claude:t', 201_000)).state).toBe('overflow');
	});

	it("a plugin's session has the window that the plugin states, minus the buffer of the agent", async () => {
		const stats = await fed('claude:s', 100_000, { contextWindow: 1_000_000 });
		expect(stats).toMatchObject({
			contextWindow: 1_000_000,
			limit: { tokens: 967_000, of: 'agent', compacts: 'contextd' },
		});
	});

	it("a plugin's session has the limit of its agent’s settings", async () => {
		const settings = { autoCompactWindow: 120_000 };
		await openSession(world.store, world.client, {
			sessionId: 'claude:s',
			model: 'claude-sonnet-4-5',
			agentSettings: { settings, environment: {} },
		});
		expect((await fed('claude:s', 10)).limit.tokens).toBe(87_000);
	});

	it("a plugin's session is left to its agent if automatic compaction is off", async () => {
		world.configure({ compaction: { enabled: false } });
		expect(await fed('claude:s', 160_000)).toMatchObject({
			limit: { tokens: 167_000, compacts: 'agent' },
			shouldCompact: false,
		});
	});

	it.each([
		['claude:s/explore-1', 'claude-code', 167_000],
		['opencode:ses_1', 'opencode', 168_000],
		['pi:0199', 'pi', 183_616],
	])('the session id %s names the agent %s', async (sessionId, agent, tokens) => {
		expect(await fed(sessionId, 10)).toMatchObject({ agent, limit: { tokens, compacts: 'contextd' } });
	});

	it('a session id without a plugin’s prefix names no agent', async () => {
		expect(findPluginAgent('claude-code-0123')).toBeUndefined();
		expect(findPluginAgent('claude')).toBeUndefined();
		expect((await fed('mine', 10)).agent).toBeUndefined();
	});
});

const lines = [
	{ type: 'user', uuid: 'u', sessionId: 'x', cwd: '/w', message: { role: 'user', content: 'From the file' } },
	{
		type: 'assistant',
		uuid: 'a',
		parentUuid: 'u',
		sessionId: 'x',
		message: {
			id: 'm',
			role: 'assistant',
			model: 'claude-sonnet-4-5',
			content: [{ type: 'text', text: 'Yes' }],
		},
	},
];

function transcript(name: string): string {
	const path = join(freshFolder(), name);
	writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
	// The tests' clock begins in 1970.
	utimesSync(path, 1, 1);
	return path;
}

describe('transcripts of sessions that a plugin fills', () => {
	it('importing or following the transcript of a plugin’s session returns that session', async () => {
		await fed('claude:5f3a', 10);
		const importer = importerOver(world);
		const path = transcript('5f3a.jsonl');
		for (const follow of [true, false]) {
			expect(await importer.importTranscript({ path, follow })).toEqual({
				sessionId: 'claude:5f3a',
				source: 'claude-code',
				label: 'Claude Code',
				messageCount: 1,
				skipped: [],
			});
		}
		await importer.stopAll();
	});

	it("a followed plugin's session is updated from storage if it is read-only", async () => {
		await fed('claude:5f3a', 10);
		const journals = createOwnedJournals(world.world.journals, async () => 'another process owns it');
		const otherStore = new SessionStore({ ...world.world, journals });
		const importer = importerOver(otherStore);
		const { sessionId } = await importer.importTranscript({ path: transcript('5f3a.jsonl'), follow: true });
		await world.store.run('claude:5f3a', world.client, (session) =>
			appendMessages(session, [{ role: 'assistant', content: 'More' }], 'contextd', {
				client: session.client,
			}),
		);
		await expect.poll(async () => (await statsAt(otherStore, sessionId)).messageCount).toBe(2);
		await importer.stopAll();
		await otherStore.closeAll();
	});

	it('a transcript that continued without the plugin is imported as a session of its own', async () => {
		await fed('claude:5f3a', 10);
		const path = transcript('5f3a.jsonl');
		const importer = importerOver(world);
		utimesSync(path, 3600, 3600);
		expect((await importer.importTranscript({ path })).sessionId).toMatch(/^claude-code-/);
		await importer.stopAll();
	});

	it('a transcript is imported as a session of its own if no plugin has it, or if a session is named', async () => {
		const importer = importerOver(world);
		const path = transcript('77aa.jsonl');
		expect((await importer.importTranscript({ path })).sessionId).toMatch(/^claude-code-/);
		await fed('claude:77aa', 10);
		const named = await importer.importTranscript({ path, sessionId: 'copy' });
		expect(named).toMatchObject({ sessionId: 'copy', messageCount: 2 });
		await importer.stopAll();
	});

	it.each([
		['/home/me/.claude/projects/-w/5f3a-11.jsonl', 'claude:5f3a-11'],
		['/home/me/.pi/agent/sessions/--w--/2026-11-01T10-00-00-000Z_0199ab.jsonl', 'pi:0199ab'],
		['/home/me/.local/share/opencode/opencode.db#ses_7', 'opencode:ses_7'],
		['/home/me/.local/share/opencode/storage/session/p/ses_7.json', 'opencode:ses_7'],
	])('the transcript %s belongs to the plugin session %s', (path, sessionId) => {
		expect(listPluginSessions(path).map((one) => one.sessionId)).toContain(sessionId);
	});
});
