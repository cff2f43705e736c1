/** Describes a compaction in a sentence. */

import { formatTokens } from '../../../server/core/figures.ts';
import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { CompactionSummary } from '../../../server/protocol/compaction.ts';
import { describeReason } from './compactionWords.ts';
import { formatMessageCount } from './figures.ts';
import { t } from './language.ts';

type TokenChange = Pick<CompactionSummary, 'tokensBefore' | 'tokensAfter'>;

/** Returns the tokens of the history before and after a compaction, such as `62k → 43k`. */
export function formatTokenChange({ tokensBefore, tokensAfter }: TokenChange): string {
	return `${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)}`;
}

/**
 * Returns a sentence about a compaction, or about why nothing was compacted. `change` describes the change of the
 * window; by default, the tokens of the history before and after.
 */
export function formatReceipt(result: CompactResult, change?: string): string {
	if (!result.compacted) {
		return t('Nothing was compacted: {0}.', describeReason(result).replace(/\.$/, ''));
	}
	const { removed, summary } = result;
	const facts = [
		t('{0} changed', formatMessageCount(removed.length)),
		...(summary && summary.by !== 'extract' && summary.by !== 'none'
			? [t('summarized by {0}', summary.by)]
			: []),
	];
	const figures = change ?? t('{0} tokens of history', formatTokenChange(result));
	return t('Context compacted: {0}, {1}.', figures, facts.join(', '));
}

/** Returns a few words about a past compaction: the tokens before and after, or the agent that compacted. */
export function formatPastCompaction(compaction: CompactionSummary, agent: string): string {
	const { byAgent, told, undone } = compaction;
	if (!byAgent)
		return undone ? t('{0}, undone', formatTokenChange(compaction)) : formatTokenChange(compaction);
	const before = told?.tokensBefore;
	return before === undefined
		? t('by {0} itself', agent)
		: t('by {0} itself, at {1} tokens', agent, formatTokens(before));
}
