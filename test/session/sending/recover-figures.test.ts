import { describe, expect, it } from 'vitest';
import { appendMessages } from '../../../server/session/append.ts';
import { recoverFromError } from '../../../server/session/compaction/recover.ts';
import type { Session } from '../../../server/session/session.ts';
import { readStats } from '../../../server/session/stats.ts';
import { updateSession } from '../../../server/session/store/sessions.ts';
import { answer, prose, toolSession, user } from '../../support/messages.ts';
import { sessionWith, testWorld, unwatched } from '../../support/world.ts';

const contextd = 'contextd' as const;

async function figures(session: Session) {
	const stats = await readStats(session, session.client);
	if (!stats) throw new Error('the session has no messages');
	return stats;
}

async function full(window: number | undefined, turns = 40, model = 'claude-sonnet-4') {
	const world = testWorld();
	const session = await sessionWith(world, toolSession(turns), { contextWindow: window, model });
	const before = await figures(session);
	const fail = (error: unknown, request = {}) =>
		recoverFromError(session, { error, request, format: contextd }, unwatched(session));
	return { world, session, before, fail };
}

describe('figures in an overflow', () => {
	it('the prompt tokens in an overflow correct the count of the history, after a restart too', async () => {
		const { world, session, before, fail } = await full(40_000);
		const actual = Math.round(before.estimatedInputTokens * 1.3);
		world.configure({ compaction: { enabled: false } });
		await fail(`prompt is too long: ${actual} tokens > 40000 maximum`);
		expect((await figures(session)).estimatedInputTokens).toBe(actual);
		const store = await world.restart();
		const again = await store.run('s', world.client, (reopened) => readStats(reopened, reopened.client));
		expect(again?.estimatedInputTokens).toBe(actual);
	});

	it('the prompt tokens in an overflow also scale the count of later messages', async () => {
		const { world, session, before, fail } = await full(40_000);
		world.configure({ compaction: { enabled: false } });
		await fail(`prompt is too long: ${Math.round(before.estimatedInputTokens * 1.4)} tokens > 40000 maximum`);
		const refused = await figures(session);
		const counted = world.world.measures
			.getMeasure('anthropic', 'claude-sonnet-4', 'heuristic')
			.countText(prose(900));
		await appendMessages(session, [user('later', prose(900))], contextd, { client: session.client });
		const grown = (await figures(session)).estimatedInputTokens - refused.estimatedInputTokens;
		expect(grown).toBeGreaterThan(1.25 * counted);
		expect(grown).toBeLessThan(1.5 * counted);
	});

	it('the limit in an overflow brings the prompt down to 70% of it, on the provider’s own scale', async () => {
		const { session, before, fail } = await full(200_000);
		const actual = Math.round(before.estimatedInputTokens * 1.4);
		const limit = Math.floor(actual * 0.8);
		const answer = await fail(`prompt is too long: ${actual} tokens > ${limit} maximum`);
		expect(answer).toMatchObject({ retryable: true, attempt: 1, actualTokens: actual, limitTokens: limit });
		expect(answer.compaction?.tokensBefore).toBe(actual);
		const after = await figures(session);
		expect(after.usageRatio).toBeLessThanOrEqual(0.7);
		expect(after.usageRatio).toBeGreaterThan(0.6);
		expect(after.contextWindow).toBe(limit);
	});

	it('an overflow that adds input and output up names the whole window', async () => {
		const { session, fail } = await full(100_000);
		await fail('input length and `max_tokens` exceed context limit: 25000 + 8000 > 32000, decrease it');
		const after = await figures(session);
		expect(after.contextWindow).toBe(32_000);
		expect(after.usageRatio).toBeLessThanOrEqual(0.7);
	});

	it('an overflow whose total includes the answer corrects the prompt only, and leaves room for the answer', async () => {
		const { world, session, before, fail } = await full(100_000);
		const sent = before.estimatedInputTokens;
		const window = sent + 1_000;
		const error = `This model's maximum context length is ${window} tokens. However, you requested ${sent + 9_000} tokens (${sent} in the messages, 9000 in the completion).`;
		world.configure({ compaction: { enabled: false } });
		await fail(error);
		expect((await figures(session)).estimatedInputTokens).toBe(sent);
		world.configure({ compaction: { enabled: true } });
		await fail(error);
		const after = await figures(session);
		expect(after.estimatedInputTokens).toBeLessThanOrEqual(window - 9_000);
	});

	it('an overflow raises a window that is only a default, not one that the client chose', async () => {
		const error = 'prompt is too long: 300000 tokens > 256000 maximum';
		const unknown = await full(undefined, 40, 'nobody-knows-this-model');
		await unknown.fail(error);
		expect((await figures(unknown.session)).contextWindow).toBe(256_000);
		const chosen = await full(40_000, 40, 'nobody-knows-this-model');
		await chosen.fail(error);
		expect((await figures(chosen.session)).contextWindow).toBe(40_000);
	});
});

