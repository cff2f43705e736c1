import { expect, it, vi } from 'vitest';
import { sectionTitles } from '../../../server/core/compact/summary/headings.ts';
import type { SummarizeResult } from '../../../server/protocol/push.ts';
import { recover } from '../../../server/session/compaction/recover.ts';
import type { Session } from '../../../server/session/session.ts';
import { contextUsageOf } from '../../../server/session/stats.ts';
import { eventually } from '../../support/eventually.ts';
import { silentLogger } from '../../support/logger.ts';
import { answer, prose, toolSession, user } from '../../support/messages.ts';
import { offering } from '../../support/offeredModel.ts';
import { historyOf, unwatched } from '../../support/world.ts';
import { chat, filled } from './filled.ts';

const good = sectionTitles.map((title, index) => `## ${index + 1}. ${title}\n- what was said`).join('\n');

/** A session at the warning level, without a profile, whose client's model answers so. */
async function nearlyFull(reply: () => Promise<SummarizeResult>, messages = chat(60)) {
	const ask = vi.fn(reply);
	return { ask, ...(await filled(messages, 0.77, offering(ask))) };
}

/** Resolves when nothing compacts in the background any more. */
async function settled(session: Session): Promise<void> {
	await new Promise((done) => setTimeout(done, 10));
	const { signal } = unwatched;
	await session.compacting.run({ signal, onWait: () => undefined, log: silentLogger }, () =>
		Promise.resolve(),
	);
	await new Promise((done) => setTimeout(done, 10));
}

it('a refused one leaves the history as it is, and is not asked for again until that has grown', async () => {
	const { ask, session, world, append, prepared } = await nearlyFull(async () => ({
		text: 'Sure!',
		stopReason: 'stop',
	}));
	world.configure({ compaction: { threshold: 0.95 } });
	const before = await historyOf(session);
	await prepared();
	await eventually(() => expect(ask).toHaveBeenCalledTimes(1));
	await settled(session);
	expect(await historyOf(session)).toEqual(before);
	expect(world.compacted).toEqual([]);
	await prepared();
	await settled(session);
	expect(ask).toHaveBeenCalledTimes(1);
	await append([answer('more', prose(600)), user('go', 'Go on.')]);
	await prepared();
	await eventually(() => expect(ask).toHaveBeenCalledTimes(2));
	await settled(session);
});

it('a refused one does not keep room from being made when that is due', async () => {
	const { session, prepared } = await nearlyFull(async () => ({ text: '', stopReason: 'stop' }));
	await prepared();
	await settled(session);
	session.state.info.contextWindow = Math.round((session.state.info.contextWindow ?? 0) * 0.92);
	const { compaction, warnings } = await prepared();
	expect(compaction).toMatchObject({ compacted: true, summary: { by: 'extract' } });
	expect(warnings).toEqual([]);
});

it('one that may stand is laid over the history', async () => {
	const { world, prepared } = await nearlyFull(async () => ({ text: good, stopReason: 'stop' }));
	await prepared();
	await eventually(() => expect(world.compacted).toMatchObject([{ summary: { by: 'model' } }]));
});

it('is not asked for where pruning alone makes the room, which waits until it is needed', async () => {
	const { ask, session, world, prepared } = await nearlyFull(
		async () => ({ text: good, stopReason: 'stop' }),
		toolSession(30),
	);
	world.configure({ compaction: { pruneProtectTokens: 0 } });
	const before = await historyOf(session);
	expect((await prepared()).stats?.state).toBe('warning');
	await settled(session);
	expect(ask).not.toHaveBeenCalled();
	expect(await historyOf(session)).toEqual(before);
});

it('is not waited for by a recovery', async () => {
	const { ask, session, prepared } = await nearlyFull(() => new Promise(() => undefined));
	await prepared();
	await eventually(() => expect(ask).toHaveBeenCalledTimes(1));
	const { tokens } = (await contextUsageOf(session)).reading;
	const message = `prompt is too long: ${tokens} tokens > ${Math.round(tokens * 0.9)} maximum`;
	const error = { status: 400, message };
	const { retryable } = await recover(session, { error, format: 'contextd' }, unwatched);
	expect(retryable).toBe(true);
});
