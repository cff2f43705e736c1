/** The limit that a session learns when a provider refuses a prompt. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendMessages } from '../../../server/session/append.ts';
import { recoverFromError } from '../../../server/session/compaction/recover.ts';
import type { Session } from '../../../server/session/session.ts';
import { readStats } from '../../../server/session/stats.ts';
import { undoStep } from '../../../server/session/steps.ts';
import { openSession } from '../../../server/session/store/sessions.ts';
import { answer, prose, toolSession, user } from '../../support/messages.ts';
import { soakFactor } from '../../support/soak.ts';
import { testClient, testWorld, unwatched } from '../../support/world.ts';

const window = 200_000;

async function statsIn(session: Session) {
	const stats = await readStats(session, session.client);
	if (!stats) throw new Error('the session has no messages');
	return stats;
}

/** Returns a plugin's session whose model answered a prompt of this many tokens and that grew afterwards. */
async function answeredSession(answered: number, sessionId = 'claude:s') {
	const { store } = testWorld();
	const open = (contextWindow: number) =>
		openSession(store, testClient, {
			sessionId,
			provider: 'anthropic',
			model: 'claude-sonnet-4',
			contextWindow,
		});
	await open(window);
	return store.run(sessionId, testClient, async (session) => {
		const usage = { input: answered, output: 50, cacheRead: 0, cacheWrite: 0 };
		const later = [answer('a', 'Done.', { usage }), user('later', prose(900)), answer('b', prose(300))];
		await appendMessages(session, [...toolSession(40), ...later, user('last', 'Go on.')], 'contextd', {
			client: session.client,
		});
		const fail = (error: string) =>
			recoverFromError(
				session,
				{ error: { status: 400, message: error }, format: 'contextd' },
				unwatched(session),
			);
		const answers = async (input: number) => {
			const message = answer(`c${input}`, 'Yes.', { usage: { ...usage, input } });
			await appendMessages(session, [message], 'contextd', { client: session.client });
		};
		return { session, before: await statsIn(session), fail, answers, open };
	});
}

const tooLong = (prompt: number, limit: number) => `prompt is too long: ${prompt} tokens > ${limit} maximum`;

describe('limits learned from a refused prompt', () => {
	it('a learned limit is never below the largest prompt that was answered', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 30_000, max: 120_000 }),
				fc.double({ min: 0.05, max: 1.5, noNaN: true }),
				fc.constantFrom('claude:s', 'pi:s', 's'),
				async (answered, share, sessionId) => {
					const { session, before, fail } = await answeredSession(answered, sessionId);
					await fail(tooLong(before.estimatedInputTokens, Math.round(share * answered)));
					expect((await statsIn(session)).availableInputTokens).toBeGreaterThanOrEqual(
						Math.min(answered, before.availableInputTokens),
					);
				},
			),
			{ numRuns: 5 * soakFactor },
		);
	});

	it('a learned limit without figures is the refused prompt, without subtracting the reserve again', async () => {
		const { session, before, fail } = await answeredSession(60_000);
		expect(await fail('prompt is too long')).toMatchObject({ retryable: true });
		expect((await statsIn(session)).availableInputTokens).toBe(before.estimatedInputTokens);
	});

	it('a refusal without figures compacts below the largest answered prompt', async () => {
		const { session, fail } = await answeredSession(60_000);
		await fail('prompt is too long');
		expect((await statsIn(session)).estimatedInputTokens).toBeLessThan(60_000);
	});

	it('a learned limit is dropped when a prompt as large as the refused one is answered', async () => {
		const { session, before, fail, answers } = await answeredSession(60_000);
		await fail('prompt is too long');
		await answers(before.estimatedInputTokens);
		expect(await statsIn(session)).toMatchObject({
			contextWindow: before.contextWindow,
			availableInputTokens: before.availableInputTokens,
		});
	});

	it('a learned limit is dropped when its compaction is undone', async () => {
		const { session, before, fail } = await answeredSession(60_000);
		for (const error of ['prompt is too long', tooLong(before.estimatedInputTokens, 61_000)]) {
			const { compaction } = await fail(error);
			expect((await statsIn(session)).availableInputTokens).toBeLessThan(before.availableInputTokens);
			await undoStep(session, session.client, compaction?.compactionId);
			expect(await statsIn(session)).toMatchObject({
				contextWindow: before.contextWindow,
				availableInputTokens: before.availableInputTokens,
			});
		}
	});

	it('a learned limit survives a reopening with the same window, and not with another', async () => {
		const { session, before, fail, open } = await answeredSession(60_000);
		await fail('prompt is too long');
		await open(window);
		expect(await statsIn(session)).toMatchObject({
			isLimitLearned: true,
			availableInputTokens: before.estimatedInputTokens,
		});
		await open(1_000_000);
		expect((await statsIn(session)).isLimitLearned).toBeUndefined();
		expect((await statsIn(session)).contextWindow).toBe(1_000_000);
	});

	it('a learned limit is reported in one warning', async () => {
		const { before, fail } = await answeredSession(60_000);
		const tokens = before.estimatedInputTokens.toLocaleString('en-US');
		expect((await fail('prompt is too long')).warnings).toEqual([
			`the provider refused ${tokens} tokens: the limit is now ${tokens} tokens instead of 167,000, until an undo or a larger answered prompt`,
		]);
	});

	it('no limit is learned if a smaller prompt than an answered one is refused', async () => {
		const { session, fail } = await answeredSession(60_000);
		await fail('prompt is too long');
		const { contextWindow, estimatedInputTokens } = await statsIn(session);
		expect(estimatedInputTokens).toBeLessThan(60_000);
		expect(await fail('prompt is too long')).toMatchObject({ isContextOverflow: true });
		expect((await statsIn(session)).contextWindow).toBe(contextWindow);
	});
});
