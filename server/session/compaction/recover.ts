/** `context/recover`: handles a provider's error; after an overflow, compacts the history without a model. */

import { type Policy, resolvePolicy } from '../../core/compact/policy.ts';
import { computeRecoveryTarget } from '../../core/cost/recoveryTarget.ts';
import { errorText, Failure } from '../../core/failure.ts';
import type { State } from '../../core/history/state.ts';
import { readMeter } from '../../core/meter/reading.ts';
import { classifyOutcome } from '../../core/overflow/outcome.ts';
import type {
	CompactResult,
	NoRecoveryReason,
	RecoverParams,
	RecoverResult,
} from '../../protocol/compact.ts';
import type { OwnParams } from '../../protocol/declaration.ts';
import type { ErrorClass } from '../../protocol/overflow.ts';
import type { StatsOverlay } from '../../protocol/stats.ts';
import { type ContextUsage, readContextUsage } from '../contextUsage.ts';
import { renderHistory } from '../history.ts';
import { requireWritableJournal, type Session } from '../session.ts';
import { runCompaction } from './compact.ts';
import { findNamedWindow, learnFromOverflow } from './overflowLessons.ts';
import { cancelPrefetch } from './prefetch.ts';
import { describeCutMessages } from './receipt.ts';
import { createMutexTicket, type TaskContext } from './request.ts';
import { maxRecoveryAttempts } from './tuning.ts';

/**
 * Returns why a compaction failed, and logs an unexpected error.
 *
 * Rethrows the caller's cancellation, and failures other than `CompactionFailed`, such as one of storage.
 */
function describeFailure(error: unknown, { client, signal }: TaskContext): string {
	if (signal.aborted) throw error;
	if (error instanceof Failure) {
		if (error.kind !== 'CompactionFailed') throw error;
		return error.message;
	}
	const message = errorText(error);
	client.log.error(`a compaction failed: ${error instanceof Error ? (error.stack ?? message) : message}`);
	return message;
}

/** Why the request is not retried, with the compaction that was tried. */
interface RefusedRetry {
	reasonCode: NoRecoveryReason;
	reason: string;
	compaction?: CompactResult;
}

type RecoveredHistory = Required<Pick<RecoverResult, 'compaction' | 'messages' | 'revision' | 'warnings'>> &
	Pick<RecoverResult, 'system'>;

/** Compacts the history for another attempt. On failure, returns the reason and leaves the history unchanged. */
async function prepareRetry(
	session: Session,
	errorClass: ErrorClass,
	params: OwnParams<RecoverParams>,
	context: TaskContext,
): Promise<RecoveredHistory | RefusedRetry> {
	const overlay: StatsOverlay = { request: params.request };
	const before = await readContextUsage(session, context.client, overlay);
	const otherCause = explainNonHistoryCause(errorClass, overlay, before);
	if (otherCause !== undefined) return { reasonCode: 'insufficient', reason: otherCause };
	let attempt: RecoveryAttempt;
	cancelPrefetch(session);
	try {
		attempt = await session.compactionMutex.run(createMutexTicket(context), (signal) =>
			compactForRetry(session, { errorClass, overlay }, before, { ...context, signal }),
		);
	} catch (error) {
		const reason = describeFailure(error, context);
		return { reasonCode: 'compaction_failed', reason };
	}
	const { compaction, tooLargeReason } = attempt;
	if (tooLargeReason !== undefined) return { reasonCode: 'insufficient', reason: tooLargeReason, compaction };
	const after = await readContextUsage(session, context.client, overlay);
	// An earlier compaction, for which this call waited, may have removed enough.
	const wasCompactedBefore =
		compaction.reasonCode === 'below_target' && after.meterReading.tokens < before.meterReading.tokens;
	if (!compaction.compacted && !wasCompactedBefore) {
		const { reasonCode = 'no_progress', reason = 'nothing could be taken out' } = compaction;
		return { reasonCode, reason, compaction };
	}
	return renderRecovered(session, compaction, params);
}

/** Returns the result of a successful recovery, with the compacted history. */
async function renderRecovered(
	session: Session,
	compaction: CompactResult,
	params: OwnParams<RecoverParams>,
): Promise<RecoveredHistory> {
	const { revision } = session.state;
	const { messages, system, warnings } = await renderHistory(session, params.format);
	const allWarnings = [...describeCutMessages(compaction), ...warnings];
	return { compaction, messages, revision, system, warnings: allWarnings };
}

/**
 * Classifies an error, and compacts the history for another attempt if the error is an overflow.
 *
 * Compacts at most twice until the next message arrives. If the prompt would not become smaller and fit, the session is
 * unchanged.
 */
