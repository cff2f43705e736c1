import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { undoStep } from '../../../server/session/steps.ts';
import { logLines, prose, toolSession, user } from '../../support/messages.ts';
import { compactNow, historyOf, previewNow, sessionWith, testWorld } from '../../support/world.ts';

const messages: ChatMessage[] = [
	...toolSession(30).slice(0, -1),
	user('q', 'Now the lexer, please.'),
	...toolSession(10)
		.slice(1)
		.map((message) => ({
			...message,
			id: `late-${message.id}`,
			...(message.toolCallId && { toolCallId: `late-${message.toolCallId}` }),
			...(message.toolCalls && {
				toolCalls: message.toolCalls.map((call) => ({ ...call, id: `late-${call.id}` })),
			}),
		})),
];

const idsOf = (history: readonly ChatMessage[]) => history.map(({ id }) => id);

describe('compaction of a range', () => {
	const range = { from: 'c5', to: 'a20' };

	async function compacted(order: Parameters<typeof compactNow>[1]) {
		const test = testWorld();
		const session = await sessionWith(test, messages);
		const answered = await compactNow(session, order);
		return { session, answered, history: await historyOf(session) };
	}

	it('compacting a range leaves everything outside unchanged, and halves the range by default', async () => {
		const { answered, history } = await compacted({ range });
		expect(answered).toMatchObject({ outcome: 'compacted', range });
		expect(answered.warnings).toBeUndefined();
		const ids = idsOf(messages);
		const outside = messages.filter((_, index) => index < ids.indexOf('c5') || index > ids.indexOf('a20'));
		for (const message of outside) expect(history).toContainEqual(message);
		const touched = new Set(answered.removed.map(({ messageId }) => messageId));
		expect(touched.size).toBeGreaterThan(0);
		for (const { id } of outside) expect(touched.has(id ?? '')).toBe(false);
		expect(answered.tokensAfter).toBeLessThanOrEqual(answered.targetTokens);
	});

	it('compacting a range reaches the given target as far as the range allows', async () => {
		const whole = await compacted({ range });
		const { answered } = await compacted({ range, targetTokens: whole.answered.targetTokens - 1_500 });
		expect(answered.tokensAfter).toBeLessThanOrEqual(whole.answered.targetTokens - 1_500);
		const far = await compacted({ range, targetTokens: 10 });
		expect(far.answered.outcome).toBe('compacted');
		expect(far.answered.reason).toContain('above the target');
	});

	it('a range is widened to whole batches, with a warning', async () => {
		const { answered } = await compacted({ range: { from: 'r5', to: 'c20' } });
		expect(answered.range).toEqual({ from: 'c5', to: 'r20' });
		expect(answered.warnings).toEqual([expect.stringContaining('"c5" to "r20"')]);
	});

	it('a range can be compacted although nothing was appended since, and each compaction can be undone', async () => {
		const test = testWorld();
		const session = await sessionWith(test, messages);
		await compactNow(session, { range });
		const later = { from: 'late-c0', to: 'late-a9' };
		expect(await compactNow(session, {})).toMatchObject({ reasonCode: 'just_compacted' });
		expect(await compactNow(session, { range: later })).toMatchObject({ outcome: 'compacted' });
		await undoStep(session, session.client);
		await undoStep(session, session.client);
		expect(await historyOf(session)).toEqual(messages);
	});

	it('compacting a range keeps a summary outside of it', async () => {
		const test = testWorld();
		const session = await sessionWith(test, messages);
		const { tokensBefore, targetTokens } = await previewNow(session, { range });
		const rangeTokens = 2 * (tokensBefore - targetTokens);
		const first = await compactNow(session, {
			range,
			targetTokens: Math.floor(tokensBefore - 0.8 * rangeTokens),
			config: { enablePrune: false, enableTruncate: false },
		});
		const before = await historyOf(session);
		const summary = before.find(({ metadata }) => metadata?.isSummary);
		expect(first.summary).toBeDefined();
		await compactNow(session, { range: { from: 'late-c0', to: 'late-a9' }, targetTokens: 100 });
		expect(await historyOf(session)).toContainEqual(summary);
	});

	it('a preview of a range reports what the compaction would do', async () => {
		const test = testWorld();
		const session = await sessionWith(test, messages);
		const tried = await previewNow(session, { range });
		const done = await compactNow(session, { range });
		expect(tried).toMatchObject({ range, tokensAfter: done.tokensAfter });
	});

	it.each([
		[{ from: 'nobody', to: 'a20' }, 'MessageNotFound', 'range.from: no message "nobody"'],
		[{ from: 'c5', to: 'nobody' }, 'MessageNotFound', 'range.to: no message "nobody"'],
		[{ from: 'a20', to: 'c5' }, 'InvalidParams', 'comes after'],
	])('a compaction of the range %s is refused', async (bad, kind, words) => {
		const test = testWorld();
		const session = await sessionWith(test, messages);
		const failure = await compactNow(session, { range: bad }).catch((error: unknown) => error);
		expect(failure).toMatchObject({ kind, message: expect.stringContaining(words) });
		expect(await historyOf(session)).toEqual(messages);
	});

	it('a range that begins with a hidden message is refused with a hint at undo', async () => {
		const test = testWorld();
		const session = await sessionWith(test, messages);
		const { removed } = await compactNow(session, { targetTokens: 1_000 });
		const hidden = removed.find(({ change }) => change === 'replaced')?.messageId ?? '';
		await expect(compactNow(session, { range: { from: hidden, to: hidden } })).rejects.toThrow(/undo/);
	});
});

describe('compaction with a threshold', () => {
	it('a compaction below its threshold does nothing, and reports how full the window is', async () => {
		const test = testWorld();
		const session = await sessionWith(test, [
			user('u', prose(50)),
			...toolSession(5),
			user('v', logLines(5)),
		]);
		const low = await compactNow(session, { threshold: 0.5 });
		expect(low).toMatchObject({ outcome: 'nothing_to_compact', reasonCode: 'below_target' });
		expect(low.reason).toMatch(/^\d+% .* threshold of 50%$/);
		expect(await compactNow(session, { threshold: 0.001 })).toMatchObject({ outcome: 'compacted' });
	});
});
