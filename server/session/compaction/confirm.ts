/** Asks the client before an automatic compaction. */

import { errorText } from '../../core/failure.ts';
import { computeUsageRatio } from '../../core/models/budget.ts';
import { findContextState } from '../../core/models/profiles.ts';
import {
	type ConfirmCompactionParams,
	type ConfirmCompactionResult,
	contextConfirmCompaction,
} from '../../protocol/push.ts';
import type { ClientContext } from '../clientContext.ts';
import type { ContextUsage } from '../contextUsage.ts';
import { runWithDeadline } from '../models/askChain.ts';
import type { Session } from '../session.ts';

/** Asks the client whether to compact. Rejects if the client gives no usable answer. */
export type AskToCompact = (
	question: ConfirmCompactionParams,
	signal: AbortSignal,
) => Promise<ConfirmCompactionResult>;

/** Milliseconds that the client has to answer before the compaction proceeds. */
const maxAnswerDelayMs = 30_000;

/**
 * Asks the client whether a compaction that is due should proceed, and returns the answer.
 *
 * Returns an empty answer, which lets the compaction proceed, if the client gives no usable answer in time. Rejects with
 * the signal's reason if the call is cancelled.
 * @param targetTokens target size of the history
 */
export async function confirmCompaction(
	{ id }: Session,
	{ meterReading, budget }: ContextUsage,
	targetTokens: number,
	{ ask, client, signal }: { ask: AskToCompact; client: ClientContext; signal: AbortSignal },
): Promise<ConfirmCompactionResult> {
	const ratio = computeUsageRatio(meterReading.tokens, budget.available);
	const question: ConfirmCompactionParams = {
		sessionId: id,
		estimatedInputTokens: meterReading.tokens,
		availableInputTokens: budget.available,
		usageRatio: ratio,
		state: findContextState(ratio, budget.thresholds),
		historyTokens: meterReading.breakdown.conversationHistory,
		targetTokens: Math.round(targetTokens),
	};
	try {
		return await runWithDeadline(maxAnswerDelayMs, signal, (running) => ask(question, running));
	} catch (error) {
		signal.throwIfAborted();
		client.log.warn(
			`${contextConfirmCompaction.method} for "${id}": ${errorText(error)}; the compaction proceeds`,
		);
		return {};
	}
}
