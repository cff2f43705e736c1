import { describe, expect, it } from 'vitest';
import { contextCompact, contextUndo } from '../../../server/protocol/compact.ts';
import { contextCount } from '../../../server/protocol/measuring.ts';
import { sessionUpdate } from '../../../server/protocol/session.ts';
import { contextStats, contextTimeline } from '../../../server/protocol/stats.ts';
import { sharedApp, startTestApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { soundStats, sum } from '../../support/sound.ts';
import { begin, conversation, sessionMaker, statsIn } from '../../support/talk.ts';

const app = sharedApp();

const withMessages = sessionMaker(app, 'stats');

const sound = (sessionId: string, over: Record<string, unknown> = {}) => soundStats(app, sessionId, over);

it('context/stats is null while a session has no messages', async () => {
	expect(await app.ask(contextStats, { sessionId: await withMessages([]) })).toBeNull();
});

describe('token counts of a client', () => {
	it('a token count of a client is used unchanged, whatever the provider reports', async () => {
		const id = await withMessages([
			userSays('a', { tokens: 777 }),
			assistantSays('b', { tokens: 12, usage: { input: 1500, output: 40 } }),
			userSays('c', { tokens: 3 }),
		]);
		const stats = await sound(id);
		expect(stats.largest.map(({ tokens }) => tokens)).toEqual([777, 12, 3]);
		expect(stats.history).toMatchObject({ user: 780, assistant: 12 });
	});

	it('a token count of a client may be a fraction', async () => {
		const id = await withMessages([userSays('a', { tokens: 1.5 }), assistantSays('b', { tokens: 0.25 })]);
		expect((await sound(id)).estimatedInputTokens).toBe(2);
	});
});

describe('parts of the request besides messages', () => {
	const request = {
		systemPrompt: 'be brief '.repeat(50),
		currentPrompt: 'and now? '.repeat(20),
		toolDefinitions: [{ name: 'run', description: 'runs a command', input_schema: { type: 'object' } }],
		fileAttachments: [{ uri: 'file:///a', content: 'x '.repeat(300) }],
	};

	it('context/stats counts each part of the request, stored or given with the call', async () => {
		const id = await withMessages([userSays('a')]);
		const over = await sound(id, { request });
		expect(
			Math.min(
				over.breakdown.systemPrompt,
				over.breakdown.currentPrompt,
				over.breakdown.toolDefinitions,
				over.breakdown.fileAttachments,
			),
		).toBeGreaterThan(0);
		await app.ask(sessionUpdate, { sessionId: id, request });
		expect((await sound(id)).breakdown).toEqual(over.breakdown);
		const other = await sound(id, { request: { systemPrompt: '' } });
		expect(other.breakdown).toEqual({ ...over.breakdown, systemPrompt: 0 });
	});

	it('maxOutputTokens of the request is the reserve for the answer', async () => {
		const id = await withMessages([userSays('a')]);
		expect((await sound(id, { request: { maxOutputTokens: 1234 } })).outputReserve).toBe(1234);
	});
});

describe('tiny windows', () => {
	it.each([1, 2, 10, 100, 4096, 8192, 16_384, 32_000])(
		'a window of %i tokens gives finite figures',
		async (contextWindow) => {
			const id = await withMessages([userSays('hi you')], { contextWindow });
			const stats = await sound(id);
			expect(stats.contextWindow).toBe(contextWindow);
			expect(stats.outputReserve).toBeLessThan(contextWindow);
			if (contextWindow >= 4096) expect([stats.state, stats.shouldCompact]).toEqual(['healthy', false]);
			expect(stats.fileBudget.remaining).toBeGreaterThanOrEqual(0);
		},
	);
});

it('a state begins at its bound inclusively', async () => {
	const states: string[] = [];
	for (const share of [0.749, 0.75, 0.85, 0.95]) {
		const id = await withMessages([userSays('x', { tokens: 1000 * share })], {
			contextWindow: 2000,
			maxOutputTokens: 1000,
			provider: 'nobody',
			model: 'never-heard-of-it',
		});
		states.push((await sound(id)).state);
	}
	expect(states).toEqual(['healthy', 'warning', 'critical', 'overflow']);
});

it('the state is at least "warning" if compaction is due below the warning level', async () => {
	const id = await withMessages([userSays('x', { tokens: 830 })], {
		contextWindow: 2000,
		maxOutputTokens: 1000,
		provider: 'google-ai',
		model: 'gemini-2.5-pro',
	});
	const stats = await sound(id);
	expect(stats.thresholds).toMatchObject({ warning: 0.88, compact: 0.8 });
	expect(stats).toMatchObject({ shouldCompact: true, state: 'warning' });
});

it('context/stats names the ten largest messages, largest first', async () => {
	const id = await withMessages(
		Array.from({ length: 15 }, (_, index) => userSays('word '.repeat(10 * (index + 1)), { id: `u${index}` })),
	);
	const { largest } = await sound(id);
	expect(largest.map(({ messageId }) => messageId)).toEqual(
		[14, 13, 12, 11, 10, 9, 8, 7, 6, 5].map((index) => `u${index}`),
	);
});

it('context/stats for another model equals that of a session with that model', async () => {
	const id = await withMessages(conversation(6));
	const over = await sound(id, { provider: 'openai', model: 'gpt-4o' });
	await app.ask(sessionUpdate, { sessionId: id, provider: 'openai', model: 'gpt-4o' });
	expect(await sound(id)).toEqual(over);
});

it('context/stats uses an estimator that is set later', async () => {
	const own = await startTestApp();
	await begin(own, 's', conversation(10, 100));
	const before = await statsIn(own, 's');
	own.notify('workspace/didChangeConfiguration', { settings: { contextd: { estimator: 'calibrated' } } });
	const after = await statsIn(own, 's');
	expect([before.estimator, after.estimator]).toEqual(['heuristic', 'calibrated']);
	expect(after.breakdown.conversationHistory).not.toBe(before.breakdown.conversationHistory);
	expect(after).toEqual(await statsIn(own, 's', { estimator: 'calibrated' }));
	await own.stop();
});

it('context/stats takes no longer for a long history than for a short one', async () => {
	const short = await withMessages(conversation(10, 4));
	const long = await withMessages(conversation(20_000, 4));
	const time = async (id: string): Promise<number> => {
		const took: number[] = [];
		for (let turn = 0; turn < 30; turn++) {
			const start = performance.now();
			await statsIn(app, id);
			took.push(performance.now() - start);
		}
		return Math.min(...took);
	};
	await time(short);
	// Visiting every message of the long history takes far longer.
	expect(await time(long)).toBeLessThan((await time(short)) * 3 + 2);
});

describe('context/count', () => {
	it('context/count adds up a text, messages and a request', async () => {
		const parts = {
			text: 'some words here',
			messages: [userSays('hi there')],
			request: { systemPrompt: 'be brief' },
		};
		const all = await app.ask(contextCount, parts);
		const one = await Promise.all(
			Object.entries(parts).map(([name, part]) => app.ask(contextCount, { [name]: part })),
		);
		expect(all.tokens).toBe(one.reduce((total, { tokens }) => total + tokens, 0));
		expect(sum(all.breakdown)).toBe(all.tokens);
		expect(all.usageRatio).toBeCloseTo(all.tokens / all.availableInputTokens);
	});

	it('context/count of nothing is 0', async () => {
		expect(await app.ask(contextCount, {})).toMatchObject({
			tokens: 0,
			usageRatio: 0,
			withinBudget: true,
			shouldCompact: false,
		});
	});
});

it('context/timeline has a point for each answer and every compaction, including undone ones', async () => {
	const id = await withMessages(conversation(10, 300));
	await app.ask(contextCompact, { sessionId: id });
	await app.ask(contextUndo, { sessionId: id });
	const { points, compactions } = await app.ask(contextTimeline, { sessionId: id });
	expect(points).toHaveLength(5);
	expect(points.every(({ tokens, usageRatio }) => tokens > 0 && usageRatio > 0)).toBe(true);
	expect(compactions).toMatchObject([{ undone: true }]);
});
