/** `context/recover`: what to do after a provider's error. An overflow is compacted without any model. */

import type { Policy } from '../../core/compact/policy.ts';
import { recoveryTarget } from '../../core/compact/recoveryTarget.ts';
import { resolvePolicy } from '../../core/compact/resolvePolicy.ts';
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
import type { Asked } from '../../protocol/declaration.ts';
import type { ErrorClass } from '../../protocol/overflow.ts';
import type { StatsOverlay } from '../../protocol/stats.ts';
import { renderHistory } from '../history.ts';
import { type Session, writable } from '../session.ts';
import { type ContextUsage, contextUsageOf } from '../stats.ts';
import { compact } from './compact.ts';
import { learnFromOverflow, namedWindow } from './overflowLessons.ts';
import { cancelPrefetch } from './prefetch.ts';
import { ticketOf, type WorkContext } from './request.ts';
import { recoveryAttempts } from './tuning.ts';

/**
 * What went wrong where a compaction failed by itself. Rethrows what is no failure of the compaction: that of the
 * storage under it, say, or that the caller called it off.
 */
function failureOf(error: unknown, { client, signal }: WorkContext): string {
	if (signal.aborted) throw error;
	if (error instanceof Failure) {
		if (error.kind !== 'CompactionFailed') throw error;
		return error.message;
	}
	const message = errorText(error);
	client.log.error(`a compaction failed: ${error instanceof Error ? (error.stack ?? message) : message}`);
	return message;
}

/** Why there is no other try, with the compaction that told. */
interface Refused {
	reasonCode: NoRecoveryReason;
	reason: string;
	compaction?: CompactResult;
}

type Recovered = Required<Pick<RecoverResult, 'compaction' | 'messages' | 'revision' | 'warnings'>> &
	Pick<RecoverResult, 'system'>;

/** The history for another try, in the room that is made for it; else why there is none, and nothing was changed. */
async function tryAgain(
	session: Session,
	found: ErrorClass,
	params: Asked<RecoverParams>,
	work: WorkContext,
): Promise<Recovered | Refused> {
	const overlay: StatsOverlay = { request: params.request };
	const before = await contextUsageOf(session, work.client, overlay);
	const elsewhere = foundElsewhere(found, overlay, before);
	if (elsewhere !== undefined) return { reasonCode: 'insufficient', reason: elsewhere };
	let room: Room;
	cancelPrefetch(session);
	try {
		room = await session.compacting.run(ticketOf(work), (signal) =>
			makeRecoveryRoom(session, found, overlay, before, { ...work, signal }),
		);
	} catch (error) {
		const reason = failureOf(error, work);
		return { reasonCode: 'compaction_failed', reason };
	}
	const { compaction, tooMuch } = room;
	if (tooMuch !== undefined) return { reasonCode: 'insufficient', reason: tooMuch, compaction };
	const after = await contextUsageOf(session, work.client, overlay);
	// Another compaction, which this one waited for, may have made the room.
	const isMade = compaction.reasonCode === 'below_target' && after.reading.tokens < before.reading.tokens;
	if (!compaction.compacted && !isMade) {
		const { reasonCode = 'no_progress', reason = 'nothing could be taken out' } = compaction;
		return { reasonCode, reason, compaction };
	}
	return told(session, compaction, params);
}

/** What is told of a compaction, with the history that it left. */
async function told(
	session: Session,
	compaction: CompactResult,
	params: Asked<RecoverParams>,
): Promise<Recovered> {
	const { revision } = session.state;
	const { messages, system, warnings } = await renderHistory(session, params.format);
	const cut = compaction.removed.filter((one) => one.role === 'user' && one.change === 'shortened');
	return {
		compaction,
		messages,
		revision,
		...(system !== undefined && { system }),
		warnings: [...cut.map((one) => `the middle of user message ${one.messageId} was cut`), ...warnings],
	};
}

/**
 * Classifies an error, and where it is an overflow makes room for another try: at most twice between two messages,
 * and only where the prompt becomes smaller and fits. Otherwise the session stays as it is.
 */
