/** Recounts a session after its model, its estimator or the way of counting changed. */

import type { JournalRecord, SessionInfo } from '../core/history/record.ts';
import type { Row } from '../core/history/row.ts';
import type { State } from '../core/history/state.ts';
import type { ModelRequest } from '../protocol/conversation.ts';
import { readRowMessages, readStoredValue } from './bodies.ts';
import { commit } from './commit.ts';
import type { SessionMeasure } from './services.ts';
import { type Session, selectMeasure } from './session.ts';

/** Number of rows read and counted before other tasks get a turn. */
const rowsPerSlice = 200;

/** Maximum rows of a `recounted` record, so that writing or reading one record hardly delays other tasks. */
const maxRowsPerRecord = 10_000;

/** New token counts of rows that compactions created; each row is identified by its layer's number and its patch's index. */
type ShownCounts = Extract<JournalRecord, { t: 'recount' }>['shown'];

async function countTokensByRow(
	session: Session,
	rows: readonly Row[],
	measure: SessionMeasure,
): Promise<Row['counts'][]> {
	const counts = [];
	for (let start = 0; start < rows.length; start += rowsPerSlice) {
		const resolvedMessages = await readRowMessages(session, rows.slice(start, start + rowsPerSlice));
		for (const [index, { message, source }] of resolvedMessages.entries()) {
			// A message that is damaged on disk cannot be recounted.
			const storedCounts = source ? undefined : rows[start + index]?.counts;
			counts.push(storedCounts ?? measure.countMessage(message));
		}
		await session.services.pause();
	}
	return counts;
}

/** Lists the rows that compactions created, oldest first, without the first `knownCount`. */
function listShownPatches(state: State, knownCount: number): { no: number; index: number; show: Row }[] {
	return [...state.layers.values()]
		.flatMap(({ no, patches }) => patches.flatMap(({ show }, index) => (show ? [{ no, index, show }] : [])))
		.slice(knownCount);
}

/** Writes the counts of a long session in several records, and returns the counts left for the last record. */
async function commitCountsInParts(
	session: Session,
	rowCounts: readonly Row['counts'][],
): Promise<{ from?: number; rows: Row['counts'][] }> {
	let from = 0;
	// Each record is on disk before the next is written, since records that are written together are also read together.
	for (; rowCounts.length - from > maxRowsPerRecord; from += maxRowsPerRecord) {
		await commit(session, { t: 'recounted', from, rows: rowCounts.slice(from, from + maxRowsPerRecord) });
		await session.services.pause();
	}
	return { ...(from > 0 && { from }), rows: rowCounts.slice(from) };
}

async function recount(session: Session, { provider, model }: SessionInfo): Promise<void> {
	const { state, services } = session;
	await services.measures.load(provider, model, session.getEstimator());
	const measure = services.measures.getMeasure(provider, model, session.getEstimator());
	const rowCounts = await countTokensByRow(session, [...state.rows], measure);
	const request = state.requestRef ? await readStoredValue(session, state.requestRef) : undefined;
	const lastCounts = await commitCountsInParts(session, rowCounts);
	const shown: ShownCounts = [];
	// A compaction may end while rows of earlier ones are counted, so this repeats until there are no new rows.
	for (
		let newPatches = listShownPatches(state, 0);
		newPatches.length > 0;
		newPatches = listShownPatches(state, shown.length)
	) {
		const counts = await countTokensByRow(
			session,
			newPatches.map(({ show }) => show),
			measure,
		);
		shown.push(
			...newPatches.map(({ no, index, show }, position): ShownCounts[number] => [
				no,
				index,
				counts[position] ?? show.counts,
			]),
		);
	}
	session.headEstimator = undefined;
	// The record omits rows that were appended meanwhile, because these were already counted for the new model.
	await commit(session, {
		t: 'recount',
		measure: measure.key,
		...lastCounts,
		shown,
		// If the stored request is damaged on disk, its earlier count is all that remains.
		request: request === undefined ? state.request : measure.countRequest(request as ModelRequest),
	});
}

/**
 * Recounts a session if its stored counts are not those of its model and estimator. O(rows).
 * Calls that arrive meanwhile wait for the same recount.
 */
export async function recountIfNeeded(session: Session): Promise<void> {
	const { info, measure } = session.state;
	if (!session.runningRecount) {
		if (selectMeasure(session).key === measure) return;
		session.runningRecount = recount(session, info);
	}
	try {
		await session.runningRecount;
	} finally {
		session.runningRecount = undefined;
	}
}

/** Drops what was learned from usage figures of another model. Keeps the token counts. */
export async function forgetUsageFigures(session: Session): Promise<void> {
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
