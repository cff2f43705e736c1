/** Describes a compaction in a sentence. */

import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { CompactionSummary } from '../../../server/protocol/compaction.ts';
import { reasonText } from './compactionWords.ts';
import { messagesText, percentText, tokensText } from './figures.ts';
import { t } from './language.ts';

type Saving = Pick<CompactionSummary, 'tokensBefore' | 'tokensAfter'>;

/** Returns the tokens of the history before and after. */
export function savingText({ tokensBefore, tokensAfter }: Saving): string {
	return `${tokensText(tokensBefore)} → ${tokensText(tokensAfter)}`;
}

/** Describes a compaction, or why nothing was done. `fullAfter` is how full the window is afterwards. */
export function receiptText(result: CompactResult, fullAfter?: string): string {
	if (!result.compacted) {
		return t('Nothing was compacted: {0}.', reasonText(result).replace(/\.$/, ''));
	}
	const { tokensBefore, tokensSaved, removed, summary } = result;
	const facts = [
		t('{0} less', percentText(tokensSaved / Math.max(1, tokensBefore))),
		messagesText(removed.length),
		...(summary && summary.by !== 'extract' && summary.by !== 'none'
			? [t('summarized by {0}', summary.by)]
			: []),
	];
	const sentence = t('Context compacted: {0} tokens of history ({1}).', savingText(result), facts.join(', '));
	return fullAfter === undefined ? sentence : `${sentence} ${t('The window is now {0} full.', fullAfter)}`;
}

/** Describes a past compaction in a few words: what it did, and who made it. */
export function compactionText(compaction: CompactionSummary, agent: string): string {
	const { byAgent, told, undone } = compaction;
	if (!byAgent) return undone ? t('{0}, undone', savingText(compaction)) : savingText(compaction);
	const before = told?.tokensBefore;
	return before === undefined
		? t('by {0} itself', agent)
		: t('by {0} itself, at {1} tokens', agent, tokensText(before));
}
