/** Writes to the journal why a session is not compacted. A compaction stores its decision in its own record. */

import type { ContextStats } from '../protocol/stats.ts';
import type { ClientContext } from './clientContext.ts';
import { commit } from './commit.ts';
import { type ContextUsage, isCompactionDue, readContextUsage } from './contextUsage.ts';
import type { Session } from './session.ts';
import { describeUsage } from './stats.ts';

/**
 * Writes a decision against a compaction to the journal, if its reason differs from that of the previous decision. Does
 * nothing if the session is not compacted automatically. Resolves once the record is on disk.
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
 * Returns a session's figures before its next request. If no compaction is due, also writes the reason to the journal;
 * otherwise the caller requests the compaction, which stores the decision.
 */
export async function readStatsBeforeRequest(
	session: Session,
	client: ClientContext,
): Promise<ContextStats | null> {
	const contextUsage = await readContextUsage(session, client);
	if (!isCompactionDue(contextUsage)) await journalDecision(session, contextUsage);
	return describeUsage(session, contextUsage);
}
