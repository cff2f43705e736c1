/** Selects the lines of a session's newest edit that are still in its file. */

import { listWrittenLines } from '../../analysis/calls/changedLines.ts';
import { importPattern } from '../../analysis/changes/definitions.ts';
import type { CallAnalyses, FileCall } from '../../analysis/changes/fileCalls.ts';
import type { Source } from '../../analysis/message/source.ts';
import { renderLabel } from '../../analysis/passages/labels.ts';
import { hasShellCommand } from '../../analysis/shell/commands.ts';
import { cleanText } from '../../analysis/text/clean.ts';
import { quote } from '../../analysis/text/quote.ts';
import { mayBeSamePath } from '../../files/paths.ts';
import type { FileTouch } from '../../files/touches/lineRange.ts';
import { tuning } from '../tuning.ts';
import type { SummaryEntry } from './entries.ts';
import type { NarrativeInput } from './narrativeEntries.ts';
import { minLineTokens, type SummaryBudget } from './summaryBudget.ts';

/**
 * Returns the first lines of the newest successful edit, without imports, that are still in its file, within a block's
 * share, and takes their tokens from the budget. Empty in small summaries, and if the edit itself stays visible.
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
	const edit = findNewestEdit(analyses);
	if (edit === undefined || visible.includes(edit.caller)) return [];
	const { caller: source, call, access } = edit;
	const path = access.touches.find(isEdit)?.path ?? '';
	// Git may have taken the edit back.
	if (!analyses.filesAtEnd.changed.some((file) => mayBeSamePath(file.path, path))) return [];
	const isShown = (line: string): boolean =>
		line !== '' && !importPattern.test(line) && !analyses.removed.has(line, path);
	const lines = listWrittenLines(call)
		.map((group) => cleanText(group.join('\n')).split('\n').filter(isShown))
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
	const isNewest = analyses.fileCalls.every(
		({ caller, access: { touches } }) => caller.seq <= source.seq || !touches.some(isEdit),
	);
	const name = renderLabel(source, call, analyses.nameFile(path), analyses.cache);
	const label = isNewest ? `${name} (the newest edit)` : name;
	return [{ seq: source.seq, order: 0, section: 'code', file: path, label, text, isOnNewLine: true }];
}

const isEdit = ({ kind }: FileTouch): boolean => kind === 'edit';

/** Returns the newest successful call that edits one file and shows its text. */
function findNewestEdit(calls: Pick<CallAnalyses, 'fileCalls' | 'undone'>): FileCall | undefined {
	return calls.fileCalls.findLast(
		({ call, caller, access, outcome }) =>
			outcome?.failed === false &&
			!calls.undone.has(caller) &&
			access.touches.filter(isEdit).length === 1 &&
			!(hasShellCommand(call) && listWrittenLines(call).length === 0),
	);
}
