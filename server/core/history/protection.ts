/** Finds the rows that no compaction may change: system messages, pins, and the first and newest typed message. */

import { resolvePath } from '../files/touches/path.ts';
import { findResultsToProtect } from './pairs.ts';
import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';
import type { State } from './state.ts';
import { isShownInPlace } from './unitLookup.ts';
import { findPinnedRows } from './view.ts';

export interface Protection {
	/** Rows that survive verbatim. */
	rows: ReadonlySet<Seq>;
	/** The first visible user message that was typed. */
	firstTyped?: Seq;
	/** The newest visible user message that was typed. */
	newestTyped?: Seq;
	/** The rows among `first` and `newest` whose middle may be cut out. */
	cuttableRows: ReadonlySet<Seq>;
}

export interface ProtectionOptions {
	/** Ids of further messages to protect. */
	preserve?: readonly string[];
	/**
	 * Whether the message with the running calls survives verbatim; default false. Set for sessions that an agent's plugin
	 * feeds, because the agent sends the message's signed thinking unchanged.
	 */
	keepsRunningCalls?: boolean;
	/** Whether the first and the newest user message may lose their middle. */
	cutUserMessages: 'never' | 'when nothing else is left';
}

/** Whether a row is a user's message, even if its middle was cut out later. */
export function isFromUser(row: Row): boolean {
	return row.role === 'user' && (row.made === undefined || row.made === 'cut');
}

/** Whether a row is a message that a user typed, even if its middle was cut out later. */
export function isTypedRow(row: Row): boolean {
	return isFromUser(row) && !row.injected;
}

/** Returns the first and the last row that satisfy a predicate. Usually fast, since it searches from both ends. */
function findFirstAndNewestRow(
	view: readonly Unit[],
	isWanted: (row: Row) => boolean,
): Pick<Protection, 'firstTyped' | 'newestTyped'> {
	const first = view.find(({ row }) => isWanted(row))?.from;
	if (first === undefined) return {};
	return { firstTyped: first, newestTyped: view.findLast(({ row }) => isWanted(row))?.from };
}

function findLeadingSystemMessages(view: readonly Unit[]): Unit[] {
	const end = view.findIndex(({ row }) => row.role !== 'system');
	return (end < 0 ? view : view.slice(0, end)).filter(({ row }) => !row.made);
}

/**
 * Returns the rows to protect, including results that these rows depend on. If no user message was typed, any user
 * message counts as typed. O(visible).
 */
export function computeProtection(state: State, options: ProtectionOptions): Protection {
	const rows = findRowsKeptByPins(state);
	const preservedIds = new Set(options.preserve);
	for (const { from } of findLeadingSystemMessages(state.view)) rows.add(from);
	for (const unit of preservedIds.size > 0 ? state.view : []) {
		if (preservedIds.has(unit.row.id) && isShownInPlace(unit, state.rows)) rows.add(unit.from);
	}
	const typedMessages = findFirstAndNewestRow(state.view, isTypedRow);
	const { firstTyped, newestTyped } =
		typedMessages.firstTyped === undefined ? findFirstAndNewestRow(state.view, isFromUser) : typedMessages;
	const userRows = [firstTyped, newestTyped].filter((seq) => seq !== undefined);
	const canCut = options.cutUserMessages !== 'never';
	const cuttableRows = new Set(canCut ? userRows.filter((seq) => !rows.has(seq)) : []);
	for (const seq of userRows) rows.add(seq);
	const caller = options.keepsRunningCalls ? findRunningCaller(state.view) : undefined;
	if (caller !== undefined) rows.add(caller);
	const hasCaller = [...rows].some((seq) => state.rows[seq]?.calls !== undefined);
	for (const { from } of hasCaller ? findResultsToProtect(state.view, rows) : []) rows.add(from);
	return { rows, firstTyped, newestTyped, cuttableRows };
}

/** Returns the newest assistant message if it has calls, which are then still running. */
function findRunningCaller(view: readonly Unit[]): Seq | undefined {
	const newestAnswer = view.findLast(({ row }) => row.role === 'assistant');
	return newestAnswer?.row.calls === undefined ? undefined : newestAnswer.from;
}

/** Returns the rows that pins keep: pinned messages, and the newest visible read of each pinned file. */
export function findRowsKeptByPins(state: State): Set<Seq> {
	const rows = findPinnedRows(state);
	for (const seq of findPinnedReads(state)) rows.add(seq);
	return rows;
}

/** Returns the newest visible read of each pinned file. */
function findPinnedReads(state: State): Seq[] {
	return [...state.pinnedUris].flatMap((uri) => {
		const path = resolvePath(undefined, decodeEscapes(uri));
		const unit = state.view.findLast((one) => one.row.shows?.some((touch) => isSameFile(touch.path, path)));
		return unit ? [unit.from] : [];
	});
}

/** Decodes the percent escapes of a URI; leaves invalid escapes unchanged. */
function decodeEscapes(uri: string): string {
	return uri.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
		try {
			return decodeURIComponent(escapes);
		} catch {
			return escapes;
		}
	});
}

/** Whether a path that a tool names is the pinned file: both are equal, or one ends with the other. */
function isSameFile(path: string, pinnedPath: string): boolean {
	return path === pinnedPath || pinnedPath.endsWith(`/${path}`) || path.endsWith(`/${pinnedPath}`);
}
