/** Counting a session anew where its tokens are to be counted in another way than they were. */

import type { JournalRecord, SessionInfo } from '../core/history/record.ts';
import type { Row } from '../core/history/row.ts';
import type { State } from '../core/history/state.ts';
import type { ModelRequest } from '../protocol/conversation.ts';
import { messagesOf, readValue } from './bodies.ts';
import { commit } from './commit.ts';
import { measureOf, type Session } from './session.ts';
import type { SessionMeasure } from './world.ts';

/** Rows that are read and counted between two chances for others to work. */
const slice = 200;

/** Rows whose new counts go into one record: few enough that others hardly wait while it is written or read. */
const part = 10_000;

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
	return [...state.layers.values()]
		.flatMap(({ no, patches }) => patches.flatMap(({ show }, index) => (show ? [{ no, index, show }] : [])))
		.slice(known);
}

/** Writes the counts of a long session down part by part, and gives those of its last rows. */
async function commitParts(
	session: Session,
	counted: readonly Row['counts'][],
): Promise<{ from?: number; rows: Row['counts'][] }> {
	let from = 0;
	// Each on disk before the next: what goes there together is read in one go when the session is opened.
	for (; counted.length - from > part; from += part) {
		await commit(session, { t: 'recounted', from, rows: counted.slice(from, from + part) });
		await session.world.pause();
	}
	return { ...(from > 0 && { from }), rows: counted.slice(from) };
}

async function recount(session: Session, { provider, model }: SessionInfo): Promise<void> {
	const { state, world } = session;
	await world.measures.ready(provider, model, session.estimator());
	const measure = world.measures.for(provider, model, session.estimator());
	const counted = await countAll(session, [...state.rows], measure);
	const request = state.requestRef ? await readValue(session, state.requestRef) : undefined;
	const rest = await commitParts(session, counted);
	const shown: ShownCounts = [];
	// A compaction may end while its predecessors are counted: until nothing new is shown.
	for (let fresh = shownPatches(state, 0); fresh.length > 0; fresh = shownPatches(state, shown.length)) {
		const counts = await countAll(
			session,
			fresh.map(({ show }) => show),
			measure,
		);
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
	await commit(session, {
		t: 'recount',
		measure: measure.key,
		...rest,
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
	const { info, measure } = session.state;
	if (!session.recounting) {
		if (measureOf(session).key === measure) return;
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
