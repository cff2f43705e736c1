/** Asks the models of a chain, one after another, until an answer is usable. */

import { CallFailure, computeRetryMs, isCallFailure, RefusedAnswer } from '../../core/ask/callFailure.ts';
import { type Chain, getLinkName, type ResolvedLink } from '../../core/ask/chain.ts';
import { errorText, rejectIfAborted } from '../../core/failure.ts';
import { lookupModel } from '../../core/models/registry.ts';
import type { StageFailure, SummaryAttempt } from '../../protocol/compact.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { AskModel, ModelQuestion, ModelReply } from '../ports.ts';

export interface ChainContext {
	sessionId: string;
	chain: Pick<Chain, 'links' | 'totalTimeoutMs'>;
	ask: AskModel;
	signal: AbortSignal;
	/** Milliseconds since the epoch. */
	now(): number;
	/** Resolves after this many milliseconds; rejects if the signal is aborted. */
	wait(ms: number, signal: AbortSignal): Promise<void>;
	/** Called before the next model is asked, because a model gave no usable answer. */
	onFallback(from: string, to: string, reason: string): void;
}

/** Asks the model of the chain that is tried at the moment. */
export type AskCurrentModel = (question: ModelQuestion) => Promise<ModelReply>;

export interface ChainOutcome<T> {
	/** The usable answer, if there is one. */
	value?: T;
	/** Name of the model that answered, or of the last model asked. */
	by: string;
	attempts: SummaryAttempt[];
}

/** Returns the window of a link's model, in tokens; infinite for a client's model, whose window is unknown. */
export function findLinkWindow({ provider, model }: ResolvedLink, models: Settings['models']): number {
	if (provider === 'client') return Number.POSITIVE_INFINITY;
	return lookupModel(provider, model, { models }).contextWindow;
}

function toStageFailure(error: unknown): StageFailure {
	if (error instanceof RefusedAnswer) return error.failure;
	const retryable = isCallFailure(error) && error.retryable;
	return { code: 'MODEL_FAILED', message: errorText(error), retryable };
}

/**
 * Runs `task` with one model of the chain after another until `task` succeeds.
 *
 * `task` may ask several times, and throws `RefusedAnswer` if an answer is not usable. A call that failed temporarily is
 * retried as often as its model's settings allow. Rejects only with the signal's reason.
 */
export async function askChain<T>(
	context: ChainContext,
	task: (ask: AskCurrentModel, link: ResolvedLink) => Promise<T>,
): Promise<ChainOutcome<T>> {
	const { chain, signal, now } = context;
	const attempts: SummaryAttempt[] = [];
	const deadline = now() + chain.totalTimeoutMs;
	for (const [index, link] of chain.links.entries()) {
		const running = { link, deadline, startedAt: now(), by: getLinkName(link), attempts };
		try {
			const value = await task((question) => askWithRetries(context, running, question), link);
			attempts.push(describeAttempt(running, now()));
			return { value, by: running.by, attempts };
		} catch (error) {
			signal.throwIfAborted();
			const attempt = describeAttempt(running, now(), error);
			const next = chain.links[index + 1];
			const isOver = now() >= deadline;
			if (next && !isOver) attempt.fallback = getLinkName(next);
			attempts.push(attempt);
			if (isOver) break;
			if (next) context.onFallback(attempt.model, getLinkName(next), attempt.error ?? '');
		}
	}
	return { by: attempts.at(-1)?.model ?? 'nobody', attempts };
}

/** The running attempt with one model. */
interface Attempt {
	link: ResolvedLink;
	/** Deadline of the whole chain, in milliseconds since the epoch. */
	deadline: number;
	/** When the attempt began, in milliseconds since the epoch. */
	startedAt: number;
	/** Name of the model; a client's model is named only by its answer. */
	by: string;
	/** The list to which failed attempts are added. */
	attempts: SummaryAttempt[];
}

function describeAttempt({ link, startedAt, by }: Attempt, now: number, error?: unknown): SummaryAttempt {
	const attempt = { model: by, ok: error === undefined, provider: link.provider, ms: now - startedAt };
	if (error === undefined) return attempt;
	const failure = { ...toStageFailure(error), model: by };
	const message = error instanceof RefusedAnswer ? error.message : failure.message;
	return { ...attempt, error: message, failure };
}

async function askWithRetries(
	{ sessionId, ask, signal, now, wait }: ChainContext,
	running: Attempt,
	question: ModelQuestion,
): Promise<ModelReply> {
	const { link, deadline, attempts } = running;
	for (let retries = 0; ; retries++) {
		const remainingMs = deadline - now();
		if (remainingMs <= 0) throw new CallFailure('no time is left to ask it', { retryable: true });
		try {
			const answer = await runWithDeadline(Math.min(link.timeoutMs, remainingMs), signal, (callSignal) =>
				ask(link, { ...question, sessionId }, callSignal),
			);
			// A client has several models, and names the model that answered.
			if (link.provider === 'client' && answer.model !== undefined) running.by = answer.model;
			return answer;
		} catch (error) {
			signal.throwIfAborted();
			const { maxRetries } = link;
			const problem = isCallFailure(error) ? error : { retryable: false };
			const ms = computeRetryMs(problem, { retries, maxRetries, remainingMs: deadline - now() });
			if (ms === undefined) throw error;
			attempts.push(describeAttempt(running, now(), error));
			await wait(ms, signal);
			running.startedAt = now();
		}
	}
}

/**
 * Runs a task for at most `ms` milliseconds.
 *
 * When the time is up, rejects with an error that names the time; when the outer signal is aborted, with its
 * reason. In both cases also aborts the task's signal, and does not wait for the task to end.
 *
 * Uses a timer, since signals of `AbortSignal.any` and `AbortSignal.timeout` may be garbage collected before
 * they are aborted.
 */
export async function runWithDeadline<T>(
	ms: number,
	outerSignal: AbortSignal,
	task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	outerSignal.throwIfAborted();
	const controller = new AbortController();
	const { signal } = controller;
	const forwardAbort = (): void => controller.abort(outerSignal.reason);
	const timer = setTimeout(() => {
		controller.abort(new CallFailure(`no answer within ${ms} ms`, { retryable: true, hasTimedOut: true }));
	}, ms);
	outerSignal.addEventListener('abort', forwardAbort, { once: true });
	try {
		return await rejectIfAborted(task(signal), signal);
	} finally {
		clearTimeout(timer);
		outerSignal.removeEventListener('abort', forwardAbort);
	}
}
