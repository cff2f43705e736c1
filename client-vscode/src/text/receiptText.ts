/** Describes a compaction in a sentence. */

import { formatTokens } from '../../../server/core/figures.ts';
import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { CompactionSummary } from '../../../server/protocol/compaction.ts';
import { reasonText } from './compactionWords.ts';
import { messagesText } from './figures.ts';
import { t } from './language.ts';

type TokenChange = Pick<CompactionSummary, 'tokensBefore' | 'tokensAfter'>;

/** Returns the tokens of the history before and after a compaction, such as `62k → 43k`. */
export function tokenChangeText({ tokensBefore, tokensAfter }: TokenChange): string {
	return `${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)}`;
}

/**
 * Returns a sentence about a compaction, or about why nothing was compacted. `change` describes the change of the
 * window; by default, the tokens of the history before and after.
 */
export function receiptText(result: CompactResult, change?: string): string {
	if (!result.compacted) {
		return t('Nothing was compacted: {0}.', reasonText(result).replace(/\.$/, ''));
	}
	const { removed, summary } = result;
	const facts = [
		t('{0} changed', messagesText(removed.length)),
		...(summary && summary.by !== 'extract' && summary.by !== 'none'
			? [t('summarized by {0}', summary.by)]
			: []),
	];
	const figures = change ?? t('{0} tokens of history', tokenChangeText(result));
	return t('Context compacted: {0}, {1}.', figures, facts.join(', '));
}

/** Returns a few words about a past compaction: the tokens before and after, or the agent that compacted. */
export function pastCompactionText(compaction: CompactionSummary, agent: string): string {
	const { byAgent, told, undone } = compaction;
	if (!byAgent) return undone ? t('{0}, undone', tokenChangeText(compaction)) : tokenChangeText(compaction);
	const before = told?.tokensBefore;
	return before === undefined
		? t('by {0} itself', agent)
		: t('by {0} itself, at {1} tokens', agent, formatTokens(before));
}
