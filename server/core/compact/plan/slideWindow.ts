/**
 * Stage "truncate": replaces whole exchanges and tool batches by one marker, oldest first, until the target is reached.
 * Keeps system messages, the first user message and the newest messages. Removes the answer to the first user message
 * last.
 */

import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import {
	type Draft,
	type Effects,
	getTokens,
	getUnit,
	groupByBatch,
	hasKind,
	hideItem,
	type Item,
	isHidden,
	isProtected,
	rowKind,
	selectItems,
	unhideItem,
	weighCounts,
} from '../draft.ts';
import { truncationMarker } from '../placeholders.ts';

/**
 * Order in which parts of the history are removed, lowest number first. `recent` and above are never removed. An earlier
 * marker is removed first, because the new marker replaces it. A summary is removed last, because it replaces many messages.
 */
const priorities = {
	anchor: 90,
	recent: 80,
	summary: 79,
	firstAnswer: 75,
	toolPair: 70,
	normal: 30,
	marker: 0,
} as const;

/** Items that are removed together. */
interface RemovalUnit {
	priority: number;
	items: Item[];
}

/** Groups the history into exchanges: a user message and everything up to the next user message. */
function groupExchanges(draft: Draft, groups: readonly Item[][]): Item[][][] {
	const exchanges: Item[][][] = [];
	for (const group of groups) {
		const last = exchanges.at(-1);
		if (last && !hasKind(draft, group[0] ?? 0, rowKind.fromUser)) last.push(group);
		else exchanges.push([group]);
	}
	return exchanges;
}

/** Returns the newest groups that together have at least the newest `count` messages. */
function selectRecentGroups(groups: readonly Item[][], count: number): Set<Item[]> {
	let messages = 0;
	return new Set(
		groups.toReversed().filter((group) => {
			messages += group.length;
			return messages - group.length < count;
		}),
	);
}

/**
 * Splits an exchange into pieces, each of which is removed as a whole. An exchange without tools is one piece, which keeps
 * an answer with its question. In an exchange with tools, or with messages that must stay, each batch is a piece.
 */
function splitExchange(
	draft: Draft,
	exchange: readonly Item[][],
	recent: ReadonlySet<Item[]>,
	keptItems: ReadonlySet<Item>,
): RemovalUnit[] {
	const isFirst = draft.firstSeqs[exchange[0]?.[0] ?? -1] === draft.protection.first;
	const priorityOf = (items: Item[], index: number): number => {
		const { made, role } = getUnit(draft, items[0] ?? 0).row;
		if (items.some((item) => isProtected(draft, item) || keptItems.has(item))) return priorities.anchor;
		if (made === 'marker' || made === 'summary') return priorities[made];
		if (recent.has(items)) return priorities.recent;
		return index === 1 && isFirst && role === 'assistant' ? priorities.firstAnswer : priorities.toolPair;
	};
	const ranked = exchange.map((items, index) => ({ priority: priorityOf(items, index), items }));
	const isToolExchange = ranked.every(({ priority }) => priority === priorities.toolPair);
	const hasTools = exchange.flat().some((item) => hasKind(draft, item, rowKind.result));
	return isToolExchange && !hasTools ? [{ priority: priorities.normal, items: exchange.flat() }] : ranked;
}

/** Returns the removable pieces, in the order of removal. */
function selectRemovableGroups(draft: Draft, recentCount: number, keptItems: ReadonlySet<Item>): Item[][] {
	const groups = groupByBatch(
		draft,
		selectItems(draft, (item) => !isHidden(draft, item)),
	);
	const recent = selectRecentGroups(groups, recentCount);
	return groupExchanges(draft, groups)
		.flatMap((exchange) => splitExchange(draft, exchange, recent, keptItems))
		.filter((piece) => piece.priority < priorities.recent)
		.sort((a, b) => a.priority - b.priority)
		.map((piece) => piece.items);
}

/**
 * Hides the oldest groups behind one marker until the target is reached, except the newest `recentCount` messages and
 * `keptItems`. Returns false if nothing was hidden. Reuses the marker of an earlier call.
 */
export function slideWindow(
	draft: Draft,
	{ recentCount, keptItems }: { recentCount: number; keptItems: ReadonlySet<Item> },
	effects: Effects,
	id: string,
): boolean {
	const groups = selectRemovableGroups(draft, recentCount, keptItems);
	const start = groups[0]?.[0];
	if (start === undefined || draft.tokens <= draft.target) return false;
	const message: IdentifiedMessage = {
		id,
		role: 'user',
		content: truncationMarker,
		isTruncationMarker: true,
		metadata: { isTruncationMarker: true, truncated: true },
	};
	const counts = effects.countMessage(message);
	const marker = draft.rangeReplacements.truncate
		? 0
		: weighCounts(draft, getUnit(draft, start).from, counts);
	const hiddenItems: Item[] = [];
	let savedTokens = 0;
	for (const group of groups) {
		if (draft.tokens + marker <= draft.target) break;
		for (const item of group) {
			savedTokens += getTokens(draft, item);
			hiddenItems.push(item);
			hideItem(draft, item, 'truncate');
		}
	}
	if (savedTokens <= marker) {
		for (const item of hiddenItems) unhideItem(draft, item);
		return false;
	}
	draft.tokens += marker;
	draft.rangeReplacements.truncate ??= { stage: 'truncate', message, counts, made: 'marker' };
	return true;
}
