/**
 * Stage "truncate": replaces whole exchanges and tool batches by one marker, oldest first, then removes the middle of the
 * largest messages. Keeps system messages, the first user message and the newest messages. Removes the answer to the
 * first user message last.
 */

import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { isStrictRule } from '../../analysis/text/ruleWords.ts';
import { getMessageText } from '../../history/text.ts';
import {
	type Draft,
	type Effects,
	getOriginal,
	getTokens,
	getUnit,
	groupByBatch,
	hasKind,
	hideItem,
	type Item,
	isHidden,
	isProtected,
	itemKind,
	selectItems,
	unhideItem,
	weighCounts,
} from '../draft.ts';
import { truncationMarker } from '../placeholders.ts';
import { disabledReport, reportReached, type Stage } from '../stage.ts';
import { tuning } from '../tuning.ts';
import { canCut, emergencyCut, selectCuttableItems } from './emergency.ts';

/** Number of newest short user messages that are searched for rules if there is no summary. */
const maxScannedUserMessages = 2000;

/** Returns the visible items that only truncation may remove, without items that no stage may touch. */
function selectTruncateOnlyItems(draft: Draft): Item[] {
	return draft.truncateOnlyItems.filter((item) => !isHidden(draft, item) && !isProtected(draft, item));
}

export const truncateStage: Stage = {
	name: 'truncate',
	applies: () => true,
	async run(draft, input) {
		const { policy, effects, ids } = input;
		if (!policy.stages.truncate) return disabledReport;
		if (draft.tokens <= draft.target) return reportReached(draft, input);
		const spokenItems = await selectSpokenItems(draft, effects);
		const slide = (keptItems: ReadonlySet<Item>): boolean =>
			slideWindow(draft, { recentCount: policy.recentCount, keptItems }, effects, ids.marker);
		const cutItems = async (items: readonly Item[]): Promise<boolean> =>
			canCut(policy) && (await emergencyCut(draft, items, draft.target, effects)) > 0;
		const rounds = [
			() => slide(new Set([...spokenItems, ...selectTruncateOnlyItems(draft)])),
			() => cutItems(selectCuttableItems(draft)),
			() => cutItems(selectTruncateOnlyItems(draft)),
			() => slide(spokenItems),
		];
		let hasChanged = false;
		for (const round of rounds) if (draft.tokens > draft.target) hasChanged = (await round()) || hasChanged;
		return hasChanged ? {} : { reason: 'only protected messages are left' };
	},
};

/** The last resort if the request would fail: also cuts user messages and removes newest messages. */
export const truncateByForceStage: Stage = {
	name: 'truncate',
	applies: (draft, { policy }) =>
		policy.stages.truncate && policy.cutUserMessages !== 'never' && draft.tokens > draft.target,
	async run(draft, { protection, effects, ids }) {
		const userItems = selectItems(
			draft,
			(item) => isProtected(draft, item) && protection.cuttableRows.has(draft.firstSeqs[item] ?? 0),
		);
		const items = [...selectCuttableItems(draft), ...selectTruncateOnlyItems(draft), ...userItems];
		const cutCount = await emergencyCut(draft, items, draft.target, effects);
		const hasSlid = slideWindow(draft, { recentCount: 0, keptItems: new Set() }, effects, ids.marker);
		return hasSlid || cutCount > 0 ? {} : { reason: 'only protected messages are left' };
	},
};

/**
 * Returns the user's short messages that are kept, newest first, within a share of the target. Messages with binding rules
 * come first and have a separate share. O(items).
 */
async function selectSpokenItems(draft: Draft, effects: Effects): Promise<Set<Item>> {
	const shortItems = selectItems(draft, (item) => {
		const { row } = getUnit(draft, item);
		const isShort =
			hasKind(draft, item, itemKind.fromUser) && !row.injected && row.chars <= tuning.lengths.maxVerbatim;
		return isShort && !isProtected(draft, item);
	}).slice(-maxScannedUserMessages);
	const messages = await effects.read(shortItems.map((item) => getOriginal(draft, item)));
	const bindingItems = shortItems.filter((_, index) => {
		const message = messages[index];
		return message !== undefined && isStrictRule(getMessageText(message));
	});
	const keptItems = new Set<Item>();
	const keep = (items: readonly Item[], share: number): void => {
		let allowed = share * draft.target;
		for (const item of items.toReversed()) {
			allowed -= getTokens(draft, item);
			if (allowed < 0) break;
			keptItems.add(item);
		}
	};
	keep(bindingItems, tuning.shares.rules);
	keep(
		shortItems.filter((item) => !keptItems.has(item)),
		tuning.shares.userWords,
	);
	return keptItems;
}

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
		if (last && !hasKind(draft, group[0] ?? 0, itemKind.fromUser)) last.push(group);
		else exchanges.push([group]);
	}
	return exchanges;
}

/** Returns the newest groups that together have at least the newest `count` messages. */
function selectRecentGroups(groups: readonly Item[][], count: number): Set<Item[]> {
	let messageCount = 0;
	return new Set(
		groups.toReversed().filter((group) => {
			messageCount += group.length;
			return messageCount - group.length < count;
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
	const isFirst = draft.firstSeqs[exchange[0]?.[0] ?? -1] === draft.protection.firstTyped;
	const priorityOf = (items: Item[], index: number): number => {
		const { made, role } = getUnit(draft, items[0] ?? 0).row;
		if (items.some((item) => isProtected(draft, item) || keptItems.has(item))) return priorities.anchor;
		if (made === 'marker' || made === 'summary') return priorities[made];
		if (recent.has(items)) return priorities.recent;
		return index === 1 && isFirst && role === 'assistant' ? priorities.firstAnswer : priorities.toolPair;
	};
	const ranked = exchange.map((items, index) => ({ priority: priorityOf(items, index), items }));
	const isToolExchange = ranked.every(({ priority }) => priority === priorities.toolPair);
	const hasTools = exchange.flat().some((item) => hasKind(draft, item, itemKind.result));
	return isToolExchange && !hasTools ? [{ priority: priorities.normal, items: exchange.flat() }] : ranked;
}

/** Returns the removable pieces, in the order of removal. */
function selectRemovableGroups(draft: Draft, recentCount: number, keptItems: ReadonlySet<Item>): Item[][] {
	const groups = groupByBatch(
		draft,
		selectItems(draft, (item) => !isHidden(draft, item)),
	);
	const recentGroups = selectRecentGroups(groups, recentCount);
	return groupExchanges(draft, groups)
		.flatMap((exchange) => splitExchange(draft, exchange, recentGroups, keptItems))
		.filter((piece) => piece.priority < priorities.recent)
		.sort((a, b) => a.priority - b.priority)
		.map((piece) => piece.items);
}

/**
 * Hides the oldest groups behind one marker until the target is reached, except the newest `recentCount` messages and
 * `keptItems`. Returns false if nothing was hidden. Reuses the marker of an earlier call.
 */
function slideWindow(
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
