/** `context/recover`: what to do after a provider's error. An overflow is compacted without any model. */

import { resolvePolicy } from '../../core/compact/resolvePolicy.ts';
import { Failure } from '../../core/failure.ts';
import { promptTokens } from '../../core/meter/meter.ts';
import { classifyError } from '../../core/overflow/classify.ts';
import { callOf } from '../../core/overflow/response.ts';
import { isSilentOverflow } from '../../core/overflow/silent.ts';
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
import { type Standing, standingOf } from '../stats.ts';
import type { World } from '../world.ts';
import { stopAhead } from './ahead.ts';
import { compact } from './compact.ts';
import { learnFromOverflow, smallestWindow } from './overflowLessons.ts';
import { ticketOf, type Watcher } from './request.ts';

const mostAttempts = 2;

/** Share of the provider's limit that a recovery comes down to. */
const shareOfLimit = 0.7;

/** The error's class; a response whose own figures tell that its call did not fit is an overflow too. */
function classify(error: unknown, contextWindow: number): ErrorClass {
	const found = classifyError(error, { contextWindow });
	const call = found.isContextOverflow ? undefined : callOf(error);
	if (!call || !isSilentOverflow({ ...call, contextWindow })) return found;
	return {
		...found,
		isContextOverflow: true,
		retryable: false,
		...(call.usage && { actualTokens: promptTokens(call.usage) }),
	};
}

/** Tokens that the prompt of the next try may have: its share of the limit, and room for the answer asked for. */
function allowedPrompt(found: ErrorClass, order: Asked<RecoverParams>, standing: Standing): number {
	const { contextWindow } = standing.budget;
	const named = found.windowTokens ?? 0;
	const { tokens } = standing.reading;
	// Without a figure all that is known is that what was sent is too much.
	const limit = Math.min(contextWindow, named >= smallestWindow ? named : Math.max(tokens, smallestWindow));
	const output = found.outputTokens ?? order.request?.maxOutputTokens ?? 0;
	const besideOutput = named >= smallestWindow && output < named ? limit - output : limit;
	return Math.floor(Math.max(0, Math.min(shareOfLimit * limit, besideOutput)));
}

async function makeRoom(
	session: Session,
	standing: Standing,
	allowed: number,
	watcher: Watcher,
): Promise<CompactResult> {
	const { tokens, breakdown } = standing.reading;
	return compact(session, {
		cause: 'recover',
		policy: resolvePolicy({
			settings: session.world.settings(),
			contextWindow: standing.budget.contextWindow,
			cutUserMessages: 'when nothing else is left',
		}),
		target: Math.max(0, allowed - (tokens - breakdown.conversationHistory)),
		signal: watcher.signal,
		report: watcher.report,
	});
}

/**
 * What went wrong where a compaction failed by itself. Rethrows what is no failure of the compaction: that of the
 * storage under it, say, or that the caller called it off.
 */
function failureOf(error: unknown, { log }: World, signal: AbortSignal): string {
	if (signal.aborted) throw error;
	if (error instanceof Failure) {
		if (error.kind !== 'SummarizerFailed') throw error;
		return error.message;
	}
	const message = error instanceof Error ? error.message : String(error);
	log.error(`a compaction failed: ${error instanceof Error ? (error.stack ?? message) : message}`);
	return message;
}

/**
 * Classifies an error, and where it is an overflow makes room for another try: at most twice between two messages,
 * and only where the prompt really became smaller. Nothing is ever thrown away for it, and the session stays.
 */
export async function recover(
	session: Session,
	order: Asked<RecoverParams>,
	watcher: Watcher,
): Promise<RecoverResult> {
	const { world } = session;
	const overlay: StatsOverlay = { request: order.request };
	const before = await standingOf(session, overlay);
	const found = classify(order.error, before.budget.contextWindow);
	const attempt = Math.max(order.attempt ?? 1, session.recoveries + 1);
	const answer: RecoverResult = { ...found, attempt };
	const give = (reasonCode: NoRecoveryReason, reason: string): RecoverResult => ({
		...answer,
		retryable: found.isContextOverflow ? false : found.retryable,
		reasonCode,
		reason: `${reasonCode}: ${reason}`,
	});
	if (!found.isContextOverflow) return give('no_overflow', 'the error is no context overflow');
	if (session.journal) await learnFromOverflow(session, found, order.error, before);
	if (!world.settings().compaction.enabled) return give('disabled', 'auto-compaction is off');
	if (session.state.view.length === 0) return give('no_messages', 'the session has no messages');
	if (attempt > mostAttempts) return give('attempts_exhausted', `${mostAttempts} attempts were made`);
	writable(session);
	session.recoveries = attempt;
	const standing = await standingOf(session, overlay);
	const allowed = allowedPrompt(found, order, standing);
	let compaction: CompactResult;
	stopAhead(session);
	try {
		compaction = await session.compacting.run(ticketOf(session, watcher), (signal) =>
			makeRoom(session, standing, allowed, { ...watcher, signal }),
		);
	} catch (error) {
		return give('compaction_failed', failureOf(error, world, watcher.signal));
	}
	const after = await standingOf(session, overlay);
	const isSmaller = after.reading.tokens < standing.reading.tokens;
	// Another compaction, which this one waited for, may have made the room.
	const isMade = isSmaller && compaction.reasonCode === 'below_target';
	if (!compaction.compacted && !isMade) {
		const { reasonCode = 'no_progress', reason = 'nothing could be taken out' } = compaction;
		return { ...give(reasonCode, reason), compaction };
	}
	if (!isSmaller || !fits(found, after)) {
		const left = `${after.reading.tokens} tokens are left, more than the ${after.budget.contextWindow} of the window`;
		return { ...give('insufficient', left), compaction };
	}
	const { messages, system, warnings } = await renderHistory(session, order.format);
	const cut = compaction.removed.filter((one) => one.role === 'user' && one.change === 'shortened');
	return {
		...answer,
		retryable: true,
		compaction,
		messages,
		...(system !== undefined && { system }),
		warnings: [...cut.map((one) => `the middle of user message ${one.messageId} was cut`), ...warnings],
	};
}

/** Whether the request now goes into the window, as far as anybody can tell. */
function fits(found: ErrorClass, { reading, budget }: Standing): boolean {
	return reading.tokens + (found.outputTokens ?? 0) <= budget.contextWindow;
}
