/** Merges the results of two compactions in a row into one. */

import { createPlaceholderIds } from '../../core/compact/placeholders.ts';
import type { State } from '../../core/history/state.ts';
import { pickDefined } from '../../core/shape.ts';
import type { CompactResult } from '../../protocol/compact.ts';
import type { RemovedMessage } from '../../protocol/compaction.ts';
import { computeCacheCost } from './applyPlan.ts';

/** The result of a compaction that changed something. */
type EffectiveResult = CompactResult & { compactionId: string };

/** Whether a compaction changed something. */
export function isEffective(result: CompactResult | null): result is EffectiveResult {
	return result?.compactionId !== undefined;
}

/** Lists each removed message once, with the tokens of both compactions and the change of the later one. */
function mergeRemovedMessages(first: EffectiveResult, second: EffectiveResult): RemovedMessage[] {
	const placeholders = Object.values(createPlaceholderIds(first.compactionId));
	const removedById = new Map(first.removed.map((one) => [one.messageId, one]));
	for (const later of second.removed) {
		// The caller does not know the placeholders that the first compaction created.
		if (placeholders.includes(later.messageId)) continue;
		const earlier = removedById.get(later.messageId);
		removedById.set(later.messageId, { ...later, tokens: later.tokens + (earlier?.tokens ?? 0) });
	}
	return [...removedById.values()];
}

/** Returns the second compaction's summary, else the first one's unless the second compaction removed it. */
function selectSummary(first: EffectiveResult, second: EffectiveResult): Pick<CompactResult, 'summary'> {
	const { summary: id } = createPlaceholderIds(first.compactionId);
	const isGone = second.removed.some((one) => one.messageId === id && one.change !== 'shortened');
	const summary = second.summary ?? (isGone ? undefined : first.summary);
	return summary ? { summary } : {};
}

/**
 * Merges the results of two compactions in a row.
 *
 * If only one compaction changed something, returns its result. Otherwise compares the state before the first compaction
 * with the state after the second, which is the present one.
 */
export function mergeResults(
	first: CompactResult | null,
	second: CompactResult,
	state: State,
): CompactResult | null {
	if (!isEffective(second)) return first;
	if (!isEffective(first)) return second;
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
		removed: mergeRemovedMessages(first, second),
		...selectSummary(first, second),
		stablePrefixMessages,
		cache: computeCacheCost(
			{ ...state, ...pickDefined({ wasCold: second.cache.wasCold }) },
			stablePrefixMessages,
			tokensSaved,
		),
	};
}
