import { describe, expect, it } from 'vitest';
import { contextCompact, contextPrepare, contextUndo } from '../../../server/protocol/compact.ts';
import { contextCheckpoint, contextRollback } from '../../../server/protocol/history.ts';
import { contextCount } from '../../../server/protocol/measuring.ts';
import { sessionAppend, sessionReportUsage, sessionRewind } from '../../../server/protocol/session.ts';
import { contextTimeline } from '../../../server/protocol/stats.ts';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { soundStats } from '../../support/sound.ts';
import { conversation, sessionMaker } from '../../support/talk.ts';

const app = sharedApp();

const withMessages = sessionMaker(app, 'usage');

const append = (sessionId: string, ...messages: unknown[]) => app.ask(sessionAppend, { sessionId, messages });

const sound = (sessionId: string, over: Record<string, unknown> = {}) => soundStats(app, sessionId, over);

const usage = (input: number, output = 10) => ({ usage: { input, output } });

describe('usage that a provider reports', () => {
	it('reported usage covers the prompt with its cached parts and the answer; later messages are estimated', async () => {
		const figure = { input: 100, cacheRead: 2000, cacheWrite: 50, output: 30 };
		const id = await withMessages([userSays('hi'), assistantSays('x'.repeat(120), { usage: figure })]);
		expect(await sound(id)).toMatchObject({ source: 'reported', estimatedInputTokens: 2180 });
		const counted = await app.ask(contextCount, {
			messages: [{ role: 'tool', toolCallId: '1', content: 'y'.repeat(400) }],
			provider: 'anthropic',
			model: 'claude-sonnet-4',
		});
		await append(id, { role: 'tool', toolCallId: '1', content: 'y'.repeat(400) });
		const after = await sound(id);
		expect(after.source).toBe('anchored');
		// The heuristic count includes 24 tokens for the conversation as a whole.
		const ofMessage = counted.breakdown.conversationHistory - 24;
		expect(Math.abs(after.estimatedInputTokens - 2180 - ofMessage)).toBeLessThanOrEqual(1);
	});

	it('reported usage is the newest, never a sum over turns', async () => {
		const id = await withMessages([]);
		for (let turn = 0; turn < 10; turn++)
			await append(id, userSays(`short ${turn}`), assistantSays('ok', usage(9000, 5)));
		expect(await sound(id)).toMatchObject({ source: 'reported', estimatedInputTokens: 9005 });
	});

	it('usage below our count scales the history down, and leaves nothing for other parts', async () => {
		const id = await withMessages([userSays('word '.repeat(5000)), assistantSays('b', usage(100, 5))]);
		expect(await sound(id)).toMatchObject({
			estimatedInputTokens: 105,
			breakdown: { conversationHistory: 105, other: 0 },
		});
	});

	it('reported usage already includes a system prompt that is given later', async () => {
		const id = await withMessages([userSays('a'), assistantSays('b', usage(5000, 5))]);
		const before = await sound(id);
		const after = await sound(id, { request: { systemPrompt: 'be brief '.repeat(100) } });
		expect(after.estimatedInputTokens).toBe(before.estimatedInputTokens);
		expect(after.breakdown.systemPrompt).toBeGreaterThan(200);
	});

	it('reported usage prevents a compaction that the estimate of a huge result would have started', async () => {
		const id = await withMessages([
			userSays('go'),
			assistantSays('', { toolCalls: [{ id: '1', name: 'bash', args: { command: 'cat log' } }] }),
			{ role: 'tool', toolCallId: '1', content: 'a line of the log\n'.repeat(360_000) },
		]);
		expect((await sound(id)).shouldCompact).toBe(true);
		await append(id, assistantSays('done', usage(17_000, 20)), userSays('next'));
		const stats = await sound(id);
		expect(stats.shouldCompact).toBe(false);
		expect(stats.estimatedInputTokens).toBeLessThan(17_100);
		expect((await app.ask(contextPrepare, { sessionId: id })).compaction).toBeNull();
	});
});

