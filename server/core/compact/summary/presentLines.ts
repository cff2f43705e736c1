/** The lines that the newest edit of a session left in its file. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { cachedFileAccess } from '../../analysis/analyses.ts';
import { bodyArgument } from '../../analysis/calls.ts';
import { cleanText } from '../../analysis/clean.ts';
import { findShellCommand } from '../../analysis/commands.ts';
import type { KnownOfCalls } from '../../analysis/filesTouched.ts';
import { labelOf } from '../../analysis/labels.ts';
import { quote } from '../../analysis/quote.ts';
import { oldSideNames, type Source } from '../../analysis/source.ts';
import { tuning } from '../tuning.ts';
import type { Entry } from './entries.ts';
import type { NarrativeInput } from './narrativeEntries.ts';
import { minLineTokens, type SummaryBudget } from './summaryBudget.ts';

const patched = /^\*\*\* (?:Begin Patch|Update File)|^@@ |^<<<<<<< SEARCH/m;

/**
 * Returns the first lines of the newest accepted edit that are still in its file, within a block's share, and takes
 * their tokens from the budget. Nothing in small summaries, or if the edit itself stays visible. O(calls).
 */
export function presentLines(
	budget: SummaryBudget,
	all: readonly Source[],
	visible: readonly Source[],
	known: Pick<NarrativeInput, 'outcomes' | 'undone' | 'found' | 'removed' | 'ratio'>,
): Entry[] {
	if (known.ratio <= tuning.narrative.ampleFromRatio) return [];
	const edit = newestEdit(all, known);
	if (edit === undefined || visible.includes(edit.source)) return [];
	const { source, call, path } = edit;
	const lines = newTexts(call.args)
		.flatMap((text) => cleanText(text).split('\n'))
		.filter((line) => line !== '' && !known.removed.has(line));
	let left = Math.min(budget.left, tuning.shares.block * budget.totalTokens) - minLineTokens;
	const end = lines.findIndex((line) => {
		left -= budget.count(line) + 1;
		return left < 0;
	});
	const shown = end < 0 ? lines : lines.slice(0, end);
	if (shown.length === 0) return [];
	const text = quote(`${shown.join('\n')}${end < 0 ? '' : '\n…'}`).trimStart();
	budget.left -= budget.count(text) + minLineTokens / 2;
	const label = `${labelOf(source, call, path)} (the newest edit)`;
	return [{ seq: source.seq, order: 0, section: 3, file: path, label, text, ownLine: true }];
}

function newestEdit(
	all: readonly Source[],
	{ outcomes, undone, found }: KnownOfCalls,
): { source: Source; call: ToolCall; path: string } | undefined {
	for (const source of all.toReversed()) {
		if (undone.has(source)) continue;
		for (const call of source.calls.toReversed()) {
			const edited = cachedFileAccess(found, call).touches.filter(({ kind }) => kind === 'edit');
			const [touch] = edited;
			if (touch === undefined || edited.length > 1 || findShellCommand(call) !== undefined) continue;
			if (outcomes.byCall.get(call)?.failed === false) return { source, call, path: touch.path };
		}
	}
	return undefined;
}

/** Returns the texts that an edit adds to its file: the new sides, and the added lines of patches. */
function newTexts(value: unknown, name = ''): string[] {
	if (typeof value === 'string') {
		if (oldSideNames.test(name) || !bodyArgument.test(name)) return [];
		return [patched.test(value) ? addedIn(value) : value];
	}
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, one]) => newTexts(one, Array.isArray(value) ? name : key));
}

function addedIn(patch: string): string {
	const added = patch.split('\n').filter((line) => /^\+(?!\+\+ )/.test(line));
	return added.map((line) => line.slice(1)).join('\n');
}
