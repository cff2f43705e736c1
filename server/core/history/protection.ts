/** What no lossy step may touch: system messages, pins, the first and the newest message that the user typed. */

import type { Seq } from './record.ts';
import type { Row, State, Unit } from './state.ts';

export interface Protection {
	/** Rows that survive verbatim. */
	rows: Set<Seq>;
	/** The first typed user message that is visible. */
	first?: Seq;
	/** The newest one. */
	newest?: Seq;
}

function isTyped(row: Row): boolean {
	return row.role === 'user' && !row.made && !row.injected;
}

function isFromUser(row: Row): boolean {
	return row.role === 'user' && !row.made;
}

/** The first or last unit of a kind: a typed user message, or any user message where none is typed. */
function userUnit(view: readonly Unit[], find: 'find' | 'findLast'): Unit | undefined {
	return view[find]((unit) => isTyped(unit.row)) ?? view[find]((unit) => isFromUser(unit.row));
}

/** The rows to protect, with those that a caller asks to preserve besides. */
export function protectionOf(state: State, preserve: readonly string[] = []): Protection {
	const rows = new Set<Seq>(state.pins);
	for (const unit of state.view) {
		if (unit.row.role === 'system' && !unit.row.made) rows.add(unit.from);
	}
	const first = userUnit(state.view, 'find')?.from;
	const newest = userUnit(state.view, 'findLast')?.from;
	if (first !== undefined) rows.add(first);
	if (newest !== undefined) rows.add(newest);
	for (const id of preserve) {
		const seq = state.index.get(id);
		if (seq !== undefined) rows.add(seq);
	}
	for (const seq of pinnedReads(state)) rows.add(seq);
	return { rows, first, newest };
}

/** Of every pinned file the newest visible read. */
function pinnedReads(state: State): Seq[] {
	if (state.pinnedUris.size === 0) return [];
	return [...state.pinnedUris].flatMap((uri) => {
		const unit = state.view.findLast((one) => one.row.shows?.some((touch) => isSameFile(touch.path, uri)));
		return unit ? [unit.from] : [];
	});
}

/** Whether a path as a tool named it is the file of a pinned path: equal, or the end of it. */
function isSameFile(path: string, pinned: string): boolean {
	return path === pinned || pinned.endsWith(`/${path}`) || path.endsWith(`/${pinned}`);
}
