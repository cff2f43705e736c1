/** Answers Claude Code's compactions: contextd decides at once, and the transcript stays whole. */

import { deadlines } from '../../kit/timeouts.ts';
import { toWholeRequest } from '../../server/core/meter/wholeRequest.ts';
import type { Conversations, HeldConversation } from './conversations.ts';
import { within } from './deadline.ts';
import type { CompactEvent, Host } from './host.ts';
import { decidedWords, statusWords } from './words.ts';

/** Milliseconds that a person waits for an answer. */
const patienceMs = 8000;
/** Milliseconds that a person waits for the meter behind an answer. */
const meterMs = 300;
const undoOrder = /^\s*undo(?:\s+(\d+))?\s*$/i;

/** Answers a compaction; undefined where it is to go Claude Code's own way. */
export async function compactionAnswer(
	host: Host,
	event: CompactEvent,
	conversations: Conversations,
): Promise<string | undefined> {
	const { trigger, agentId, instructions } = event;
	const held = await conversations.current(host, agentId);
	const undo = trigger === 'manual' ? undoOrder.exec(instructions ?? '') : null;
	if (undo !== null) return undone(host, held, Number(undo[1] ?? 1), conversations);
	if (await conversations.isOff(host, held)) return undefined;
	if (trigger === 'precompute') return 'contextd makes room when it is needed';
	if (trigger === 'auto' && held.isSmallerRefused)
		return 'a smaller request was refused as well: the conversation is not too long';
	// The turn would be lost: there is no room, and none could be made.
	if (trigger === 'auto' && held.refusal !== undefined) return undefined;
	if (trigger === 'auto' && wasUndone(held) && fits(held)) return holdingOff(host, held);
	const words = await within(host, 'the compaction', patienceMs, compacted(held, instructions));
	await showMeter(host, held, conversations);
	// Claude Code shows the words of an automatic one for a moment alone.
	if (trigger === 'auto' && agentId === undefined) host.ui.log(words);
	return words;
}

/** Whether the newest decision was taken back, in this process or in one before it. */
function wasUndone({ isUndone, stats, restored }: HeldConversation): boolean {
	const last = stats?.lastCompaction;
	return isUndone || (last?.undone === true && last.compactionId !== restored);
}

async function holdingOff(host: Host, { conversation }: HeldConversation): Promise<string> {
	const words = 'you took a compaction back, and what is there still fits the window';
	if (await conversation.isFirstSinceDecision()) host.ui.log(`no automatic compaction: ${words}`);
	return words;
}

function fits({ stats }: HeldConversation): boolean {
	return stats !== undefined && stats.estimatedInputTokens <= stats.contextWindow;
}

async function compacted(held: HeldConversation, instructions: string | undefined): Promise<string> {
	const { last } = held;
	if (last === undefined) return compactedBefore(held, instructions);
	const { text, decision } = await held.conversation.compact(last.raw, instructions);
	if (decision === undefined) return text;
	held.isUndone = false;
	return decidedWords(decision);
}

/** In a process that has sent no request yet: what the daemon knows of earlier ones; the next request shows it. */
async function compactedBefore(held: HeldConversation, instructions: string | undefined): Promise<string> {
	const { ask, sessionId } = held;
	const options = { timeoutMs: patienceMs };
	const { messageCount } = await ask('session/open', { sessionId }, { timeoutMs: deadlines.presence });
	if (messageCount === 0) {
		held.isDue = { instructions };
		return 'the context is reduced with the next message (transcript untouched)';
	}
	const result = await ask('context/compact', { sessionId, instructions, includeMessages: false }, options);
	if (!result?.compacted) return `nothing was compacted: ${result?.reason ?? 'there is nothing yet'}`;
	const { compactionId = '', tokensBefore, tokensAfter } = result;
	held.isUndone = false;
	const decision = { compactionId, tokensBefore, tokensAfter };
	// The compaction is made: figures of the history alone are better than an error.
	const stats = await ask('context/stats', { sessionId }, { timeoutMs: meterMs }).catch(() => null);
	return decidedWords(stats === null ? decision : toWholeRequest(decision, stats));
}

/** Takes decisions back. Gives what is to be said of it, in one line. */
export async function undone(
	host: Host,
	held: HeldConversation,
	count: number,
	conversations: Conversations,
): Promise<string> {
	const { done, text } = await held.conversation.undo(count);
	if (done) held.isUndone = true;
	await showMeter(host, held, conversations);
	return text;
}

/** Shows what the model gets from the next request on. */
async function showMeter(
	host: Host,
	held: HeldConversation,
	{ hasStatusLine }: Conversations,
): Promise<void> {
	const { ask, sessionId } = held;
	// Where the daemon does not say it now, the next request shows it.
	const stats = await ask('context/stats', { sessionId }, { timeoutMs: meterMs }).catch(() => null);
	if (stats === null) return;
	held.stats = stats;
	if (!hasStatusLine && !sessionId.includes('/')) host.ui.status(statusWords(stats));
}
