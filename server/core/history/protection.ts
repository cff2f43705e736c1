/** What no lossy step may touch: system messages, pins, the first and the newest message that the user typed. */

import { resolvePath } from '../files/touches/path.ts';
import { resultsThatHold } from './pairs.ts';
import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';
import { isShownInPlace } from './seen.ts';
import type { State } from './state.ts';
import { pinnedRows } from './view.ts';

export interface Protection {
	/** Rows that survive verbatim. */
	rows: ReadonlySet<Seq>;
	/** The first typed user message that is visible. */
	first?: Seq;
	/** The newest one. */
	newest?: Seq;
	/** Of these two, those that may lose their middle where the caller gives them up for it. */
	cuttable: ReadonlySet<Seq>;
}

export interface ProtectionOptions {
	/** Ids of messages to protect besides. */
	preserve?: readonly string[];
	/**
	 * Whether the message whose calls a model waits for survives verbatim, as in a session that an agent's plugin feeds:
	 * the agent sends its signed thinking as it came; by default it does not.
	 */
	keepsRunningCalls?: boolean;
	/** Whether the first and the newest user message may be cut in their middle. */
	cutUserMessages: 'never' | 'when nothing else is left';
}

/** What the user said, whether or not its middle was cut since. */
export function isFromUser(row: Row): boolean {
	return row.role === 'user' && (row.made === undefined || row.made === 'cut');
}

/** The first and the last of the units for which something holds; looks from both ends, so mostly at few of them. */
function endsOf(view: readonly Unit[], holds: (row: Row) => boolean): Pick<Protection, 'first' | 'newest'> {
	const first = view.find(({ row }) => holds(row))?.from;
	if (first === undefined) return {};
	return { first, newest: view.findLast(({ row }) => holds(row))?.from };
}

/** The system messages that a view begins with. */
function leadingSystem(view: readonly Unit[]): Unit[] {
	const end = view.findIndex(({ row }) => row.role !== 'system');
	return (end < 0 ? view : view.slice(0, end)).filter(({ row }) => !row.made);
}

/**
 * The rows to protect, and what would change them if it went. Where no user message is typed, any counts as one.
 * O(visible).
 */
export function protectionOf(state: State, options: ProtectionOptions): Protection {
	const rows = pinnedRows(state);
	for (const seq of pinnedReads(state)) rows.add(seq);
	const preserved = new Set(options.preserve);
	for (const { from } of leadingSystem(state.view)) rows.add(from);
	for (const unit of preserved.size > 0 ? state.view : []) {
		if (preserved.has(unit.row.id) && isShownInPlace(unit, state.rows)) rows.add(unit.from);
	}
	const typed = endsOf(state.view, (row) => isFromUser(row) && !row.injected);
	const { first, newest } = typed.first === undefined ? endsOf(state.view, isFromUser) : typed;
	const cuttable = new Set<Seq>();
	for (const seq of [first, newest]) {
		if (seq === undefined) continue;
		if (options.cutUserMessages !== 'never' && !rows.has(seq)) cuttable.add(seq);
	}
	for (const seq of [first, newest]) if (seq !== undefined) rows.add(seq);
	const caller = options.keepsRunningCalls ? runningCaller(state.view) : undefined;
	if (caller !== undefined) rows.add(caller);
	const mayHold = [...rows].some((seq) => state.rows[seq]?.calls !== undefined);
	for (const { from } of mayHold ? resultsThatHold(state.view, rows) : []) rows.add(from);
	return { rows, first, newest, cuttable };
}

/**
 * The newest message of the assistant, where it made calls: their results, and what was put beside these, is all that
 * came since.
 */
function runningCaller(view: readonly Unit[]): Seq | undefined {
	const newest = view.findLast(({ row }) => row.role === 'assistant');
	return newest?.row.calls === undefined ? undefined : newest.from;
}

/** Of every pinned file the newest visible read. */
function pinnedReads(state: State): Seq[] {
	return [...state.pinnedUris].flatMap((uri) => {
		const pinned = resolvePath(undefined, decoded(uri));
		const unit = state.view.findLast((one) => one.row.shows?.some((touch) => isSameFile(touch.path, pinned)));
		return unit ? [unit.from] : [];
	});
}

/** A URI's escapes as the characters that they stand for; what is no escape stays. */
function decoded(uri: string): string {
	return uri.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
		try {
			return decodeURIComponent(escapes);
		} catch {
			return escapes;
		}
	});
}

/** Whether a path as a tool named it is the file of a pinned path: equal, or the end of it. */
function isSameFile(path: string, pinned: string): boolean {
	return path === pinned || pinned.endsWith(`/${path}`) || path.endsWith(`/${pinned}`);
}