describe('usage that is reported late', () => {
	const messages = [
		userSays('a '.repeat(500)),
		assistantSays('b', { id: 'a1' }),
		userSays('c '.repeat(500)),
		assistantSays('d', { id: 'a2' }),
		userSays('e'),
	];

	it('late usage counts from its message on', async () => {
		const id = await withMessages(messages);
		const { stats } = await app.ask(sessionReportUsage, {
			sessionId: id,
			messageId: 'a2',
			usage: { input: 5000, output: 20 },
		});
		expect(stats).toMatchObject({ source: 'anchored' });
		expect(stats?.estimatedInputTokens).toBeGreaterThan(5020);
		expect(stats?.estimatedInputTokens).toBeLessThan(5060);
		expect(await sound(id)).toEqual(stats);
	});

	it('late usage does not replace that of a newer message', async () => {
		const id = await withMessages(messages);
		const report = (messageId: string, input: number) =>
			app.ask(sessionReportUsage, { sessionId: id, messageId, usage: { input, output: 20 } });
		const newest = await report('a2', 5000);
		expect((await report('a1', 3000)).stats).toEqual(newest.stats);
		expect((await report('a2', 6000)).stats?.estimatedInputTokens).toBe(
			(newest.stats?.estimatedInputTokens ?? 0) + 1000,
		);
	});

	it('late usage is refused for a message that no model wrote', async () => {
		const id = await withMessages([userSays('a', { id: 'u' })]);
		const refusal = await app.refusal('session/reportUsage', {
			sessionId: id,
			messageId: 'u',
			usage: { input: 1, output: 1 },
		});
		expect([refusal.code, refusal.message]).toEqual([-32602, expect.stringContaining('messageId')]);
	});

	it('late usage appears in the timeline', async () => {
		const id = await withMessages(messages);
		await app.ask(sessionReportUsage, { sessionId: id, messageId: 'a2', usage: { input: 5000, output: 20 } });
		const { points } = await app.ask(contextTimeline, { sessionId: id });
		expect(points.map(({ messageId, source }) => [messageId, source])).toEqual([
			['a1', 'estimated'],
			['a2', 'reported'],
		]);
		expect(points[1]?.tokens).toBe(5020);
	});
});

describe('usage from before a change of the history', () => {
	const long = [...conversation(20, 200), assistantSays('last', { id: 'last', ...usage(30_000) })];

	it('usage is dropped by a compaction, which subtracts what it saved', async () => {
		const id = await withMessages(long);
		const before = await sound(id);
		const compacted = await app.ask(contextCompact, { sessionId: id });
		const after = await sound(id);
		expect(compacted?.tokensBefore).toBe(before.breakdown.conversationHistory);
		expect(compacted?.tokensAfter).toBe(after.breakdown.conversationHistory);
		expect(after.estimatedInputTokens).toBe(before.estimatedInputTokens - (compacted?.tokensSaved ?? 0));
		expect(after.source).toBe('estimated');
		expect((await app.ask(contextCompact, { sessionId: id }))?.reasonCode).toBe('just_compacted');
		expect((await app.ask(contextPrepare, { sessionId: id })).compaction).toBeNull();
	});

	it('usage from before a compaction is ignored when it is reported again', async () => {
		const id = await withMessages(long);
		await app.ask(contextCompact, { sessionId: id });
		const after = await sound(id);
		const { stats } = await app.ask(sessionReportUsage, {
			sessionId: id,
			messageId: 'last',
			usage: { input: 30_000, output: 10 },
		});
		expect(stats).toEqual(after);
	});

	it('usage is dropped by an undo', async () => {
		const id = await withMessages(long);
		const before = await sound(id);
		await app.ask(contextCompact, { sessionId: id });
		const { stats } = await app.ask(contextUndo, { sessionId: id });
		expect(stats).toMatchObject({ source: 'estimated', estimatedInputTokens: before.estimatedInputTokens });
	});

	it('usage is dropped by a rollback or rewind that removed its message', async () => {
		const id = await withMessages(conversation(4));
		const { checkpointId } = await app.ask(contextCheckpoint, { sessionId: id });
		await append(id, userSays('next'), assistantSays('x', { id: 'x', ...usage(50_000) }));
		const { stats } = await app.ask(contextRollback, { sessionId: id, checkpointId });
		expect(stats?.source).toBe('estimated');
		await append(id, userSays('next'), assistantSays('y', { id: 'y', ...usage(60_000) }));
		const rewound = await app.ask(sessionRewind, { sessionId: id, messageId: 'm0' });
		expect(rewound.hidden).toContain('y');
		expect(rewound.stats?.source).toBe('estimated');
	});

	it('new usage after a compaction counts', async () => {
		const id = await withMessages(long);
		await app.ask(contextCompact, { sessionId: id });
		await append(id, userSays('next'), assistantSays('z', usage(12_000, 5)));
		expect(await sound(id)).toMatchObject({ source: 'reported', estimatedInputTokens: 12_005 });
	});
});
