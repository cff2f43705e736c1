/** Selects the lines of a session's newest edit that are still in its file. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { getFileAccess } from '../../analysis/analyses.ts';
import { contentArgumentPattern } from '../../analysis/calls.ts';
import { listAddedLines } from '../../analysis/changedLines.ts';
import { cleanText } from '../../analysis/clean.ts';
import { findShellCommand } from '../../analysis/commands.ts';
import type { CallAnalyses } from '../../analysis/filesTouched.ts';
import { renderLabel } from '../../analysis/labels.ts';
import { quote } from '../../analysis/quote.ts';
import { listArguments, oldSideNamePattern, type Source } from '../../analysis/source.ts';
import { tuning } from '../tuning.ts';
import type { SummaryEntry } from './entries.ts';
import type { NarrativeInput } from './narrativeEntries.ts';
import { minLineTokens, type SummaryBudget } from './summaryBudget.ts';

/**
 * Returns the first lines of the newest successful edit that are still in its file, within a block's share, and takes
 * their tokens from the budget. Empty in small summaries, and if the edit itself stays visible. O(calls).
 */
export function collectPresentLines(
	budget: SummaryBudget,
	all: readonly Source[],
	visible: readonly Source[],
	analyses: Pick<NarrativeInput, 'outcomes' | 'undone' | 'cache' | 'removed' | 'ratio'>,
): SummaryEntry[] {
	if (analyses.ratio <= tuning.narrative.ampleFromRatio) return [];
	const edit = findNewestEdit(all, analyses);
	if (edit === undefined || visible.includes(edit.source)) return [];
	const { source, call, path } = edit;
	const groups = listArguments(call)
		.filter(({ key }) => contentArgumentPattern.test(key) && !oldSideNamePattern.test(key))
		.flatMap(({ text, replacedText }) => listAddedLines(text, replacedText));
	const lines = groups
		.map((group) => cleanText(group.join('\n')).split('\n'))
		.map((group) => group.filter((line) => line !== '' && !analyses.removed.has(line)))
		.filter((group) => group.length > 0)
		.flatMap((group, index) => (index === 0 ? group : ['…', ...group]));
	let remainingTokens = Math.min(budget.tokensLeft, tuning.shares.block * budget.totalTokens) - minLineTokens;
	const end = lines.findIndex((line) => {
		remainingTokens -= budget.count(line) + 1;
		return remainingTokens < 0;
	});
	const shownLines = end < 0 ? lines : lines.slice(0, lines[end - 1] === '…' ? end - 1 : end);
	if (shownLines.length === 0) return [];
	const text = quote(`${shownLines.join('\n')}${end < 0 ? '' : '\n…'}`).trimStart();
	budget.tokensLeft -= budget.count(text) + minLineTokens / 2;
	const label = `${renderLabel(source, call, path)} (the newest edit)`;
	return [{ seq: source.seq, order: 0, section: 'code', file: path, label, text, isOnNewLine: true }];
}

function findNewestEdit(
	all: readonly Source[],
	{ outcomes, undone, cache }: CallAnalyses,
): { source: Source; call: ToolCall; path: string } | undefined {
	for (const source of all.toReversed()) {
		if (undone.has(source)) continue;
		for (const call of source.calls.toReversed()) {
			const edited = getFileAccess(cache, call).touches.filter(({ kind }) => kind === 'edit');
			const [touch] = edited;
			if (touch === undefined || edited.length > 1 || findShellCommand(call) !== undefined) continue;
			if (outcomes.byCall.get(call)?.failed === false) return { source, call, path: touch.path };
		}
	}
	return undefined;
}
