/** Asks one model after the other until an answer may stand. */

import { CallFailure, isCallFailure, RefusedAnswer, retryDelay } from '../../core/ask/callFailure.ts';
import { type AskedLink, type Chain, linkName } from '../../core/ask/chain.ts';
import { errorText } from '../../core/failure.ts';
import type { StageFailure, SummaryAttempt } from '../../protocol/compact.ts';
import type { AskModel, ModelQuestion, ModelReply } from '../ports.ts';
import { withDeadline } from './deadline.ts';

export interface ChainContext {
	sessionId: string;
	chain: Pick<Chain, 'links' | 'totalTimeoutMs'>;
	ask: AskModel;
	signal: AbortSignal;
	/** Milliseconds since the epoch. */
	now(): number;
	/** Resolves after so many milliseconds; rejects once the signal is aborted. */
	wait(ms: number, signal: AbortSignal): Promise<void>;
	/** A model is given up, and another asked. */
	fellBack(from: string, to: string, why: string): void;
}

/** Asks the model whose turn it is. */
export type Ask = (question: ModelQuestion) => Promise<ModelReply>;

export interface ChainOutcome<T> {
	/** Absent where nobody gave an answer that may stand. */
	value?: T;
	/** Who gave it. */
	by: string;
	attempts: SummaryAttempt[];
}

function failureOf(error: unknown): StageFailure {
	if (error instanceof RefusedAnswer) return error.failure;
	const retryable = isCallFailure(error) && error.retryable;
	return { code: 'MODEL_FAILED', message: errorText(error), retryable };
}

/**
 * Works with one model of the chain after the other, until it is done with one: `work` may ask several times, and
 * throws `RefusedAnswer` where an answer may not stand. A call that brings no answer is made again as often as its link
 * allows, where that may help. Rejects with the signal's reason, and for nothing else that a model does.
 */
export async function askChain<T>(
	context: ChainContext,
	work: (ask: Ask, link: AskedLink) => Promise<T>,
): Promise<ChainOutcome<T>> {
	const { chain, signal, now } = context;
	const attempts: SummaryAttempt[] = [];
	const end = now() + chain.totalTimeoutMs;
	for (const [index, link] of chain.links.entries()) {
		const asking = { link, end, began: now(), by: linkName(link), attempts };
		try {
			const value = await work((question) => askWithRetries(context, asking, question), link);
			attempts.push(attemptOf(asking, now()));
			return { value, by: asking.by, attempts };
		} catch (error) {
			signal.throwIfAborted();
			const attempt = attemptOf(asking, now(), error);
			const next = chain.links[index + 1];
			const isOver = now() >= end;
			if (next && !isOver) attempt.fallback = linkName(next);
			attempts.push(attempt);
			if (isOver) break;
			if (next) context.fellBack(attempt.model, linkName(next), attempt.error ?? '');
		}
	}
	return { by: attempts.at(-1)?.model ?? 'nobody', attempts };
}

/** One model's turn, as far as it is. */
interface Asking {
	link: AskedLink;
	/** When the whole chain's time is up. */
	end: number;
	/** When the attempt began. */
	began: number;
	/** Who it is, as far as it has said so. */
	by: string;
	/** Where its failed attempts are told. */
	attempts: SummaryAttempt[];
}

function attemptOf({ link, began, by }: Asking, now: number, error?: unknown): SummaryAttempt {
	const attempt = { model: by, ok: error === undefined, provider: link.provider, ms: now - began };
	if (error === undefined) return attempt;
	const failure = { ...failureOf(error), model: by };
	const told = error instanceof RefusedAnswer ? error.message : failure.message;
	return { ...attempt, error: told, failure };
}

async function askWithRetries(
	{ sessionId, ask, signal, now, wait }: ChainContext,
	asking: Asking,
	question: ModelQuestion,
): Promise<ModelReply> {
	const { link, end, attempts } = asking;
	for (let retried = 0; ; retried++) {
		const left = end - now();
		if (left <= 0) throw new CallFailure('no time is left for it', { retryable: true });
		try {
			const answer = await withDeadline(Math.min(link.timeoutMs, left), signal, (patience) =>
				ask(link, { ...question, sessionId }, patience),
			);
			// A client has many models, and says which one it was.
			if (link.provider === 'client' && answer.model !== undefined) asking.by = answer.model;
			return answer;
		} catch (error) {
			signal.throwIfAborted();
			const { maxRetries } = link;
			const problem = isCallFailure(error) ? error : { retryable: false };
			const ms = retryDelay(problem, { retried, maxRetries, left: end - now() });
			if (ms === undefined) throw error;
			attempts.push(attemptOf(asking, now(), error));
			await wait(ms, signal);
			asking.began = now();
		}
	}
}
