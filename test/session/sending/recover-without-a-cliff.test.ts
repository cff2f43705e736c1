import { describe, expect, it } from 'vitest';
import { countRowTokens } from '../../../server/core/meter/totals.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { recoverFromError } from '../../../server/session/compaction/recover.ts';
import { readStats } from '../../../server/session/stats.ts';
import { answer, logLines, prose, system, toolSession, user } from '../../support/messages.ts';
import { historyOf, sessionWith, type TestWorld, testWorld, unwatched } from '../../support/world.ts';

const format = 'contextd' as const;

async function sessionOf(messages: readonly ChatMessage[], world: TestWorld = testWorld()) {
	const session = await sessionWith(world, messages);
	const fail = (error: unknown) => recoverFromError(session, { error, format }, unwatched(session));
	const stats = async () => {
		const figures = await readStats(session, session.client);
		if (!figures) throw new Error('the session has no messages');
		return figures;
	};
	/** Returns the visible tokens by our own count, whatever a provider reported. */
	const left = () => session.state.view.reduce((sum, { row }) => sum + countRowTokens(row), 0);
	return { world, session, fail, stats, left };
}

const tooLong = (prompt: number, limit: number) => `prompt is too long: ${prompt} tokens > ${limit} maximum`;

const long = toolSession(130);

describe('how much recovery removes', () => {
	it('recovery removes about as much on either side of twice our count', async () => {
		const { stats } = await sessionOf(long);
		const counted = (await stats()).estimatedInputTokens;
		const limit = Math.floor(1.8 * counted);
		const leftAfter = async (prompt: number): Promise<number> => {
			const { fail, left } = await sessionOf(long);
			expect(await fail(tooLong(Math.round(prompt), limit))).toMatchObject({ retryable: true });
			return left();
		};
		const below = await leftAfter(1.99 * counted);
		for (const times of [2.01, 2.3, 3.01, 7]) {
			const beyond = await leftAfter(times * counted);
			expect(beyond).toBeGreaterThan(0.93 * below);
			expect(beyond).toBeLessThan(1.07 * below);
		}
	});

	it('recovery removes about as much if an error counts in other units than tokens', async () => {
		const { stats } = await sessionOf(long);
		const counted = (await stats()).estimatedInputTokens;
		const leftAfter = async (prompt: number): Promise<number> => {
			const { fail, left } = await sessionOf(long);
			const error = tooLong(Math.round(prompt), Math.round(0.8 * prompt));
			expect(await fail(error)).toMatchObject({ retryable: true });
			return left();
		};
		const above = await leftAfter(0.255 * counted);
		expect(above).toBeGreaterThan(0.3 * counted);
		for (const times of [0.245, 0.1, 0.03]) {
			const below = await leftAfter(times * counted);
			expect(below).toBeGreaterThan(0.93 * above);
			expect(below).toBeLessThan(1.07 * above);
		}
	});

	it.each([
		['by the levels alone', {}],
		['with a low threshold', { compaction: { threshold: 0.4 } }],
		['with a profile', { compaction: { profile: 'conservative' as const } }],
		['with a number of tokens', { tokenThreshold: 9_000 }],
		['with another reserve', { reserve: 'table' as const }],
	])('recovery leaves a healthy session, and prepare nothing to do: %s', async (_, settings) => {
		for (const [times, share] of [
			[1.05, 0.95],
			[1.7, 0.9],
			[4, 0.6],
		] as const) {
			const { world, session, fail, stats } = await sessionOf(long);
			world.configure(settings);
			const counted = (await stats()).estimatedInputTokens;
			const error = tooLong(Math.round(times * counted), Math.round(share * counted));
			expect(await fail(error)).toMatchObject({ retryable: true });
			const { state, shouldCompact, usageRatio, withinBudget } = await stats();
			expect({ state, shouldCompact, withinBudget }).toEqual({
				state: 'healthy',
				shouldCompact: false,
				withinBudget: true,
			});
			expect(usageRatio).toBeLessThanOrEqual(0.7);
			await appendMessages(session, [user('more', 'Go on.')], format, { client: session.client });
			expect((await prepareHistory(session, { format }, unwatched(session))).compaction).toBeNull();
		}
	});

	it('recovery leaves room for the system prompt and what else surrounds the history', async () => {
		const counted = (await (await sessionOf(long)).stats()).estimatedInputTokens;
		const usage = { input: counted + 12_000, output: 10 };
		const told = answer('told', 'Done.', { usage, stopReason: 'stop' });
		const { session } = await sessionOf([...long, told, user('u', logLines(300))]);
		const request = { systemPrompt: prose(4_000) };
		const limit = counted + 20_000;
		const order = { request, error: tooLong(Math.round(1.1 * limit), limit), format };
		expect(await recoverFromError(session, order, unwatched(session))).toMatchObject({ retryable: true });
		const figures = await readStats(session, session.client, { request });
		expect(figures?.breakdown.other).toBeGreaterThan(0);
		expect(figures?.breakdown.systemPrompt).toBeGreaterThan(3_000);
		expect(figures?.usageRatio).toBeLessThanOrEqual(0.7);
	});

	it('recovery does not cut user messages if the request fits without that', async () => {
		const paste = logLines(900);
		const { session, fail, stats } = await sessionOf([user('u0', paste), ...toolSession(40).slice(1)]);
		const counted = (await stats()).estimatedInputTokens;
		expect(await fail(tooLong(counted, Math.round(0.9 * counted)))).toMatchObject({ retryable: true });
		expect((await historyOf(session))[0]?.content).toBe(paste);
	});
});

