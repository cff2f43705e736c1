/** Guards results of tools that the user protects: only truncation may remove them, as a last resort with a warning. */

import { getOrInsert } from '../../getOrInsert.ts';
import { replacesSeveralRows } from '../../history/row.ts';
import { matchesGlob } from '../../models/glob.ts';
import {
	type Draft,
	getUnit,
	hasKind,
	hiding,
	type Item,
	isHidden,
	isProtected,
	rowKind,
	selectItems,
} from '../draft.ts';
import type { Policy } from '../policy.ts';

/** Maximum number of tool names in a warning. */
const maxNamedTools = 5;

/** Returns a function that matches tool names with globs. Caches the results, because the same few names repeat. */
export function createToolMatcher(globs: readonly string[]): (tool: string) => boolean {
	const known = new Map<string, boolean>();
	return (tool) => getOrInsert(known, tool, () => globs.some((glob) => matchesGlob(glob, tool)));
}

/** Marks batches that contain a result of a protected tool. O(items). */
export function markGuarded(draft: Draft, { protectedTools }: Policy): void {
	if (protectedTools.length === 0) return;
	const { kinds } = draft;
	const protects = createToolMatcher(protectedTools);
	const isProtectedResult = (item: Item): boolean =>
		hasKind(draft, item, rowKind.result) && protects(getUnit(draft, item).row.tool ?? '');
	const batches = new Set(
		selectItems(draft, isProtectedResult).map((item) => getUnit(draft, item).row.batch),
	);
	if (batches.size === 0) return;
	draft.guardedItems = selectItems(draft, (item) => {
		const { row } = getUnit(draft, item);
		return !replacesSeveralRows(row) && batches.has(row.batch);
	});
	for (const item of draft.guardedItems) kinds[item] = (kinds[item] ?? 0) | rowKind.guarded;
}

/** Returns the guarded items that are visible and not protected. */
export function selectVisibleGuardedItems(draft: Draft): Item[] {
	return draft.guardedItems.filter((item) => !isHidden(draft, item) && !isProtected(draft, item));
}

/** Returns warnings for protected results that were removed anyway. */
export function createGuardWarnings(draft: Draft): string[] {
	const isRemoved = (item: Item): boolean =>
		draft.hiddenBy[item] === hiding.truncate || draft.replacements.get(item)?.stage === 'truncate';
	const removed = draft.guardedItems.filter(
		(item) => hasKind(draft, item, rowKind.result) && isRemoved(item),
	);
	if (removed.length === 0) return [];
	const tools = [...new Set(removed.map((item) => getUnit(draft, item).row.tool ?? ''))]
		.slice(0, maxNamedTools)
		.join(', ');
	const results = removed.length === 1 ? '1 result' : `${removed.length} results`;
	return [`${results} of protected tools (${tools}) had to be truncated or removed: nothing else was left`];
}