export async function recover(
	session: Session,
	params: Asked<RecoverParams>,
	work: WorkContext,
): Promise<RecoverResult> {
	const overlay: StatsOverlay = { request: params.request };
	const { client } = work;
	const { budget } = await contextUsageOf(session, client, overlay);
	const found = classifyOutcome(params.error, { contextWindow: budget.contextWindow });
	const attempt = Math.max(params.attempt ?? 1, session.recoveries + 1);
	const overflow = { found, error: params.error, overlay };
	const answer: RecoverResult = { ...found, attempt };
	const give = ({ reasonCode, reason, ...rest }: Refused): RecoverResult => ({
		...answer,
		...rest,
		reasonCode,
		reason: `${reasonCode}: ${reason}`,
	});
	if (!found.isContextOverflow) {
		return give({ reasonCode: 'no_overflow', reason: 'the error is no context overflow' });
	}
	if (!client.settings().compaction.enabled) {
		if (session.journal) await learnFromOverflow(session, client, overflow);
		return give({ reasonCode: 'disabled', reason: 'auto-compaction is off' });
	}
	if (session.state.view.length === 0) {
		return give({ reasonCode: 'no_messages', reason: 'the session has no messages' });
	}
	if (attempt > recoveryAttempts) {
		return give({ reasonCode: 'attempts_exhausted', reason: `${recoveryAttempts} attempts were made` });
	}
	writable(session);
	session.recoveries = attempt;
	const { warning, takeBack } = await learnFromOverflow(session, client, overflow);
	let outcome: Recovered | Refused | undefined;
	try {
		outcome = await tryAgain(session, found, params, work);
	} finally {
		if (!outcome || 'reasonCode' in outcome) await takeBack();
	}
	if ('reasonCode' in outcome) return give(outcome);
	const warnings = [...(warning === undefined ? [] : [warning]), ...outcome.warnings];
	return { ...answer, ...outcome, warnings, retryable: true };
}

/** A compaction for another try, and where nothing that it could leave would fit, what would have been left. */
interface Room {
	compaction: CompactResult;
	tooMuch?: string;
}

/** The most tokens that the prompt of the next try may have: the limit, less the answer that is asked for. */
function mostPrompt(found: ErrorClass, { request }: StatsOverlay, { budget, reading }: ContextUsage): number {
	const named = namedWindow(found, reading);
	// Without a figure all that is known is that what was sent is too much.
	if (named === undefined) return Math.min(budget.contextWindow, reading.tokens);
	const output = found.outputTokens ?? request?.maxOutputTokens ?? 0;
	return Math.min(budget.contextWindow, output < named ? named - output : named);
}

/**
 * Why what overflowed cannot be the history, where that is so: as far as it is known the request fits, and by the
 * provider's figure it would not without any history either.
 */
function foundElsewhere(
	found: ErrorClass,
	overlay: StatsOverlay,
	contextUsage: ContextUsage,
): string | undefined {
	const { promptTokens: prompt = 0 } = found;
	const { tokens, breakdown } = contextUsage.reading;
	const isElsewhere =
		tokens <= contextUsage.budget.available &&
		prompt - breakdown.conversationHistory >= mostPrompt(found, overlay, contextUsage);
	if (!isElsewhere) return undefined;
	return `the provider counted ${prompt} tokens, but all that is known of the request comes to ${tokens} at most: what fills the window is not the history`;
}

/**
 * Makes room for another try of a request that stood so when it was refused, without touching the words of the user where that leaves the request within its budget.
 * What would not fit even then is not done at all.
 */
async function makeRecoveryRoom(
	session: Session,
	found: ErrorClass,
	overlay: StatsOverlay,
	contextUsage: ContextUsage,
	{ client, signal, report }: WorkContext,
): Promise<Room> {
	const { reading, budget, request, settings } = contextUsage;
	const limit = mostPrompt(found, overlay, contextUsage);
	const { answered } = session.state;
	const isBlind = found.windowTokens === undefined && answered > 0;
	const target = recoveryTarget({
		reading,
		budget,
		// Without a figure, only a prompt that was answered is known to fit.
		limit: isBlind ? Math.min(limit, answered) : limit,
		tokenThreshold: settings.tokenThreshold,
	});
	const leaving = async (most: number, cutUserMessages: Policy['cutUserMessages']): Promise<Room> => {
		let tooMuch: string | undefined;
		const refuses = ({ meter, totals }: State): string | undefined => {
			const { tokens } = readMeter(meter, totals, request);
			if (tokens <= most) return undefined;
			tooMuch = `${tokens} tokens would be left, more than the ${most} that fit, so the history stays as it was`;
			return tooMuch;
		};
		const policy = resolvePolicy({ settings, contextWindow: budget.contextWindow, cutUserMessages });
		const compaction = await compact(session, {
			client,
			cause: 'recover',
			policy,
			target,
			refuses,
			signal,
			report,
		});
		return { compaction, tooMuch };
	};
	const gentle = await leaving(Math.min(limit, budget.available), 'never');
	const isEnough = gentle.compaction.compacted || gentle.compaction.reasonCode === 'below_target';
	return isEnough ? gentle : leaving(limit, 'when nothing else is left');
}
