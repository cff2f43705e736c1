import { expect, it, vi } from 'vitest';
import { listTitles } from '../../../server/core/compact/summary/headings.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { SummarizeResult } from '../../../server/protocol/push.ts';
import { prefetchSummary } from '../../../server/session/compaction/prefetch.ts';
import { recoverFromError } from '../../../server/session/compaction/recover.ts';
import { compactSession } from '../../../server/session/compaction/request.ts';
import { readContextUsage } from '../../../server/session/contextUsage.ts';
import type { Session } from '../../../server/session/session.ts';
import { rewindSession } from '../../../server/session/steps.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, prose, toolSession, user } from '../../support/messages.ts';
import { offering } from '../../support/offeredModel.ts';
import { historyOf, unwatched } from '../../support/world.ts';
import { chat, filled } from './filled.ts';

const good = listTitles('neurolink')
	.map((title, index) => `## ${index + 1}. ${title}\n- what was said`)
	.join('\n');
const reply = async (): Promise<SummarizeResult> => ({ text: good, stopReason: 'stop' });

/** Returns a session that fills a share of its window, with a client whose model replies by `write`. */
async function filledTo(share: number, write = reply, messages: readonly ChatMessage[] = chat(60)) {
	const ask = vi.fn(write);
	return { ask, ...(await filled(messages, share, offering(ask))) };
}

/** Returns a session at the warning level, below the threshold of 0.8. */
const nearlyFull = (write = reply, messages?: readonly ChatMessage[]) => filledTo(0.77, write, messages);

/** Resolves when no summary is being requested in the background. */
async function settled(session: Session): Promise<void> {
	await session.prefetch.runningRequest?.settled;
}

/** Divides the size of the window by `factor`, so that the history fills a larger share of it. */
function grow({ state }: Session, factor: number): void {
	state.info.contextWindow = Math.round((state.info.contextWindow ?? 0) / factor);
}

/** Returns a turn of about 700 tokens. */
const turn = (name: string): ChatMessage[] => [
	answer(`${name}-answer`, prose(300, 7)),
	user(`${name}-user`, prose(40, 8)),
];

it('a refused summary leaves the history unchanged, and is requested again only after it has grown', async () => {
	const { ask, session, world, append, prepared } = await nearlyFull(async () => ({
		text: 'Sure!',
		stopReason: 'stop',
	}));
	world.configure({ compaction: { threshold: 0.95 } });
	const before = await historyOf(session);
	await prepared();
	await settled(session);
	expect(ask).toHaveBeenCalledTimes(1);
	expect(await historyOf(session)).toEqual(before);
	await prepared();
	await settled(session);
	expect(ask).toHaveBeenCalledTimes(1);
	await append([answer('more', prose(600)), user('go', 'Go on.')]);
	await prepared();
	await settled(session);
	expect(ask).toHaveBeenCalledTimes(2);
});

it('a refused summary is replaced by an extract at the threshold', async () => {
	const { session, prepared } = await nearlyFull(async () => ({ text: '', stopReason: 'stop' }));
	await prepared();
	await settled(session);
	grow(session, 1.08);
	const { compaction, warnings } = await prepared();
	expect(compaction).toMatchObject({ compacted: true, summary: { by: 'extract' } });
	expect(warnings).toEqual([]);
});

it('a prefetched summary leaves the history unchanged until the threshold, and its receipt comes with prepare', async () => {
	const { ask, session, world, append, prepared } = await nearlyFull();
	world.configure({ compaction: { threshold: 0.9 } });
	const before = await historyOf(session);
	await prepared();
	await settled(session);
	await append(turn('later'));
	expect((await prepared()).compaction).toBeNull();
	expect((await historyOf(session)).slice(0, before.length)).toEqual(before);
	expect(world.compacted).toEqual([]);
	grow(session, 1.15);
	const { compaction } = await prepared();
	expect(compaction).toMatchObject({ compacted: true, summary: { by: 'model', attempts: [{ ok: true }] } });
	expect(ask).toHaveBeenCalledTimes(1);
	expect(world.compacted).toMatchObject([{ compactionId: compaction?.compactionId }]);
});

it('messages that arrive after a prefetched summary was requested follow it unchanged', async () => {
	const { session, append, prepared } = await nearlyFull();
	await prepared();
	await settled(session);
	const later = [answer('later-answer', prose(60, 7)), user('later-user', prose(20, 8))];
	await append(later);
	grow(session, 1.08);
	const { compaction, messages } = await prepared();
	expect(compaction).toMatchObject({ compacted: true, summary: { by: 'model' } });
	expect(messages.slice(-later.length)).toMatchObject(later);
});

it('a prefetched summary is used even if far more arrived than its tail may have', async () => {
	const { ask, session, world, append, prepared } = await nearlyFull();
	world.configure({ compaction: { threshold: 0.95 } });
	await prepared();
	await settled(session);
	await append(Array.from({ length: 6 }, (_, index) => turn(`more-${index}`)).flat());
	const { compaction } = await prepared();
	expect(compaction).toMatchObject({ compacted: true, summary: { by: 'model' } });
	expect(compaction?.tokensAfter).toBeLessThanOrEqual((compaction?.targetTokens ?? 0) * 1.02);
	expect(ask).toHaveBeenCalledTimes(1);
});

