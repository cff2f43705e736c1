/** Two compactions in a row, told to the caller who waited for both as one. */

import type { CompactResult } from '../../protocol/compact.ts';
import type { RemovedMessage } from '../../protocol/compaction.ts';
import { cachePrice, placeholderIds } from './receipt.ts';

/** The answer of a compaction that did something. */
type Done = CompactResult & { compactionId: string };

function isDone(result: CompactResult | null): result is Done {
	return result?.compactionId !== undefined;
}

/** Each message once: with the tokens of both steps, and what the later one did to it. */
function removedByBoth(first: Done, second: Done): RemovedMessage[] {
	const made = Object.values(placeholderIds(first.compactionId));
	const all = new Map(first.removed.map((one) => [one.messageId, one]));
	for (const later of second.removed) {
		// What the first step made was never the caller's.
		if (made.includes(later.messageId)) continue;
		const earlier = all.get(later.messageId);
		all.set(later.messageId, { ...later, tokens: later.tokens + (earlier?.tokens ?? 0) });
	}
	return [...all.values()];
}

/** The summary that is left in the end: that of the second step, or of the first where the second left it visible. */
function summaryOf(first: Done, second: Done): Pick<CompactResult, 'summary'> {
	const { summary: id } = placeholderIds(first.compactionId);
	const isGone = second.removed.some((one) => one.messageId === id && one.change !== 'shortened');
	const summary = second.summary ?? (isGone ? undefined : first.summary);
	return summary ? { summary } : {};
}

/**
 * Of two compactions in a row the one that did something; where both did, one answer for both: from the history
 * before the first to the one after the second, which has so many visible messages.
 */
export function mergeResults(
	first: CompactResult | null,
	second: CompactResult,
	visible: number,
): CompactResult | null {
	if (!isDone(second)) return first;
	if (!isDone(first)) return second;
	const { tokensBefore } = first;
	const { tokensAfter } = second;
	const tokensSaved = tokensBefore - tokensAfter;
	const stablePrefixMessages = Math.min(first.stablePrefixMessages, second.stablePrefixMessages);
	return {
		...second,
		compactionIds: [first.compactionId, second.compactionId],
		stagesUsed: [...new Set([...first.stagesUsed, ...second.stagesUsed])],
		tokensBefore,
		tokensSaved,
		stages: [...first.stages, ...second.stages],
		removed: removedByBoth(first, second),
		...summaryOf(first, second),
		stablePrefixMessages,
		cache: cachePrice(tokensAfter, tokensSaved, stablePrefixMessages, visible),
	};
}
