/** Describes a compaction in a sentence. */

import { formatTokens } from '../../../server/core/figures.ts';
import type { CompactResult, NoCompactionReason } from '../../../server/protocol/compact.ts';
import type { CompactionSummary, StageName } from '../../../server/protocol/compaction.ts';
import { formatMessageCount } from './figures.ts';
import { isTranslated, t } from './language.ts';

const reasonTexts: Readonly<Record<NoCompactionReason, () => string>> = {
	below_target: () => t('the history is already small enough'),
	not_worth_it: () => t('it would save too little'),
	just_compacted: () => t('nothing was appended since the last compaction'),
	too_few_messages: () => t('there are too few messages'),
	protected_only: () => t('the rest is protected'),
	no_progress: () => t('removing what is not protected would save nothing'),
	nothing_to_free: () => t('nothing selected is outdated or repeated'),
	disabled: () => t('every stage is turned off'),
};

/** Returns why nothing was compacted; in English in the daemon's own words, which are more detailed. */
export function describeReason({ reason, reasonCode }: Pick<CompactResult, 'reason' | 'reasonCode'>): string {
	const translation = reasonCode && isTranslated() ? reasonTexts[reasonCode]?.() : undefined;
	return translation ?? reason ?? t('there was nothing that could be removed');
}

const stageTexts: Readonly<Record<StageName, () => string>> = {
	prune: () => t('results shortened'),
	deduplicate: () => t('duplicates removed'),
	summarize: () => t('summarized'),
	truncate: () => t('oldest messages removed'),
};

/** Returns what the stages of a compaction did, as a list separated by commas. */
export function formatStages(names: readonly StageName[]): string {
	return names.map((name) => stageTexts[name]?.() ?? name).join(', ');
}

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
	if (!result.compacted) return t('Nothing was compacted: {0}.', describeReason(result).replace(/\.$/, ''));
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
