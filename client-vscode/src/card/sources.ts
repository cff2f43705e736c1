/** Reads the data of a card from the daemon. */

import * as vscode from 'vscode';
import type { CompactParams, CompactResult } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { computeDiffSides, isVisibleMessage, predictHistory } from '../documents/changes.ts';
import { readHistory } from '../documents/documents.ts';
import { t } from '../text/language.ts';
import type { ShownSession } from '../usage/usage.ts';
import type { CardSources } from './model.ts';

/** Params of `context/compact` that a preview may set: all except the session and the form of the result. */
export type PreviewParams = Omit<
	CompactParams,
	'sessionId' | 'dryRun' | 'format' | 'includeMessages' | 'workDoneToken'
>;

/** The data of a planned compaction. `refusal` says why a compaction would change nothing. */
export type CompactionPlan = { sources: CardSources } | { refusal: CompactResult };

/** Plans a compaction without changing anything. Returns null if the session has no messages. */
async function planCompaction(
	daemon: Daemon,
	session: ShownSession,
	params: PreviewParams,
	token: vscode.CancellationToken,
): Promise<CompactionPlan | null> {
	const { sessionId } = session;
	const fullHistory = await readHistory(daemon, sessionId);
	const plan = { ...params, sessionId, dryRun: true, format: 'contextd' as const };
	const result = await daemon.request('context/compact', plan, { token });
	const stats = await daemon.request('context/stats', { sessionId });
	if (!result || !stats) return null;
	if (!result.compacted && result.removed.length === 0) return { refusal: result };
	const before = fullHistory.filter(isVisibleMessage);
	const after = predictHistory(before, result);
	const compaction = { ...result, hasCustomParams: Object.keys(params).length > 0 };
	return { sources: { session, stats, compaction, fullHistory, before, after, isOutdated: false } };
}

/** Returns the data of a past compaction; null if it was undone. Rejects if the session no longer exists. */
export async function readPastCompaction(
	daemon: Daemon,
	session: ShownSession,
	compactionId: string,
): Promise<CardSources | null> {
	const { sessionId, followed } = session;
	const [{ compactions }, fullHistory, stats] = await Promise.all([
		daemon.request('context/timeline', { sessionId }),
		readHistory(daemon, sessionId),
		daemon.request('context/stats', { sessionId }),
	]);
	const index = compactions.findIndex((each) => each.compactionId === compactionId);
	const compaction = compactions[index];
	if (!compaction || compaction.undone || !stats) return null;
	const { at, undone, byAgent } = compaction;
	const laterIds = compactions.slice(index + 1).map((later) => later.compactionId);
	const sides = computeDiffSides(fullHistory, compactionId, laterIds);
	// Messages that were appended after the compaction are not part of it.
	const isOlder = ({ timestamp = 0 }: ChatMessage): boolean => timestamp <= at;
	return {
		session,
		stats,
		compaction: {
			...compaction,
			entry: {
				compactionId,
				at,
				isUndone: undone,
				...(byAgent && { agent: followed?.label ?? t('the agent') }),
			},
		},
		fullHistory,
		before: sides.before.filter(isOlder),
		after: sides.after.filter(isOlder),
		isOutdated: false,
	};
}

/** Returns whether a compaction is undone, or missing in the session's timeline. */
export async function isUndone(daemon: Daemon, sessionId: string, compactionId: string): Promise<boolean> {
	const { compactions } = await daemon.request('context/timeline', { sessionId });
	return compactions.find((each) => each.compactionId === compactionId)?.undone !== false;
}

/** Plans a compaction without changing anything, with progress in the status bar. Null if there are no messages. */
export async function planWithProgress(
	daemon: Daemon,
	session: ShownSession,
	params: PreviewParams,
): Promise<CompactionPlan | null> {
	return vscode.window.withProgress({ location: vscode.ProgressLocation.Window }, (progress, token) => {
		progress.report({ message: t('Planning a compaction…') });
		return planCompaction(daemon, session, params, token);
	});
}
