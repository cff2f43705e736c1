/** Selects the lines of the newest edit of each changed file that are still in the file. */

import { listPresentEdits } from '../../analysis/changes/presentEdits.ts';
import type { Source } from '../../analysis/message/source.ts';
import { renderLabel } from '../../analysis/passages/labels.ts';
import { quote } from '../../analysis/text/quote.ts';
import { tuning } from '../tuning.ts';
import type { SummaryEntry } from './entries.ts';
import type { NarrativeInput } from './narrativeEntries.ts';
import { minLineTokens, type SummaryBudget } from './summaryBudget.ts';

/**
 * Returns the first lines of the newest edit of each changed file that are still in it, within a block share,
 * and takes their tokens from the budget. Of several files, the newest may use half of them, each other a quarter of the
 * rest. Empty in small summaries. Omits edits that stay visible.
 */
export function collectPresentLines(
	budget: SummaryBudget,
	visible: readonly Source[],
	analyses: Pick<
		NarrativeInput,
		'fileCalls' | 'undone' | 'removed' | 'ratio' | 'nameFile' | 'cache' | 'filesAtEnd'
	>,
): SummaryEntry[] {
	if (analyses.ratio <= tuning.narrative.ampleFromRatio) return [];
	let allowedTokens = Math.min(budget.tokensLeft, tuning.shares.block * budget.totalTokens);
	const edits = listPresentEdits(analyses, new Set(visible));
	return edits.flatMap(({ caller, call, path, lines, isNewest }, index): SummaryEntry[] => {
		const divisor = Math.min(index === 0 ? 2 : 4, edits.length - index);
		let remainingTokens = allowedTokens / divisor - minLineTokens;
		const end = lines.findIndex((line) => {
			remainingTokens -= budget.count(line) + 1;
			return remainingTokens < 0;
		});
		const shownLines = end < 0 ? lines : lines.slice(0, lines[end - 1] === '…' ? end - 1 : end);
		if (shownLines.length === 0) return [];
		const text = quote(`${shownLines.join('\n')}${end < 0 ? '' : '\n…'}`).trimStart();
		const tokens = budget.count(text) + minLineTokens / 2;
		budget.tokensLeft -= tokens;
		allowedTokens -= tokens;
		const name = renderLabel(caller, call, analyses.nameFile(path), analyses.cache);
		const label = isNewest ? `${name} (the newest edit)` : name;
		return [{ seq: caller.seq, order: index, section: 'code', file: path, label, text, isOnNewLine: true }];
	});
}
