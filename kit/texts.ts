/** Texts for users and models about decisions and the window, and the figures of decisions in the daemon's answers. */

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
 * Returns the line that a user reads after a compaction.
 * @param undoCommand the host's command that undoes a compaction; absent if there is none
 */
export function describeReduction(
	{ tokensBefore, tokensAfter }: DecisionReport,
	undoCommand?: string,
): string {
	const figures = `Context reduced from ${formatTokens(tokensBefore)} to ${formatTokens(tokensAfter)} tokens (transcript untouched)`;
	return undoCommand === undefined ? `${figures}.` : `${figures}. Undo: ${undoCommand}`;
}

/**
 * Returns the line that says that contextd is off in a session.
 * @param onCommand the host's command that turns contextd on; absent if there is none
 */
export function describeTurnedOff(onCommand?: string): string {
	const state =
		'contextd is off in this session: the model gets what the agent sends, and the agent compacts by itself.';
	return onCommand === undefined ? state : `${state} Turn it on: ${onCommand}`;
}

/** Returns a line that tells a person why the daemon could not be asked. */
export function describeUnreachable(error: unknown): string {
	return `contextd could not be asked: ${errorText(error)}`;
}

/** The line that a user reads after turning contextd on. */
export const turnedOnText = 'contextd is on in this session, from the next request.';

/** The line that a user reads after an undo. */
export const undoneText = 'Undone: the model gets what it got before and everything that came since.';

/**
 * Returns a line that tells a person why an undo is refused.
 * @param tokens tokens of the history after the undo
 * @param limit maximum tokens that fit into the window
 */
export function describeTooLarge(tokens: number, limit: number): string {
	return `Not undone: does not fit, ${formatTokens(tokens)} tokens, limit ${formatTokens(limit)}.`;
}

/** Returns a line that says that a history is too large for an undo; undefined if the daemon refused for another reason. */
export function describeRefusedUndo(error: unknown): string | undefined {
	const data = isFields(error) ? error.data : undefined;
	if (!isFields(data) || data.kind !== 'ContextBudgetExceeded') return undefined;
	return describeTooLarge(Number(data.estimated), Number(data.available));
}

/** Returns the id of the daemon's newest step, followed by ` undone` if it was undone; empty if there is none. */
export function describeNewestStep(stats: ContextStats | null): string {
	const last = stats?.lastCompaction;
	return last === undefined ? '' : `${last.compactionId}${last.undone ? ' undone' : ''}`;
}

/** Returns the decision of a receipt, in tokens of the history. Of two steps, returns the first, whose undo also undoes the second. */
export function receiptToDecision(receipt: ResultOf<'context/compact'>): DecisionReport | undefined {
	if (!receipt?.compacted) return undefined;
	const { compactionIds, compactionId, tokensBefore, tokensAfter } = receipt;
	return { compactionId: compactionIds?.[0] ?? compactionId ?? '', tokensBefore, tokensAfter };
}

/** Percentages of the limit at which the model gets a notice of its usage. */
const announcedPercents = [70, 85, 95] as const;

/**
 * Returns the usage level that is reached, and a line for the model if that level is higher than the last announced one.
 * @param reached the last announced level, in percent; 0 if there was none, or if the usage has fallen below all levels since
 * @param ratio used share of the limit
 */
export function createUsageLevelLine(reached: number, ratio: number): { reached: number; text?: string } {
	const percent = announcedPercents.findLast((level) => ratio * 100 >= level) ?? 0;
	if (percent <= reached) return { reached: percent };
	const text = `<system-reminder>contextd: ${percent}% of the context window's limit is in use. Older messages are shortened when it is full; contextd_recall finds what was left out.</system-reminder>`;
	return { reached: percent, text };
}

/**
 * Adds a line about the usage after the newest message of a list, if the usage rose above a level. Later requests repeat the
 * line until the next decision.
 * @param usageRatio used share of the limit
 */
export function withUsageLevelLine<HostMessage>(
	stored: StoredConversation<HostMessage>,
	{ hostMessages, ids }: IdentifiedList<HostMessage>,
	dialect: Dialect<HostMessage>,
	usageRatio: number,
): StoredConversation<HostMessage> {
	const newestId = ids.at(-1);
	const message = hostMessages.at(-1);
	if (newestId === undefined || message === undefined) return stored;
	const { reached, text } = createUsageLevelLine(stored.reached, usageRatio);
	if (text === undefined) return { ...stored, reached };
	// If this message cannot contain the line, the next message gets it.
	if (dialect.withNote(message, text) === message) return stored;
	const { held } = stored;
	return { ...stored, reached, held: { ...held, notes: { ...held.notes, [newestId]: text } } };
}
