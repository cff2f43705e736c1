import { afterAll, expect, it } from 'vitest';
import { contextPrepare } from '../../../server/protocol/compact.ts';
import { sessionAppend, sessionReportUsage } from '../../../server/protocol/session.ts';
import { contextTimeline } from '../../../server/protocol/stats.ts';
import { freshFolder, removeFolders, sharedApp, startTestApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { soundStats } from '../../support/sound.ts';
import { begin, conversation, historyIn } from '../../support/talk.ts';

const app = sharedApp();

afterAll(async () => {
	await removeFolders();
});

const sums = [
	['of all that was ever read from the cache', { input: 2_000, cacheRead: 2_000_000, output: 100 }],
	['of several calls', { input: 224_070, output: 900 }],
	['of all answers', { input: 5, output: 1_000_000 }],
] as const;

it.each(sums)('a usage that is a sum %s is not taken for a prompt', async (name, usage) => {
	const id = `sum ${name}`;
	await begin(app, id, [...conversation(21, 300), assistantSays('done', { usage }), userSays('next')]);
	const stats = await soundStats(app, id);
	expect(stats).toMatchObject({ source: 'estimated', state: 'healthy', breakdown: { other: 0 } });
	const before = await historyIn(app, id);
	const prepared = await app.ask(contextPrepare, { sessionId: id });
	expect(prepared).toMatchObject({ compaction: null, warnings: [] });
	expect(prepared.messages).toEqual(before);
	const { points } = await app.ask(contextTimeline, { sessionId: id });
	expect(Math.max(...points.map((point) => point.tokens))).toBeLessThan(30_000);
	const good = assistantSays('and this', { usage: { input: 16_000, output: 10 } });
	await app.ask(sessionAppend, { sessionId: id, messages: [good] });
	expect(await soundStats(app, id)).toMatchObject({ source: 'reported', estimatedInputTokens: 16_010 });
});

it('a usage that is a sum is not taken for a prompt if it arrives late, nor after a restart', async () => {
	const home = freshFolder();
	const [, usage] = sums[0];
	const first = await startTestApp({ home });
	await begin(first, 'late', [...conversation(21, 300), assistantSays('done', { id: 'done' })]);
	const before = await soundStats(first, 'late');
	const { stats } = await first.ask(sessionReportUsage, { sessionId: 'late', messageId: 'done', usage });
	expect(stats?.estimatedInputTokens).toBe(before.estimatedInputTokens);
	await first.stop();
	const second = await startTestApp({ home });
	expect((await soundStats(second, 'late')).estimatedInputTokens).toBe(before.estimatedInputTokens);
	await second.stop();
});

it('a usage beyond a window that is only a guess counts', async () => {
	const about = { provider: 'somebody', model: 'something-new' };
	const messages = [
		...conversation(21, 300),
		assistantSays('done', { usage: { input: 300_000, output: 10 } }),
	];
	await begin(app, 'guess', messages, about);
	expect(await soundStats(app, 'guess')).toMatchObject({ source: 'reported', estimatedInputTokens: 300_010 });
});

it('a usage slightly beyond the window counts, since some providers accept such prompts', async () => {
	const messages = [
		...conversation(21, 300),
		assistantSays('done', { usage: { input: 22_000, output: 10 } }),
	];
	await begin(app, 'silent', messages, { contextWindow: 20_000 });
	expect(await soundStats(app, 'silent')).toMatchObject({ source: 'reported', estimatedInputTokens: 22_010 });
});

it('the largest messages are sorted by their size, before and after a low usage', async () => {
	const old = conversation(6, 400);
	const low = assistantSays('done', { usage: { input: 300, output: 10 } });
	await begin(app, 'low', [...old, low, userSays('word '.repeat(200), { id: 'new' }), assistantSays('yes')]);
	const { largest } = await soundStats(app, 'low');
	const tokens = largest.map((one) => one.tokens);
	expect(tokens).toEqual([...tokens].sort((a, b) => b - a));
	expect(largest[0]?.messageId).toBe('new');
});
