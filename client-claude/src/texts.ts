/** Texts for users of Claude Code. */

import type { DecisionReport } from '../../kit/conversationTypes.ts';
import { describeReduction } from '../../kit/texts.ts';
import { formatPercent, formatTokens } from '../../server/core/figures.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';

/** Claude Code's command that undoes a decision. */
export const undoCommand = '/contextd-undo';

/** Claude Code's command that turns contextd on again. */
export const turnOnCommand = '/contextd on';

/** Returns the line about a decision. After `/compact`, Claude Code shows it with the prefix "Not compacted · ". */
export function describeDecision(decision: DecisionReport): string {
	return describeReduction(decision, undoCommand);
}

/** Returns the text of the status slot. */
export function formatStatus({
	estimatedInputTokens,
	availableInputTokens,
	usageRatio,
}: ContextStats): string {
	const remaining = Math.max(0, availableInputTokens - estimatedInputTokens);
	return `context ${formatPercent(usageRatio)} · ${formatTokens(remaining)} left`;
}

/** Explanation of the status line's figure "cache expires", which `/contextd` shows. */
export const cacheExpiryText =
	'status line, "cache expires": what the next request costs more if it comes after the provider\'s cache has expired (5 minutes to 1 hour)';

/** Text of the status slot while contextd is off. */
export const offStatusText = 'contextd is off';

/** Line for the user after the model answered a shorter view, while it is unknown why the provider refused the full one. */
export const trialText =
	'the provider refused the full conversation twice and accepted a shorter view: contextd tries the full one again with the next request';

/** Line for the user after the model answered the full conversation again. */
export const restoredText = 'the provider accepts the full conversation again: contextd restored it';

/** Returns the line that is shown when the daemon made no decision. */
export function describePause(reason: string): string {
	return `contextd is paused: ${reason}. Claude Code continues without it`;
}
