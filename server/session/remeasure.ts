/** Counting a session anew where its tokens are to be counted in another way than they were. */

import type { JournalRecord, SessionInfo } from '../core/history/record.ts';
import type { Row } from '../core/history/row.ts';
import type { State } from '../core/history/state.ts';
import type { ModelRequest } from '../protocol/conversation.ts';
import { messagesOf, readValue } from './bodies.ts';
import { commit } from './commit.ts';
import type { Session } from './session.ts';
import type { SessionMeasure } from './world.ts';

/** Rows that are read and counted between two chances for others to work. */
const slice = 200;

/** Counts of what sheets show instead of rows: sheet number, place of the patch, counts. */
type ShownCounts = Extract<JournalRecord, { t: 'recount' }>['shown'];

async function countAll(
	session: Session,
	rows: readonly Row[],
	measure: SessionMeasure,
): Promise<Row['counts'][]> {
	const counts = [];
	for (let start = 0; start < rows.length; start += slice) {
		const found = await messagesOf(session, rows.slice(start, start + slice));
		for (const [index, { message, source }] of found.entries()) {
			// What is damaged on disk cannot be counted anew.
			const known = source ? undefined : rows[start + index]?.counts;
			counts.push(known ?? measure.countMessage(message));
		}
		await session.world.pause();
	}
	return counts;
}

/** What sheets show instead of rows, oldest sheet first, behind the first `known`. */
function shownPatches(state: State, known: number): { no: number; index: number; show: Row }[] {
	return [...state.sheets.values()]
		.flatMap(({ no, patches }) => patches.flatMap(({ show }, index) => (show ? [{ no, index, show }] : [])))
		.slice(known);
}

async function recount(session: Session, { provider, model }: SessionInfo): Promise<void> {
	const { state, world } = session;
	const { estimator } = world.settings();
	await world.measures.ready(provider, model, estimator);
	const measure = world.measures.for(provider, model, estimator);
	const counted = await countAll(session, [...state.rows], measure);
	const request = state.requestRef ? await readValue(session, state.requestRef) : undefined;
	const shown: ShownCounts = [];
	// A compaction may end while its predecessors are counted: until nothing new is shown.
	for (let fresh = shownPatches(state, 0); fresh.length > 0; fresh = shownPatches(state, shown.length)) {
		const rows = fresh.map(({ show }) => show);
		const counts = await countAll(session, rows, measure);
		shown.push(
			...fresh.map(({ no, index, show }, position): ShownCounts[number] => [
				no,
				index,
				counts[position] ?? show.counts,
			]),
		);
	}
	// What was appended meanwhile was counted in the new way already: its counts stand.
	session.headEstimator = undefined;
	const rows = [...counted, ...state.rows.slice(counted.length).map((row) => row.counts)];
	await commit(session, {
		t: 'recount',
		measure: measure.key,
		rows,
		shown,
		// Counted by us when it was stored; where it is damaged on disk, that count is all that is left of it.
		request: request === undefined ? state.request : measure.countRequest(request as ModelRequest),
	});
}

/**
 * Counts everything anew where the session's model is counted in another way than its counts were taken. O(rows).
 * Calls that come meanwhile wait for the same recount.
 */
export async function remeasure(session: Session): Promise<void> {
	const { state, world } = session;
	const { info, measure } = state;
	if (!session.recounting) {
		if (world.measures.for(info.provider, info.model, world.settings().estimator).key === measure) return;
		session.recounting = recount(session, info);
	}
	try {
		await session.recounting;
	} finally {
		session.recounting = undefined;
	}
}

/** The figures of another model say nothing of this one: counts stand, what was learned from figures goes. */
export async function forgetFigures(session: Session): Promise<void> {
	const { state } = session;
	if (!state.meter.anchor && !state.meter.correction) return;
	await commit(session, {
		t: 'recount',
		measure: state.measure,
		rows: [],
		shown: [],
		request: state.request,
	});
}
