/** Selects the lines of a session's newest edit that are still in its file. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { getFileAccess } from '../../analysis/analyses.ts';
import { contentArgumentPattern } from '../../analysis/calls.ts';
import { cleanText } from '../../analysis/clean.ts';
import { findShellCommand } from '../../analysis/commands.ts';
import type { CallAnalyses } from '../../analysis/filesTouched.ts';
import { renderLabel } from '../../analysis/labels.ts';
import { quote } from '../../analysis/quote.ts';
import { oldSideNames, type Source } from '../../analysis/source.ts';
import { tuning } from '../tuning.ts';
import type { SummaryEntry } from './entries.ts';
import type { NarrativeInput } from './narrativeEntries.ts';
import { minLineTokens, type SummaryBudget } from './summaryBudget.ts';

const patchPattern = /^\*\*\* (?:Begin Patch|Update File)|^@@ |^<<<<<<< SEARCH/m;

/**
 * Returns the first lines that the newest successful edit added and that are still in its file, within a block's share,
 * and takes their tokens from the budget. Empty in small summaries, and if the edit itself stays visible. O(calls).
 */
export function collectPresentLines(
	budget: SummaryBudget,
	all: readonly Source[],
	visible: readonly Source[],
	known: Pick<NarrativeInput, 'outcomes' | 'undone' | 'cache' | 'removed' | 'ratio'>,
): SummaryEntry[] {
	if (known.ratio <= tuning.narrative.ampleFromRatio) return [];
	const edit = findNewestEdit(all, known);
	if (edit === undefined || visible.includes(edit.source)) return [];
	const { source, call, path } = edit;
	const { added, old } = listSides(call.args);
	const lines = added.filter((line) => line !== '' && !old.includes(line) && !known.removed.has(line));
	let left = Math.min(budget.tokensLeft, tuning.shares.block * budget.totalTokens) - minLineTokens;
	const end = lines.findIndex((line) => {
		left -= budget.count(line) + 1;
		return left < 0;
	});
	const shown = end < 0 ? lines : lines.slice(0, end);
	if (shown.length === 0) return [];
	const text = quote(`${shown.join('\n')}${end < 0 ? '' : '\n…'}`).trimStart();
	budget.tokensLeft -= budget.count(text) + minLineTokens / 2;
	const label = `${renderLabel(source, call, path)} (the newest edit)`;
	return [{ seq: source.seq, order: 0, section: 3, file: path, label, text, isOnNewLine: true }];
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

/** The lines of an edit, without indentation: those that it adds or leaves, and those that it replaces. */
interface EditSides {
	added: string[];
	old: string[];
}

/** Returns both sides of an edit; of a patch, the added lines alone. */
function listSides(value: unknown, name = '', sides: EditSides = { added: [], old: [] }): EditSides {
	if (typeof value === 'string') {
		const text = patchPattern.test(value) ? joinAddedLines(value) : value;
		const side = oldSideNames.test(name) ? sides.old : contentArgumentPattern.test(name) ? sides.added : [];
		side.push(...cleanText(text).split('\n'));
	} else if (typeof value === 'object' && value !== null) {
		for (const [key, one] of Object.entries(value)) listSides(one, Array.isArray(value) ? name : key, sides);
	}
	return sides;
}

function joinAddedLines(patch: string): string {
	const added = patch.split('\n').filter((line) => /^\+(?!\+\+ )/.test(line));
	return added.map((line) => line.slice(1)).join('\n');
}