it.each([0.55, 0.65, 0.7, 0.75])('a summary is prefetched below a threshold of %f', async (threshold) => {
	const { ask, session, world, prepared } = await filledTo(threshold - 0.03);
	world.configure({ compaction: { threshold } });
	expect((await prepared()).compaction).toBeNull();
	await settled(session);
	grow(session, 1.07);
	expect((await prepared()).compaction).toMatchObject({ compacted: true, summary: { by: 'model' } });
	expect(ask).toHaveBeenCalledTimes(1);
});

it('a summary is prefetched below a threshold in tokens', async () => {
	const { ask, session, world, prepared } = await filledTo(0.4);
	const { meterReading } = await readContextUsage(session, session.client);
	world.configure({ tokenThreshold: Math.round(meterReading.tokens * 1.04) });
	await prepared();
	await settled(session);
	expect(ask).toHaveBeenCalledTimes(1);
});

it('a summary is prefetched earlier if requests grow fast', async () => {
	const { ask, session, append, prepared } = await filledTo(0.6);
	await prepared();
	await append(Array.from({ length: 2 }, (_, index) => turn(`fast-${index}`)).flat());
	await prepared();
	await settled(session);
	expect(ask).toHaveBeenCalledTimes(1);
});

it('a summary is not prefetched again right after a compaction', async () => {
	const { ask, session, append, prepared } = await nearlyFull();
	await prepared();
	await settled(session);
	grow(session, 1.05);
	await prepared();
	await append([answer('short', 'Done.'), user('next', 'Go on.')]);
	await prepared();
	await settled(session);
	expect(ask).toHaveBeenCalledTimes(1);
});

it('a prefetched summary of messages that a rewind removed is dropped and requested again', async () => {
	const { ask, session, append, prepared } = await nearlyFull();
	await prepared();
	await settled(session);
	await rewindSession(session, 'a20');
	await append(chat(40).map((message) => ({ ...message, id: `other-${message.id}` })));
	expect((await prepared()).compaction).toBeNull();
	await settled(session);
	expect(ask).toHaveBeenCalledTimes(2);
});

it('a prefetched summary is dropped by another compaction', async () => {
	const { ask, session, prepared } = await nearlyFull();
	await prepared();
	await settled(session);
	const order = { config: { summarizationProvider: 'client' }, instructions: 'Keep the names.' };
	expect(await compactSession(session, order, unwatched(session))).toMatchObject({ compacted: true });
	expect(session.prefetch.summary).toBeUndefined();
	expect(ask).toHaveBeenCalledTimes(2);
});

it('context/compact uses a prefetched summary instead of asking again', async () => {
	const { ask, session, prepared } = await nearlyFull();
	await prepared();
	await settled(session);
	const result = await compactSession(session, {}, unwatched(session));
	expect(result).toMatchObject<Partial<CompactResult>>({
		compacted: true,
		summary: { by: 'model' } as never,
	});
	expect(ask).toHaveBeenCalledTimes(1);
});

it('a compaction at the threshold does not wait for a prefetched summary, and drops it', async () => {
	const { ask, session, prepared } = await nearlyFull(() => new Promise(() => undefined));
	await prepared();
	await eventually(() => expect(ask).toHaveBeenCalledTimes(1));
	grow(session, 1.05);
	expect((await prepared()).compaction).toMatchObject({ summary: { by: 'extract' } });
	expect(session.prefetch.runningRequest).toBeUndefined();
});

it('a summary is prefetched again when another model can be asked', async () => {
	const { ask, session, world, prepared } = await nearlyFull(() => Promise.reject(new Error('it has gone')));
	await prepared();
	await settled(session);
	const chain = [{ provider: 'openai', model: 'another' }, { provider: 'extractive' }] as const;
	world.configure({ summarization: { ...defaultSettings.summarization, chain } });
	await prepared();
	await settled(session);
	expect(ask).toHaveBeenCalledTimes(2);
});

it('another client is asked for a summary although the one before it failed', async () => {
	const { ask, session, prepared } = await nearlyFull(() => Promise.reject(new Error('it has gone')));
	await prepared();
	await settled(session);
	const other = { ...session.client };
	prefetchSummary(session, other, await readContextUsage(session, other));
	await settled(session);
	expect(ask).toHaveBeenCalledTimes(2);
});

it('a summary is not prefetched if pruning alone suffices, and pruning waits for the threshold', async () => {
	const { ask, session, world, prepared } = await nearlyFull(reply, toolSession(30));
	world.configure({ compaction: { pruneProtectTokens: 0 } });
	const before = await historyOf(session);
	expect((await prepared()).stats?.state).toBe('warning');
	await settled(session);
	expect(ask).not.toHaveBeenCalled();
	expect(await historyOf(session)).toEqual(before);
});

it('a recovery does not wait for a summary that is being requested', async () => {
	const { ask, session, prepared } = await nearlyFull(() => new Promise(() => undefined));
	await prepared();
	await eventually(() => expect(ask).toHaveBeenCalledTimes(1));
	const { tokens } = (await readContextUsage(session, session.client)).meterReading;
	const message = `prompt is too long: ${tokens} tokens > ${Math.round(tokens * 0.9)} maximum`;
	const error = { status: 400, message };
	const { retryable } = await recoverFromError(session, { error, format: 'contextd' }, unwatched(session));
	expect(retryable).toBe(true);
});
