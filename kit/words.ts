/** Decisions in the daemon's answers, and the lines that users and models read about them and about the window. */

import { errorText } from '../server/core/failure.ts';
import { formatTokens } from '../server/core/figures.ts';
import { isFields } from '../server/core/shape.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import type { StoredConversation } from './conversationStore.ts';
import type { DecisionReport } from './conversationTypes.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { IdentifiedList } from './fingerprint.ts';
import type { ResultOf } from './ports.ts';

/**
 * Returns the line after a compaction.
 * @param undoCommand how the host's user undoes it; absent if the host has no such command
 */
export function compactedText({ tokensBefore, tokensAfter }: DecisionReport, undoCommand?: string): string {
	const figures = `Context reduced from ${formatTokens(tokensBefore)} to ${formatTokens(tokensAfter)} tokens (transcript untouched)`;
	return undoCommand === undefined ? `${figures}.` : `${figures}. Undo: ${undoCommand}`;
}

/**
 * Returns the line for a session in which contextd is off.
 * @param onCommand how the host's user turns it on; absent if the host has no such command
 */
export function turnedOffText(onCommand?: string): string {
	const state =
		'contextd is off in this session: the model gets what the agent sends, and the agent compacts by itself.';
	return onCommand === undefined ? state : `${state} Turn it on: ${onCommand}`;
}

/** Returns why a command or tool has no answer, for a person. */
export function unreachableText(error: unknown): string {
	return `contextd could not be asked: ${errorText(error)}`;
}

/** Line after contextd was turned on. */
export const turnedOnText = 'contextd is on in this session, from the next request.';

/** Line after an undo. */
export const undoneText = 'Undone: the model gets what it got before and everything that came since.';

/**
 * Returns why an undo is refused, for a person.
 * @param tokens of the history after the undo
 * @param limit tokens that fit
 */
export function tooLargeText(tokens: number, limit: number): string {
	return `Not undone: does not fit, ${formatTokens(tokens)} tokens, limit ${formatTokens(limit)}.`;
}

/** Returns why the daemon refused an undo, for a person; undefined unless the history would be too large. */
export function tooLargeUndoText(error: unknown): string | undefined {
	const data = isFields(error) ? error.data : undefined;
	if (!isFields(data) || data.kind !== 'ContextBudgetExceeded') return undefined;
	return tooLargeText(Number(data.estimated), Number(data.available));
}

/** Returns the id of the daemon's newest step, followed by ` undone` if it was undone; empty if there is none. */
export function describeNewestStep(stats: ContextStats | null): string {
	const last = stats?.lastCompaction;
	return last === undefined ? '' : `${last.compactionId}${last.undone ? ' undone' : ''}`;
}

/** Returns the decision of a receipt, in tokens of the history. Of two steps it is the first, with which undo removes both. */
export function decisionOf(receipt: ResultOf<'context/compact'>): DecisionReport | undefined {
	if (!receipt?.compacted) return undefined;
	const { compactionIds, compactionId, tokensBefore, tokensAfter } = receipt;
	return { compactionId: compactionIds?.[0] ?? compactionId ?? '', tokensBefore, tokensAfter };
}

/** Percent of the limit at which a line is added. */
const levels = [70, 85, 95] as const;

/**
 * Returns the line to add at a usage, and the level reached: one line per rise, none if the usage fell or stayed.
 * @param reached percent, the highest level announced since the usage was last below it; 0 if none was
 * @param ratio usage over limit
 */
export function usageLevelLine(reached: number, ratio: number): { reached: number; text?: string } {
	const now = levels.findLast((level) => ratio * 100 >= level) ?? 0;
	if (now <= reached) return { reached: now };
	const text = `<system-reminder>contextd: ${now}% of the context window's limit is in use. Older messages are shortened when it is full; contextd_recall finds what was left out.</system-reminder>`;
	return { reached: now, text };
}

/**
 * Returns the state with a line after the newest message of a list if the usage rose above a level; the line stays there
 * until the next decision.
 * @param usageRatio usage over limit
 */
export function withUsageLevelLine<HostMessage>(
	stored: StoredConversation<HostMessage>,
	{ raw, ids }: IdentifiedList<HostMessage>,
	dialect: Dialect<HostMessage>,
	usageRatio: number,
): StoredConversation<HostMessage> {
	const newest = ids.at(-1);
	const message = raw.at(-1);
	if (newest === undefined || message === undefined) return stored;
	const { reached, text } = usageLevelLine(stored.reached, usageRatio);
	if (text === undefined) return { ...stored, reached };
	// If the host's message takes no further text, the line waits for the next one.
	if (dialect.withNote(message, text) === message) return stored;
	const { held } = stored;
	return { ...stored, reached, held: { ...held, notes: { ...held.notes, [newest]: text } } };
}