describe('overflows without figures', () => {
	it('recovery from an overflow without figures sends 70% of the refused prompt, whatever the window', async () => {
		const { session, before, fail } = await full(1_000_000);
		const answer = await fail({ status: 400, error: { code: 'context_length_exceeded' } });
		expect(answer.retryable).toBe(true);
		const after = await figures(session);
		expect(after.estimatedInputTokens).toBeLessThanOrEqual(0.7 * before.estimatedInputTokens);
		expect(after.contextWindow).toBe(1_000_000);
	});
});

describe('windows learned from an overflow without figures', () => {
	const error = { status: 400, error: { code: 'context_length_exceeded' } };

	async function reported(window: number) {
		const world = testWorld();
		const said = answer('said', 'Done.', { usage: { input: 21_000, output: 10 }, stopReason: 'stop' });
		const session = await sessionWith(world, [...toolSession(40), said], { contextWindow: window });
		return { world, session };
	}

	it('a window learned from an overflow without figures fits the session’s own count, and is dropped with its model', async () => {
		const { world, session } = await reported(100_000);
		const request = { maxOutputTokens: 4_000 };
		await recoverFromError(session, { error, request, format: contextd }, unwatched(session));
		expect((await figures(session)).contextWindow).toBe(21_010 + 4_000);
		await updateSession(world.store, world.client, { sessionId: 's', model: 'claude-opus-4' });
		expect((await figures(session)).contextWindow).toBe(200_000);
	});

	it('no window is learned from a count that is far off, nor from a request of too many bytes', async () => {
		const guessed = await full(100_000);
		await guessed.fail(error);
		expect((await figures(guessed.session)).contextWindow).toBe(100_000);
		const { session } = await reported(100_000);
		const bytes = { status: 413, error: { type: 'request_too_large' } };
		const answered = await recoverFromError(session, { error: bytes, format: contextd }, unwatched(session));
		expect(answered.retryable).toBe(true);
		expect((await figures(session)).contextWindow).toBe(100_000);
	});

	it('a window learned from an overflow is replaced by the window that a client states', async () => {
		const { world, session } = await reported(100_000);
		await recoverFromError(session, { error, format: contextd }, unwatched(session));
		await updateSession(world.store, world.client, { sessionId: 's', contextWindow: 60_000 });
		await updateSession(world.store, world.client, { sessionId: 's', model: 'claude-opus-4' });
		expect((await figures(session)).contextWindow).toBe(60_000);
	});
});

describe('responses that report an overflow', () => {
	it.each([
		['neutral', { usage: { input: 41_000, output: 0 }, stopReason: 'length' }],
		[
			'Anthropic',
			{ stop_reason: 'model_context_window_exceeded', usage: { input_tokens: 9, output_tokens: 0 } },
		],
		['OpenAI', { usage: { prompt_tokens: 40_900 }, choices: [{ finish_reason: 'length' }] }],
		['Gemini', { usageMetadata: { promptTokenCount: 41_000 }, candidates: [{ finishReason: 'STOP' }] }],
	])('a response that reports an overflow is recovered from by its own figures (%s)', async (_, response) => {
		const { fail } = await full(40_000);
		expect(await fail(response)).toMatchObject({ isContextOverflow: true, retryable: true });
	});

	it('a response that its own limit cut off, or that is complete, is no overflow', async () => {
		const { fail } = await full(40_000);
		const short = { usage: { input: 20_000, output: 4_096 }, stopReason: 'length' };
		expect(await fail(short)).toMatchObject({ isContextOverflow: false, reasonCode: 'no_overflow' });
		const prose = { role: 'assistant', content: 'The prompt is too long: 300000 tokens > 200000 maximum' };
		expect(await fail(prose)).toMatchObject({ isContextOverflow: false });
	});
});
