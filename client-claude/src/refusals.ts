/** Handles a request that the provider refused twice: at most one compaction per turn, on trial. */

import type { Conversations, HeldConversation } from './conversations.ts';
import { type Host, type NextStep, type StepEvent, type StepResult, withTimeout } from './host.ts';
import { trialText } from './words.ts';

/** Timeout of a compaction, in milliseconds. */
const timeoutMs = 8000;
/** Milliseconds that Claude Code needs to store the text of an error that it does not handle itself. */
const errorLineMs = 60;
/** Maximum compactions in a row that do not make a refused request pass. */
const maxFailedTrials = 2;

/**
 * Passes on one request of a turn. If the provider refuses it twice, the error text that Claude Code stored decides. If
 * Claude Code withholds that text, because it would compact by itself, the conversation is compacted on trial and the
 * request is repeated.
 */
export async function* retryRefusedStep(
	host: Host,
	event: StepEvent,
	next: NextStep,
	conversations: Conversations,
): AsyncGenerator<unknown, StepResult> {
	const earlier = conversations.newest(event.agentId);
	if (earlier !== undefined) {
		if (event.index === 0) earlier.isTurnCompacted = false;
		Object.assign(earlier, { refusal: undefined, isSmallerRefused: false });
	}
	const result = yield* prefetchItems(next(event));
	const held = conversations.newest(event.agentId);
	if (result.stopReason !== null || held === undefined) return result;
	if (await conversations.isOff(host, held)) return result;
	const recovery = await recover(host, event, held, conversations);
	if (recovery === undefined) return result;
	held.isShortened = true;
	try {
		return yield* prefetchItems(next(event));
	} finally {
		held.isShortened = false;
		if (held.refusal !== undefined) await afterSecondRefusal(host, held, conversations);
		else if (recovery.isTrial) conversations.onNotice(host, held.sessionId, trialText);
	}
}

/** Compacts after a request was refused twice. Returns undefined if the request should not be repeated. */
async function recover(
	host: Host,
	{ agentId }: StepEvent,
	held: HeldConversation,
	conversations: Conversations,
): Promise<{ isTrial: boolean } | undefined> {
	const { refusal, last, conversation } = held;
	if (refusal === undefined || last === undefined) return undefined;
	if (held.isTurnCompacted || held.failedTrials >= maxFailedTrials) return undefined;
	const text = await errorLine(host, agentId);
	// A status of 413 does not identify the model's limit: a gateway may have refused the bytes.
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
 * Returns the error text that Claude Code stored; undefined if it withholds the error in order to compact by itself, or cannot
 * be asked. The compaction is then on trial.
 */
async function errorLine(host: Host, agentId: string | undefined): Promise<string | undefined> {
	for (let attempt = 0; attempt < 2; attempt++) {
		const of = agentId === undefined ? {} : { agentId };
		const [newest] = await host.session.messages({ last: 1, ...of }).catch(() => []);
		if (newest?.role === 'assistant') return newest.text;
		await host.clock.sleep(errorLineMs);
	}
	return undefined;
}

/** Restores the history if its compaction is on trial, since the shorter request was refused, too. */
async function afterSecondRefusal(
	host: Host,
	held: HeldConversation,
	conversations: Conversations,
): Promise<void> {
	held.failedTrials++;
	const { ask, sessionId, conversation } = held;
	try {
		const stats = await ask('context/stats', { sessionId }, { timeoutMs });
		held.isSmallerRefused = stats !== null && stats.estimatedInputTokens < held.answered;
		const ended = withTimeout(host, 'restoring the conversation', timeoutMs, conversation.endTrial(false));
		held.restored = (await ended) ?? held.restored;
	} catch (error) {
		conversations.warn(host, error);
	}
}

/**
 * Passes on a stream and requests each item before the previous one is consumed: an item costs two messages between a mod and
 * Claude Code, and a request of a few items takes 3 ms less this way (measured with 2.1.330).
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
			// A failure is thrown when the item is consumed.
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
