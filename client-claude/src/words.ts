/** What people get to read, a line each. */

import type { DecisionReport } from '../../kit/conversationTypes.ts';
import { compactedText } from '../../kit/words.ts';
import { shortTokens } from '../../server/core/meter/wholeRequest.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';

/** The command by which a user of Claude Code undoes a decision. */
export const undoCommand = '/contextd-undo';

/** The command by which a user of Claude Code turns contextd on again. */
export const onCommand = '/contextd on';

/** After a decision; for `/compact`, Claude Code puts its own "Not compacted · " before it. */
export function decidedWords(decision: DecisionReport): string {
	return compactedText(decision, undoCommand);
}

/** What the status slot shows. */
export function statusWords({
	estimatedInputTokens,
	availableInputTokens,
	usageRatio,
}: ContextStats): string {
	const left = Math.max(0, availableInputTokens - estimatedInputTokens);
	return `context ${Math.round(100 * usageRatio)}% · ${shortTokens(left)} left`;
}

/** Explains a figure of the status line, in `/contextd`. */
export const cacheWords =
	'status line, "if cache expires": tokens that are paid for in full again if the next request comes after the provider\'s cache has expired (5 minutes to 1 hour)';

/** What the status slot shows while contextd is off. */
export const offStatusWords = 'contextd is off';

/** After a refused request was made smaller, until it is known whether its size was the reason. */
export const trialWords =
	'the provider refused the full conversation twice and took a shorter view: contextd tries the full one again with the next request';

/** After the full conversation was answered again. */
export const restoredWords = 'the provider takes the full conversation again: contextd restored it';

/** When a decision was missed. */
export function pausedWords(why: string): string {
	return `contextd is paused: ${why}. Claude Code continues without it`;
}
