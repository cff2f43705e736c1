/** Appends messages, and records usage figures that arrive later. */

import { Failure } from '../core/failure.ts';
import { toSlashedPath } from '../core/files/folder.ts';
import { requireSeq } from '../core/history/state.ts';
import { sumCallTokens } from '../core/meter/meter.ts';
import { lookupModel } from '../core/models/registry.ts';
import type { EstimatorName, FormatName, Usage } from '../protocol/conversation.ts';
import type { AppendResult, ReportUsageParams } from '../protocol/session.ts';
import type { ClientContext } from './clientContext.ts';
import { commit } from './commit.ts';
import { ingest } from './ingest.ts';
import type { CallLane } from './order.ts';
import { requireWritableJournal, type Session, selectMeasure } from './session.ts';

/** Options of an append: its client, and how the messages are read and counted. */
export interface AppendCall {
	client: ClientContext;
	/** Delays later calls while messages are read. Without a lane, messages are read without pauses. */
	lane?: CallLane;
	signal?: AbortSignal;
	/** How tokens are counted; by default as in the rest of the session. */
	estimator?: EstimatorName;
}

/** Returns the model's window in tokens if a usage figure exceeds it, unless the window is a guess. */
function findExceededWindow(
	{ state }: Session,
	client: ClientContext,
	usages: readonly (Usage | undefined)[],
): { window?: number } {
	const largest = usages.reduce((tokens, usage) => Math.max(tokens, usage ? sumCallTokens(usage) : 0), 0);
	if (largest === 0) return {};
	const { provider, model, statedWindow, contextWindow = statedWindow } = state.info;
	const { models } = client.getSettings();
	const limits = lookupModel(provider, model, { contextWindow, models });
	const isGuess = limits.contextWindowSource === 'default';
	return isGuess || largest <= limits.contextWindow ? {} : { window: limits.contextWindow };
}

/** Milliseconds of work before other tasks get a turn. */
const maxSliceMs = 8;

/**
 * Appends messages; resolves once they are on disk. Either all of them are appended or none.
 *
 * Calls for the session that arrive meanwhile already see the messages. If the append is cancelled before the messages
 * are handed to the journal, nothing is appended.
 */
export async function appendMessages(
	session: Session,
	messages: readonly unknown[],
	format: FormatName,
	call: AppendCall,
): Promise<AppendResult> {
	const { client, lane, estimator } = call;
	const { services } = session;
	requireWritableJournal(session);
	const { state } = session;
	const { provider, model, workspace } = state.info;
	lane?.hold();
	const steps = ingest(messages, format, {
		state,
		measure: estimator ? services.measures.getMeasure(provider, model, estimator) : selectMeasure(session),
		digest: services.digest,
		folder: toSlashedPath(workspace),
	});
	let sliceStartedAt = services.now();
	let step = steps.next();
	for (; !step.done; step = steps.next()) {
		if (!lane || services.now() - sliceStartedAt < maxSliceMs) continue;
		await services.pause();
		call.signal?.throwIfAborted();
		sliceStartedAt = services.now();
	}
	const { rows, bodies, messageIds } = step.value;
	if (rows.length > 0) session.recoveryAttempts = 0;
	const window = findExceededWindow(
		session,
		client,
		rows.map((row) => row.usage),
	);
	const record = { t: 'append', at: services.now(), rows, ...window } as const;
	const durable = rows.length > 0 ? commit(session, record, bodies) : undefined;
	const messageCount = state.view.length;
	lane?.release();
	await durable;
	return { messageIds, messageCount };
}

/** Records usage figures that arrived after their message. Fails with `MessageNotFound`. */
export async function recordLateUsage(
	session: Session,
	client: ClientContext,
	{ messageId, usage, stopReason, revision = session.state.revision }: Omit<ReportUsageParams, 'sessionId'>,
): Promise<void> {
	if (session.state.rows[requireSeq(session.state, messageId)]?.role !== 'assistant') {
		throw new Failure(
			'InvalidParams',
			`messageId: expected an assistant message, but "${messageId}" is not one`,
		);
	}
	await commit(session, {
		t: 'usage',
		id: messageId,
		usage,
		...(stopReason !== undefined && { stopReason }),
		at: session.services.now(),
		...findExceededWindow(session, client, [usage]),
		...(revision !== session.state.revision && { isStale: true as const }),
	});
}
