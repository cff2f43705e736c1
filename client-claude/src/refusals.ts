/** What follows a request that the provider refused twice: at most one compaction a turn, and only on trial. */

import type { Conversations, HeldConversation } from './conversations.ts';
import { within } from './deadline.ts';
import type { Host, NextStep, StepEvent, StepResult } from './host.ts';
import { trialWords } from './words.ts';

/** Milliseconds that making room may take. */
const patienceMs = 8000;
/** Milliseconds until Claude Code has stored the line of an error that it does not handle itself. */
const errorLineMs = 60;
/** Compactions in a row that may fail to make a refused request pass. */
const maxFailedTrials = 2;

/**
 * Passes on one request of a turn. If the provider refuses it twice, the provider's words decide, as Claude Code shows
 * them. If Claude Code holds them back, because it would compact by itself, the conversation is compacted on trial, and
 * the request is made again.
 */
export async function* stepWithRoom(
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
	const result = yield* pullAhead(next(event));
	const held = conversations.newest(event.agentId);
	if (result.stopReason !== null || held === undefined) return result;
	if (await conversations.isOff(host, held)) return result;
	const room = await makeRoom(host, event, held, conversations);
	if (room === undefined) return result;
	held.isShortened = true;
	try {
		return yield* pullAhead(next(event));
	} finally {
		held.isShortened = false;
		if (held.refusal !== undefined) await afterSecondRefusal(host, held, conversations);
		else if (room.isTrial) conversations.onNotice(host, held.sessionId, trialWords);
	}
}

/** Makes room for a request that was refused twice; undefined if it should not be made again. */
async function makeRoom(
	host: Host,
	{ agentId }: StepEvent,
	held: HeldConversation,
	conversations: Conversations,
): Promise<{ isTrial: boolean } | undefined> {
	const { refusal, last, conversation } = held;
	if (refusal === undefined || last === undefined) return undefined;
	if (held.isTurnCompacted || held.failedTrials >= maxFailedTrials) return undefined;
	const words = await errorLine(host, agentId);
	// A status of 413 says nothing of the model: a gateway may have refused the bytes.
	const isTrial = words === undefined || refusal.status === 413;
	const error = { status: refusal.status, message: isTrial ? 'prompt is too long' : words };
	const work = conversation.recover(error, last.raw, last.around, isTrial);
	const room = await within(host, 'making room', patienceMs, work).catch((error: unknown) => {
		conversations.onAside(host, error instanceof Error ? error.message : String(error));
	});
	if (room === undefined) return undefined;
	Object.assign(held, { isTurnCompacted: true, isUndone: false, isTrialAnswered: false });
	return { isTrial };
}

/**
 * The error as Claude Code stored it; undefined if it holds the error back to compact by itself, or cannot be asked:
 * what follows is then on trial.
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

/** Restores the history if its compaction is on trial: the shorter request was refused too. */
async function afterSecondRefusal(
	host: Host,
	held: HeldConversation,
	conversations: Conversations,
): Promise<void> {
	held.failedTrials++;
	const { ask, sessionId, conversation } = held;
	try {
		const stats = await ask('context/stats', { sessionId }, { timeoutMs: patienceMs });
		held.isSmallerRefused = stats !== null && stats.estimatedInputTokens < held.answered;
		const settled = within(host, 'restoring the conversation', patienceMs, conversation.endTrial(false));
		held.restored = (await settled) ?? held.restored;
	} catch (error) {
		conversations.onAside(host, error instanceof Error ? error.message : String(error));
	}
}

/**
 * Passes on a stream, and has asked for its next item before the present one is taken: between a mod and Claude Code each
 * item is two messages, and a request of a few items takes 3 ms less this way (2.1.330).
 */
export async function* pullAhead<Item, Result>(
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
			// A failure counts when its turn comes.
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
