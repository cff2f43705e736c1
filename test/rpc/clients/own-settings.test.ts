import { expect, it } from 'vitest';
import { contextPrepare } from '../../../server/protocol/compact.ts';
import { sessionAppend, sessionUpdate } from '../../../server/protocol/session.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { freshFolder } from '../../support/app.ts';
import { userSays } from '../../support/messages.ts';
import { connectingClients, notified } from '../../support/sharing.ts';
import { begin, conversation, statsIn } from '../../support/talk.ts';

const { connect } = connectingClients();

const threshold = (share: number) => notified({ compaction: { threshold: share } });

it('a session is measured by the threshold of the asking client', async () => {
	const [early, late] = [await connect(threshold(0.3)), await connect(threshold(0.9))];
	await begin(early, 's', conversation(40, 120));
	const { breakdown } = await statsIn(early, 's');
	const contextWindow = Math.round(breakdown.conversationHistory / 0.5 / 0.65);
	await early.ask(sessionUpdate, { sessionId: 's', contextWindow });
	expect(await statsIn(early, 's')).toMatchObject({ shouldCompact: true, contextWindow });
	expect(await statsIn(late, 's')).toMatchObject({ shouldCompact: false, contextWindow });
	await late.ask(sessionAppend, { sessionId: 's', messages: [userSays('more')] });
	const isNew = ({ stats }: { stats: ContextStats }) => stats?.messageCount === 41;
	expect(await early.awaitNotification('context/didChange', isNew)).toMatchObject({
		stats: { shouldCompact: true },
	});
	expect(await late.awaitNotification('context/didChange', isNew)).toMatchObject({
		stats: { shouldCompact: false },
	});
	expect((await late.ask(contextPrepare, { sessionId: 's' })).compaction).toBeNull();
	expect((await early.ask(contextPrepare, { sessionId: 's' })).compaction).toMatchObject({ compacted: true });
});

it('a session is counted with the estimator of the client that opened it', async () => {
	const [heuristic, calibrated] = [await connect(), await connect(notified({ estimator: 'calibrated' }))];
	await begin(heuristic, 's', conversation(6));
	await begin(calibrated, 't', conversation(6));
	for (const client of [heuristic, calibrated]) {
		expect((await statsIn(client, 's')).estimator).toBe('heuristic');
		expect((await statsIn(client, 't')).estimator).toBe('calibrated');
	}
});

it('settings of storage are those of the first client, and others are ignored with a warning', async () => {
	const home = freshFolder();
	const [first, same] = [await connect({ home }), await connect({ home })];
	const other = await connect({
		home,
		initialize: { initializationOptions: { storage: { maxSessions: 3, enabled: false } } },
	});
	await begin(other, 's', conversation(2));
	expect((await statsIn(first, 's')).messageCount).toBe(2);
	expect(other.errors()).toContain('ignoring storage.enabled, storage.maxSessions');
	expect(first.errors() + same.errors()).not.toContain('ignoring');
});
