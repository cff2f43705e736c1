/** Journals why a session is not compacted. A compaction stores its own decision in its step. */

import type { ContextStats } from '../protocol/stats.ts';
import type { ClientContext } from './clientContext.ts';
import { commit } from './commit.ts';
import { type ContextUsage, isCompactionDue, readContextUsage } from './contextUsage.ts';
import type { Session } from './session.ts';
import { describeUsage } from './stats.ts';

/**
 * Journals a decision that no compaction follows, if its reason differs from that of the decision before. Does nothing
 * if the session is not compacted automatically. Resolves once it is on disk.
 */
export async function journalDecision(
	session: Session,
	{ policy, settings }: Pick<ContextUsage, 'policy' | 'settings'>,
): Promise<void> {
	const { state, journal, services } = session;
	if (policy === undefined || !journal || !settings.compaction.enabled) return;
	if (policy.decision.reason === (state.decidedReason ?? 'notReached')) return;
	await commit(session, { t: 'decision', policy, at: services.now() });
}

/**
 * Returns the figures of a session before its next request, and journals why that request is not compacted. If a
 * compaction is due, the caller asks for it, which journals the decision.
 */
export async function readStatsBeforeRequest(
	session: Session,
	client: ClientContext,
): Promise<ContextStats | null> {
	const contextUsage = await readContextUsage(session, client);
	if (!isCompactionDue(contextUsage)) await journalDecision(session, contextUsage);
	return describeUsage(session, contextUsage);
}
