/** Handles requests that the provider refused twice: compacts on trial, at most once per turn. */

import { type ConversationState, type Conversations, showNotice } from './conversations.ts';
import { type Host, type NextStep, type StepEvent, type StepResult, withTimeout } from './host.ts';
import { trialText } from './texts.ts';

/** Timeout of a compaction, in milliseconds. */
const timeoutMs = 8000;
/** Maximum milliseconds that Claude Code takes to store the text of an unhandled error. */
const storeErrorMs = 60;
/** Number of failed trials in a row after which refused requests are no longer repeated. */
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
	const previous = conversations.getNewest(event.agentId);
	if (previous !== undefined) {
		if (event.index === 0) previous.isTurnCompacted = false;
		Object.assign(previous, { refusal: undefined, isSmallerRefused: false });
	}
	const result = yield* prefetchItems(next(event));
	const state = conversations.getNewest(event.agentId);
	if (result.stopReason !== null || state === undefined) return result;
	if (await conversations.isOff(host, state)) return result;
	const recovery = await recover(host, event, state, conversations);
	if (recovery === undefined) return result;
	state.isShortened = true;
	try {
		return yield* prefetchItems(next(event));
	} finally {
		state.isShortened = false;
		if (state.refusal !== undefined) await handleSecondRefusal(host, state, conversations);
		else if (recovery.isTrial) showNotice(host, state.sessionId, trialText);
	}
}

/** Compacts after a request was refused twice. Returns undefined if the request must not be repeated. */
async function recover(
	host: Host,
	{ agentId }: StepEvent,
	state: ConversationState,
	conversations: Conversations,
): Promise<{ isTrial: boolean } | undefined> {
	const { refusal, lastRequest, conversation } = state;
	if (refusal === undefined || lastRequest === undefined) return undefined;
	if (state.isTurnCompacted || state.failedTrialCount >= maxFailedTrials) return undefined;
	const text = await readStoredError(host, agentId);
	// Status 413 may come from a gateway that limits bytes, instead of from a model that limits tokens.
	const isTrial = text === undefined || refusal.status === 413;
	const error = { status: refusal.status, message: isTrial ? 'prompt is too long' : text };
	const task = conversation.recover(error, lastRequest.hostMessages, lastRequest.context, isTrial);
	const messages = await withTimeout(host, 'the compaction', timeoutMs, task).catch((failure: unknown) => {
		conversations.warn(host, failure);
	});
	if (messages === undefined) return undefined;
	Object.assign(state, { isTurnCompacted: true, isUndone: false, isTrialAnswered: false });
	return { isTrial };
}

/**
 * Reads the error text that Claude Code stored; undefined if Claude Code withholds the text in order to compact by itself, or cannot
 * be asked.
 */
async function readStoredError(host: Host, agentId: string | undefined): Promise<string | undefined> {
	for (let attempt = 0; attempt < 2; attempt++) {
		const query = { last: 1, ...(agentId !== undefined && { agentId }) };
		const [newest] = await host.session.messages(query).catch(() => []);
		if (newest?.role === 'assistant') return newest.text;
		await host.clock.sleep(storeErrorMs);
	}
	return undefined;
}

/** Undoes a compaction on trial after the shorter request was refused as well. */
async function handleSecondRefusal(
	host: Host,
	state: ConversationState,
	conversations: Conversations,
): Promise<void> {
	state.failedTrialCount++;
	const { ask, sessionId, conversation } = state;
	try {
		const stats = await ask('context/stats', { sessionId }, { timeoutMs });
		state.isSmallerRefused = stats !== null && stats.estimatedInputTokens < state.answeredPromptTokens;
		const task = conversation.endTrial(false);
		const compactionId = await withTimeout(host, 'restoring the conversation', timeoutMs, task);
		state.restoredId = compactionId ?? state.restoredId;
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
		let pending = stream.next();
		for (;;) {
			const item = await pending;
			if (item.done) {
				isDone = true;
				return item.value;
			}
			pending = stream.next();
			// Prevents an unhandled rejection: the error is thrown when the item is consumed.
			pending.catch(() => {});
			yield item.value;
		}
	} catch (error) {
		isDone = true;
		throw error;
	} finally {
		if (!isDone) await stream.return(undefined as Result);
	}
}
