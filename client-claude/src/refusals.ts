/** Handles requests that the provider refused twice: compacts on trial, at most once per turn. */

import type { Conversations, HeldConversation } from './conversations.ts';
import { type Host, type NextStep, type StepEvent, type StepResult, withTimeout } from './host.ts';
import { trialText } from './texts.ts';

/** Timeout of a compaction, in milliseconds. */
const timeoutMs = 8000;
/** Maximum milliseconds that Claude Code takes to store the text of an unhandled error. */
const storeErrorMs = 60;
/** Number of unhelpful compactions in a row after which refused requests are no longer repeated. */
const maxFailedTrials = 2;

/**
 * Forwards one request of a turn. If the provider refuses the request twice as too long, compacts the conversation and repeats
 * the request. The error text that Claude Code stores shows whether the request was too long. Claude Code withholds this text if
 * it would compact by itself; the compaction is then on trial.
 */
export async function* retryRefusedStep(
	host: Host,
	event: StepEvent,
	next: NextStep,
	conversations: Conversations,
): AsyncGenerator<unknown, StepResult> {
	const earlier = conversations.getNewest(event.agentId);
	if (earlier !== undefined) {
		if (event.index === 0) earlier.isTurnCompacted = false;
		Object.assign(earlier, { refusal: undefined, isSmallerRefused: false });
	}
	const result = yield* prefetchItems(next(event));
	const held = conversations.getNewest(event.agentId);
	if (result.stopReason !== null || held === undefined) return result;
	if (await conversations.isOff(host, held)) return result;
	const recovery = await recover(host, event, held, conversations);
	if (recovery === undefined) return result;
	held.isShortened = true;
	try {
		return yield* prefetchItems(next(event));
	} finally {
		held.isShortened = false;
		if (held.refusal !== undefined) await handleSecondRefusal(host, held, conversations);
		else if (recovery.isTrial) conversations.onNotice(host, held.sessionId, trialText);
	}
}

/** Compacts after a request was refused twice. Returns undefined if the request must not be repeated. */
async function recover(
	host: Host,
	{ agentId }: StepEvent,
	held: HeldConversation,
	conversations: Conversations,
): Promise<{ isTrial: boolean } | undefined> {
	const { refusal, last, conversation } = held;
	if (refusal === undefined || last === undefined) return undefined;
	if (held.isTurnCompacted || held.failedTrials >= maxFailedTrials) return undefined;
	const text = await readStoredError(host, agentId);
	// Status 413 may come from a gateway that limits bytes, instead of from a model that limits tokens.
	const isTrial = text === undefined || refusal.status === 413;
	const error = { status: refusal.status, message: isTrial ? 'prompt is too long' : text };
	const task = conversation.recover(error, last.raw, last.context, isTrial);
	const messages = await withTimeout(host, 'the compaction', timeoutMs, task).catch((failure: unknown) => {
		conversations.warn(host, failure);
	});
	if (messages === undefined) return undefined;
	Object.assign(held, { isTurnCompacted: true, isUndone: false, isTrialAnswered: false });
	return { isTrial };
}

/**
 * Reads the error text that Claude Code stored; undefined if Claude Code withholds the text in order to compact by itself, or cannot
 * be asked.
 */
async function readStoredError(host: Host, agentId: string | undefined): Promise<string | undefined> {
	for (let attempt = 0; attempt < 2; attempt++) {
		const of = agentId === undefined ? {} : { agentId };
		const [newest] = await host.session.messages({ last: 1, ...of }).catch(() => []);
		if (newest?.role === 'assistant') return newest.text;
		await host.clock.sleep(storeErrorMs);
	}
	return undefined;
}

/** Undoes a compaction on trial after the shorter request was refused as well. */
async function handleSecondRefusal(
	host: Host,
	held: HeldConversation,
	conversations: Conversations,
): Promise<void> {
	held.failedTrials++;
	const { ask, sessionId, conversation } = held;
	try {
		const stats = await ask('context/stats', { sessionId }, { timeoutMs });
		held.isSmallerRefused = stats !== null && stats.estimatedInputTokens < held.answeredTokens;
		const ended = withTimeout(host, 'restoring the conversation', timeoutMs, conversation.endTrial(false));
		held.restoredId = (await ended) ?? held.restoredId;
	} catch (error) {
		conversations.warn(host, error);
	}
}

/**
 * Forwards a stream, and requests each item before the previous item is consumed. Each item needs two messages between a mod and
 * Claude Code, so this saves 3 ms for an answer of a few items (measured with 2.1.330).
 */
export async function* prefetchItems<Item, Result>(
	stream: AsyncGenerator<Item, Result>,
): AsyncGenerator<Item, Result> {
	let isDone = false;
	try {
		let pulled = stream.next();
		for (;;) {
			const item = await pulled;
			if (item.done) {
				isDone = true;
				return item.value;
			}
			pulled = stream.next();
			// Prevents an unhandled rejection: the error is thrown when the item is consumed.
			pulled.catch(() => {});
			yield item.value;
		}
	} catch (error) {
		isDone = true;
		throw error;
	} finally {
		if (!isDone) await stream.return(undefined as Result);
	}
}
