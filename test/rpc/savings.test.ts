import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { contextCompact } from '../../server/protocol/compact.ts';
import { sessionAppend, sessionDelete, sessionOpen } from '../../server/protocol/session.ts';
import { type ContextStats, contextStats } from '../../server/protocol/stats.ts';
import { type App, freshFolder, removeFolders, startTestApp } from '../support/app.ts';

afterAll(removeFolders);

const words = 'one two three four five six seven eight nine ten '.repeat(1600);

/** Appends a prompt with a large text, and an answer whose usage was reported. */
async function ask(app: App, no: number, input: number, text = words): Promise<void> {
	const usage = { input, output: 10, cacheRead: 0, cacheWrite: 0 };
	await app.ask(sessionAppend, {
		sessionId: 's',
		messages: [
			{ role: 'user', id: `u${no}`, content: text },
			{ role: 'assistant', id: `a${no}`, content: 'Done.', usage },
		],
	});
}

async function statsOf(app: App): Promise<ContextStats> {
	const stats = await app.ask(contextStats, { sessionId: 's' });
	if (stats === null) throw new Error('the session has no messages');
	return stats;
}

const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };

/** Opens a session that grows to 120,000 tokens, is compacted, and continues. */
async function playCompacted(app: App): Promise<void> {
	await app.ask(sessionOpen, { sessionId: 's', ...model });
	for (let no = 1; no <= 6; no++) await ask(app, no, no * 20_000);
	expect((await statsOf(app)).savings).toBeUndefined();
	await app.ask(contextCompact, { sessionId: 's', targetTokens: 20_000 });
	const { lastCompaction } = await statsOf(app);
	const left = lastCompaction?.tokensAfter ?? 0;
	expect(left).toBeLessThan(60_000);
	for (let no = 7; no <= 40; no++) await ask(app, no, left + 500 + no, 'Go on.');
}

it('stats say what a compaction saved, and the sum survives a restart and the session', async () => {
	const home = freshFolder();
	const app = await startTestApp({ home });
	await playCompacted(app);
	const { savings } = await statsOf(app);
	expect(savings?.tokens).toBeGreaterThan(0);
	expect(savings?.usd).toBeCloseTo(((savings?.tokens ?? 0) * 3) / 1e6);
	await app.stop();

	const file = join(home, 'savings.json');
	expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
		total: { tokens: savings?.tokens },
		sessions: { s: { tokens: savings?.tokens } },
	});
	const next = await startTestApp({ home });
	expect((await statsOf(next)).savings).toMatchObject({
		tokens: savings?.tokens,
	});
	await next.ask(sessionDelete, { sessionId: 's' });
	await next.ask(sessionOpen, { sessionId: 's', ...model });
	await ask(next, 1, 100, 'Hello.');
	expect((await statsOf(next)).savings).toMatchObject({ tokens: 0, total: { tokens: savings?.tokens } });
	await next.stop();
	expect(JSON.parse(readFileSync(file, 'utf8')).sessions).toEqual({});
});

it('savings are not written to disk if sessions are only in memory', async () => {
	const home = freshFolder();
	const app = await startTestApp({ home, environment: { CONTEXTD_MEMORY_ENABLED: 'false' } });
	await playCompacted(app);
	expect((await statsOf(app)).savings).toEqual({ tokens: expect.any(Number), usd: expect.any(Number) });
	await app.stop();
	expect(existsSync(join(home, 'savings.json'))).toBe(false);
});
