/** Translates the daemon's codes for the reasons and stages of compactions. */

import type { CompactResult, NoCompactionReason } from '../../../server/protocol/compact.ts';
import type { StageName } from '../../../server/protocol/compaction.ts';
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
	const translated = reasonCode && isTranslated() ? reasonTexts[reasonCode]?.() : undefined;
	return translated ?? reason ?? t('there was nothing that could be removed');
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