describe('recovery that refuses to retry', () => {
	const cases: [string, ChatMessage[], string][] = [
		[
			'a limit that nothing fits into',
			[system('s', logLines(500)), ...toolSession(9)],
			tooLong(90_000, 1_100),
		],
		['a figure that no history explains', toolSession(9), tooLong(900_000, 200_000)],
		[
			'an overflow of what cannot shrink',
			[system('s', logLines(500)), user('u', 'Go.')],
			tooLong(19_000, 9_000),
		],
	];

	it.each(cases)(
		'recovery that refuses to retry leaves everything unchanged: %s',
		async (_, messages, error) => {
			const { world, session, fail, stats } = await sessionOf(messages);
			const before = await stats();
			const answered = await fail(error);
			expect(answered).toMatchObject({ isContextOverflow: true, retryable: false });
			expect(answered.reason).toContain(answered.reasonCode);
			expect(answered.messages).toBeUndefined();
			expect(await stats()).toEqual(before);
			expect(await historyOf(session)).toEqual(messages);
			const store = await world.restart();
			await store.run('s', world.client, async (reopened) =>
				expect(await readStats(reopened, reopened.client)).toEqual(before),
			);
		},
	);

	it('prepare works as before after a refused recovery', async () => {
		const { session, fail } = await sessionOf(toolSession(9));
		await fail(tooLong(900_000, 200_000));
		await fail(tooLong(900_000, 200_000));
		const { messages, compaction } = await prepareHistory(session, { format }, unwatched(session));
		expect(messages).toHaveLength(toolSession(9).length);
		expect(compaction).toBeNull();
	});

	it('a refused recovery keeps a window that the client changed meanwhile', async () => {
		const world = testWorld();
		const { session, fail, stats } = await sessionOf([system('s', logLines(500)), user('u', 'Go.')], world);
		world.world.pause = async () => {
			session.state.info.contextWindow = 77_000;
			session.state.info.contextWindowLearned = undefined;
		};
		expect(await fail(tooLong(19_000, 9_000))).toMatchObject({ retryable: false });
		expect((await stats()).contextWindow).toBe(77_000);
	});
});

describe('recovery after an earlier error', () => {
	it('a second recovery uses the figures of the first error to remove more', async () => {
		const { fail, left, stats } = await sessionOf(long);
		const counted = (await stats()).estimatedInputTokens;
		const limit = Math.round(0.9 * counted);
		await fail(tooLong(4 * counted, limit));
		const first = left();
		expect(await fail(tooLong(4 * first, limit))).toMatchObject({ retryable: true, attempt: 2 });
		expect(left()).toBeLessThan(0.7 * first);
		expect(left()).toBeGreaterThan(0.4 * first);
	});
});
