/** Answers Claude Code's compactions: contextd decides at once, and the transcript stays whole. */

import { requestTimeouts } from '../../kit/timeouts.ts';
import { toWholeRequest } from '../../server/core/meter/wholeRequest.ts';
import type { Conversations, HeldConversation } from './conversations.ts';
import { type CompactEvent, type Host, withTimeout } from './host.ts';
import { decisionText, statusText } from './words.ts';

/** Timeout of a command, in milliseconds. */
const timeoutMs = 8000;
/** Timeout for the meter after a command, in milliseconds. */
const meterMs = 300;
const undoOrder = /^\s*undo(?:\s+(\d+))?\s*$/i;

/** Returns the text that answers a compaction; undefined if Claude Code should compact by itself. */
export async function compactionAnswer(
	host: Host,
	event: CompactEvent,
	conversations: Conversations,
): Promise<string | undefined> {
	const { trigger, agentId, instructions } = event;
	const held = await conversations.current(host, agentId);
	const undo = trigger === 'manual' ? undoOrder.exec(instructions ?? '') : null;
	if (undo !== null) return undoDecisions(host, held, Number(undo[1] ?? 1), conversations);
	if (await conversations.isOff(host, held)) return undefined;
	if (trigger === 'precompute') return 'contextd compacts when it is needed';
	if (trigger === 'auto' && held.isSmallerRefused)
		return 'a smaller request was refused as well: the conversation is not too long';
	// Without Claude Code's own compaction the turn would be lost.
	if (trigger === 'auto' && held.refusal !== undefined) return undefined;
	if (trigger === 'auto' && wasUndone(held) && fits(held)) return declineAfterUndo(host, held);
	const text = await withTimeout(host, 'the compaction', timeoutMs, compact(held, instructions));
	await showMeter(host, held, conversations);
	// Claude Code shows the text of an automatic compaction only for a moment.
	if (trigger === 'auto' && agentId === undefined) host.ui.log(text);
	return text;
}

/** Whether the user undid the newest decision, in this process or an earlier one. */
function wasUndone({ isUndone, stats, restored }: HeldConversation): boolean {
	const last = stats?.lastCompaction;
	return isUndone || (last?.undone === true && last.compactionId !== restored);
}

async function declineAfterUndo(host: Host, { conversation }: HeldConversation): Promise<string> {
	const text = 'you undid a compaction, and the conversation still fits the window';
	if (await conversation.isFirstSinceDecision()) host.ui.log(`no automatic compaction: ${text}`);
	return text;
}

function fits({ stats }: HeldConversation): boolean {
	return stats !== undefined && stats.estimatedInputTokens <= stats.contextWindow;
}

async function compact(held: HeldConversation, instructions: string | undefined): Promise<string> {
	const { last } = held;
	if (last === undefined) return compactStored(held, instructions);
	const { text, decision } = await held.conversation.compact(last.raw, instructions);
	if (decision === undefined) return text;
	held.isUndone = false;
	return decisionText(decision);
}

/** Compacts the daemon's session in a process that has sent no request yet; the next request shows the result. */
async function compactStored(held: HeldConversation, instructions: string | undefined): Promise<string> {
	const { ask, sessionId } = held;
	const options = { timeoutMs };
	const { messageCount } = await ask('session/open', { sessionId }, { timeoutMs: requestTimeouts.presence });
	if (messageCount === 0) {
		held.isDue = { instructions };
		return 'the context is reduced with the next message (transcript untouched)';
	}
	const result = await ask('context/compact', { sessionId, instructions, includeMessages: false }, options);
	if (!result?.compacted) return `nothing was compacted: ${result?.reason ?? 'there is nothing yet'}`;
	const { compactionId = '', tokensBefore, tokensAfter } = result;
	held.isUndone = false;
	const decision = { compactionId, tokensBefore, tokensAfter };
	// The compaction is done: figures of the history alone are better than an error.
	const stats = await ask('context/stats', { sessionId }, { timeoutMs: meterMs }).catch(() => null);
	return decisionText(stats === null ? decision : toWholeRequest(decision, stats));
}

/** Undoes the newest decisions and returns a line about it. */
export async function undoDecisions(
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

/** Shows how full the window is from the next request on. */
async function showMeter(
	host: Host,
	held: HeldConversation,
	{ hasStatusLine }: Conversations,
): Promise<void> {
	const { ask, sessionId } = held;
	// If the daemon does not answer now, the next request shows the meter.
	const stats = await ask('context/stats', { sessionId }, { timeoutMs: meterMs }).catch(() => null);
	if (stats === null) return;
	held.stats = stats;
	if (!hasStatusLine && !sessionId.includes('/')) host.ui.status(statusText(stats));
}
