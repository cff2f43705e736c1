/** Answers Claude Code's events about compactions: contextd compacts instead, and the transcript stays unchanged. */

import { timeouts } from '../../kit/timeouts.ts';
import { toWholeRequest } from '../../server/core/meter/reading.ts';
import { type ConversationState, type Conversations, isSubagentConversation } from './conversations.ts';
import { type CompactEvent, type Host, withTimeout } from './host.ts';
import { describeDecision, formatStatus } from './texts.ts';

/** Timeout of a command, in milliseconds. */
const timeoutMs = 8000;
/** Timeout for reading the meter after a command, in milliseconds. */
const meterTimeoutMs = 300;
const undoPattern = /^\s*undo(?:\s+(\d+))?\s*$/i;

/** Answers a compaction with a text for the user; returns undefined if Claude Code should compact by itself. */
export async function answerCompactEvent(
	host: Host,
	event: CompactEvent,
	conversations: Conversations,
): Promise<string | undefined> {
	const { trigger, agentId, instructions } = event;
	const state = await conversations.getCurrent(host, agentId);
	const undo = trigger === 'manual' ? undoPattern.exec(instructions ?? '') : null;
	if (undo !== null) return undoDecisions(host, state, Number(undo[1] ?? 1), conversations);
	if (await conversations.isOff(host, state)) return undefined;
	if (trigger === 'precompute') return 'contextd compacts when it is needed';
	if (trigger === 'auto' && state.isSmallerRefused)
		return 'a smaller request was refused as well: the conversation is not too long';
	// The provider still refuses the request. Without Claude Code's own compaction the turn would fail.
	if (trigger === 'auto' && state.refusal !== undefined) return undefined;
	if (trigger === 'auto' && isNewestUndone(state) && fitsWindow(state)) return declineAfterUndo(host, state);
	const text = await withTimeout(host, 'the compaction', timeoutMs, compact(state, instructions));
	await showMeter(host, state, conversations);
	// The text of an automatic compaction disappears from Claude Code's screen after a moment, so it is also logged.
	if (trigger === 'auto' && agentId === undefined) host.ui.log(text);
	return text;
}

/** Whether the user undid the newest decision, in this process or an earlier one. */
function isNewestUndone({ isUndone, stats, restoredId }: ConversationState): boolean {
	const newest = stats?.lastCompaction;
	return isUndone || (newest?.undone === true && newest.compactionId !== restoredId);
}

async function declineAfterUndo(host: Host, { conversation }: ConversationState): Promise<string> {
	const text = 'you undid a compaction, and the conversation still fits the window';
	if (await conversation.isFirstSinceDecision()) host.ui.log(`no automatic compaction: ${text}`);
	return text;
}

function fitsWindow({ stats }: ConversationState): boolean {
	return stats !== undefined && stats.estimatedInputTokens <= stats.contextWindow;
}

async function compact(state: ConversationState, instructions: string | undefined): Promise<string> {
	const { lastRequest } = state;
	if (lastRequest === undefined) return compactStored(state, instructions);
	const { text, decision } = await state.conversation.compact(lastRequest.hostMessages, instructions);
	if (decision === undefined) return text;
	state.isUndone = false;
	return describeDecision(decision);
}

/** Compacts the daemon's session if this process has sent no request yet. The next request uses the result. */
async function compactStored(state: ConversationState, instructions: string | undefined): Promise<string> {
	const { ask, sessionId } = state;
	const { messageCount } = await ask('session/open', { sessionId }, { timeoutMs: timeouts.presence });
	if (messageCount === 0) {
		state.dueCompaction = { instructions };
		return 'the context is reduced with the next message (transcript untouched)';
	}
	const params = { sessionId, instructions, includeMessages: false };
	const result = await ask('context/compact', params, { timeoutMs });
	if (!result?.compacted) return `nothing was compacted: ${result?.reason ?? 'there is nothing yet'}`;
	const { compactionId = '', tokensBefore, tokensAfter } = result;
	state.isUndone = false;
	const decision = { compactionId, tokensBefore, tokensAfter };
	// Without an answer in time, the text shows the tokens of the history instead of the whole request.
	const stats = await ask('context/stats', { sessionId }, { timeoutMs: meterTimeoutMs }).catch(() => null);
	return describeDecision(stats === null ? decision : toWholeRequest(decision, stats));
}

/** Undoes the newest decisions and returns a line for the user. */
export async function undoDecisions(
	host: Host,
	state: ConversationState,
	count: number,
	conversations: Conversations,
): Promise<string> {
	const { done, text } = await state.conversation.undo(count);
	if (done) state.isUndone = true;
	await showMeter(host, state, conversations);
	return text;
}

/** Shows how full the window will be at the next request. */
async function showMeter(
	host: Host,
	state: ConversationState,
	{ hasStatusLine }: Conversations,
): Promise<void> {
	const { ask, sessionId } = state;
	// If the daemon does not answer now, the next request shows the meter.
	const stats = await ask('context/stats', { sessionId }, { timeoutMs: meterTimeoutMs }).catch(() => null);
	if (stats === null) return;
	state.stats = stats;
	if (!hasStatusLine && !isSubagentConversation(sessionId)) host.ui.status(formatStatus(stats));
}