export async function recoverFromError(
	session: Session,
	params: OwnParams<RecoverParams>,
	context: TaskContext,
): Promise<RecoverResult> {
	const overlay: StatsOverlay = { request: params.request };
	const { client } = context;
	const { budget } = await readContextUsage(session, client, overlay);
	const errorClass = classifyOutcome(params.error, { contextWindow: budget.contextWindow });
	const attempt = Math.max(params.attempt ?? 1, session.recoveryAttempts + 1);
	const overflow = { errorClass, error: params.error, overlay };
	const answer: RecoverResult = { ...errorClass, attempt };
	const refuse = ({ reasonCode, reason, ...rest }: RefusedRetry): RecoverResult => ({
		...answer,
		...rest,
		reasonCode,
		reason: `${reasonCode}: ${reason}`,
	});
	if (!errorClass.isContextOverflow)
		return refuse({ reasonCode: 'no_overflow', reason: 'the error is not a context overflow' });
	if (!client.getSettings().compaction.enabled) {
		if (session.journal) await learnFromOverflow(session, client, overflow);
		return refuse({ reasonCode: 'disabled', reason: 'auto-compaction is off' });
	}
	if (session.state.view.length === 0)
		return refuse({ reasonCode: 'no_messages', reason: 'the session has no messages' });
	if (attempt > maxRecoveryAttempts)
		return refuse({ reasonCode: 'attempts_exhausted', reason: `${maxRecoveryAttempts} attempts were made` });
	requireWritableJournal(session);
	session.recoveryAttempts = attempt;
	const { warning, revert } = await learnFromOverflow(session, client, overflow);
	let outcome: RecoveredHistory | RefusedRetry | undefined;
	try {
		outcome = await prepareRetry(session, errorClass, params, context);
	} finally {
		if (!outcome || 'reasonCode' in outcome) await revert();
	}
	if ('reasonCode' in outcome) return refuse(outcome);
	const warnings = [...(warning === undefined ? [] : [warning]), ...outcome.warnings];
	return { ...answer, ...outcome, warnings, retryable: true };
}

/** A compaction for another attempt. `tooLargeReason` is set if the prompt would still not fit. */
interface RecoveryAttempt {
	compaction: CompactResult;
	tooLargeReason?: string;
}

/** Returns the maximum tokens of the next attempt's prompt: the limit minus the requested answer. */
function computeMaxPromptTokens(
	errorClass: ErrorClass,
	{ request }: StatsOverlay,
	{ budget, meterReading }: ContextUsage,
): number {
	const namedWindow = findNamedWindow(errorClass, meterReading.tokens);
	// If the error names no window, only the size of the refused prompt is known to be too large.
	if (namedWindow === undefined) return Math.min(budget.contextWindow, meterReading.tokens);
	const output = errorClass.outputTokens ?? request?.maxOutputTokens ?? 0;
	return Math.min(budget.contextWindow, output < namedWindow ? namedWindow - output : namedWindow);
}

/**
 * Explains why the history cannot be the cause of an overflow; undefined if it can be.
 *
 * The history cannot be the cause if all known parts of the request fit, but the provider's token count would exceed
 * the window even without the history.
 */
function explainNonHistoryCause(
	errorClass: ErrorClass,
	overlay: StatsOverlay,
	contextUsage: ContextUsage,
): string | undefined {
	const { promptTokens: prompt = 0 } = errorClass;
	const { tokens, breakdown } = contextUsage.meterReading;
	const isElsewhere =
		tokens <= contextUsage.budget.available &&
		prompt - breakdown.conversationHistory >= computeMaxPromptTokens(errorClass, overlay, contextUsage);
	if (!isElsewhere) return undefined;
	return `the provider counted ${prompt} tokens, but the known parts of the request have at most ${tokens}: something other than the history fills the window`;
}

/**
 * Compacts the history for another attempt of a refused request.
 *
 * Shortens user messages only if the request would exceed its budget otherwise. Changes nothing if the result would still
 * not fit.
 */
async function compactForRetry(
	session: Session,
	{ errorClass, overlay }: { errorClass: ErrorClass; overlay: StatsOverlay },
	contextUsage: ContextUsage,
	{ client, signal, report }: TaskContext,
): Promise<RecoveryAttempt> {
	const { meterReading, budget, request, settings } = contextUsage;
	const limit = computeMaxPromptTokens(errorClass, overlay, contextUsage);
	const { answeredTokens } = session.state;
	const isBlind = errorClass.windowTokens === undefined && answeredTokens > 0;
	const target = computeRecoveryTarget({
		reading: meterReading,
		budget,
		// If the error names no window, only the size of an answered prompt is known to fit.
		maxPromptTokens: isBlind ? Math.min(limit, answeredTokens) : limit,
		tokenThreshold: settings.tokenThreshold,
	});
	const compactTo = async (
		maxTokens: number,
		cutUserMessages: Policy['cutUserMessages'],
	): Promise<RecoveryAttempt> => {
		let tooLargeReason: string | undefined;
		const findRefusal = ({ meter, totals }: State): string | undefined => {
			const { tokens } = readMeter(meter, totals, request);
			if (tokens <= maxTokens) return undefined;
			tooLargeReason = `${tokens} tokens would remain, more than the ${maxTokens} that fit, so the history is unchanged`;
			return tooLargeReason;
		};
		const policy = resolvePolicy({ settings, contextWindow: budget.contextWindow, cutUserMessages });
		const compaction = await runCompaction(session, {
			client,
			cause: 'recover',
			policy,
			targetTokens: target,
			findRefusal,
			signal,
			report,
		});
		return { compaction, tooLargeReason };
	};
	const attempt = await compactTo(Math.min(limit, budget.available), 'never');
	const isEnough = attempt.compaction.compacted || attempt.compaction.reasonCode === 'below_target';
	return isEnough ? attempt : compactTo(limit, 'when nothing else is left');
}
