/**
 * What a compaction will look at is read before it is asked for, while nobody asks for anything: the compaction then
 * finds it ready. This changes what a compaction costs, and nothing that it does.
 */

import { settledRows, takeRows } from '../../core/compact/rowColumns.ts';
import { lookThrough } from '../../core/compact/thread/lookThrough.ts';
import type { Reading } from '../../core/compact/thread/reading.ts';
import { workLimits } from '../../core/compact/tuning.ts';
import type { Row } from '../../core/history/row.ts';
import type { State } from '../../core/history/state.ts';
import { usageRatio } from '../../core/models/budget.ts';
import { type Slices, sliceLength } from '../../core/slices.ts';
import { messagesOf } from '../bodies.ts';
import { keepWithin, readingOf } from '../readings.ts';
import type { Session } from '../session.ts';
import { inSlices } from '../slices.ts';
import { contextUsageOf } from '../stats.ts';
import type { SessionStore } from '../store/store.ts';
import { addMessage, isKnown, sizeOf } from './sourceReader.ts';
import { aheadPortion, aheadTail, nearEnough, quiet, readAnew } from './tuning.ts';

/** When there is time to read. */
export interface IdleTime {
	/** Resolves when nobody waits for anything. */
	idle(): Promise<void>;
	/** Whether the session is still open. */
	isOpen(): boolean;
}

/** Whether a compaction of a session may come soon: where contextd makes room, and the window fills. */
export async function isCompactionNear(session: Session): Promise<boolean> {
	if (!session.journal || session.broken) return false;
	const { agent, reading, budget, settings } = await contextUsageOf(session, session.client);
	if (agent !== undefined) return false;
	const { tokenThreshold } = settings;
	const due = tokenThreshold > 0 ? tokenThreshold / Math.max(1, budget.available) : budget.thresholds.compact;
	return usageRatio(reading.tokens, budget.available) >= nearEnough * due;
}

/**
 * The rows, in order, that a compaction would read: of what is visible, and of what stands behind summaries, the
 * newest, and older ones of the user.
 */
function* rowsToRead({ view, rows }: State): Slices<Row[]> {
	const found: Row[] = [];
	let newest = workLimits.maxReadLength.newest + aheadTail;
	let { users } = workLimits.maxReadLength;
	let looked = 0;
	for (let index = view.length - 1; index >= 0 && users > 0; index--) {
		const { from, to } = view[index] ?? { from: 0, to: 0 };
		for (let seq = to - 1; seq >= from && users > 0; seq--) {
			if (++looked % sliceLength === 0) yield;
			const row = rows[seq];
			if (!row) continue;
			if (newest > 0) newest -= sizeOf(row);
			else if (row.role === 'user') users -= sizeOf(row);
			else continue;
			found.push(row);
		}
	}
	return found.reverse();
}

/** The next of some rows that were not read, from an index on. */
function portionFrom(rows: readonly Row[], index: number, reading: Reading): { part: Row[]; next: number } {
	const part: Row[] = [];
	let chars = 0;
	let next = index;
	for (; next < rows.length && part.length < aheadPortion.rows && chars < aheadPortion.chars; next++) {
		const row = rows[next];
		if (!row || isKnown(reading, row)) continue;
		part.push(row);
		chars += sizeOf(row);
	}
	return { part, next };
}

/** The first of some rows, from an index on, that is no result of a call before it. */
function wholeFrom(rows: readonly Row[], from: number): number {
	let index = from;
	while (rows[index]?.role === 'tool') index++;
	return index;
}

/** Takes what a plan asks of every row, from the first on of which it is not known for good. */
async function takeColumns(
	{ readings, state: { units } }: Session,
	idle: () => Promise<void>,
): Promise<void> {
	const { columns } = readings;
	for (let seq = settledRows(columns); seq < units.length; seq += sliceLength) {
		takeRows(columns, units, seq, Math.min(units.length, seq + sliceLength));
		await idle();
	}
}

/**
 * Reads what a compaction of a session would look at, portion by portion, until it is done, a compaction begins, or
 * the session is closed. Rejects where its messages cannot be read.
 */
export async function readAhead(session: Session, { idle, isOpen }: IdleTime): Promise<void> {
	const { readings } = session;
	const isOurs = (): boolean => isOpen() && !readings.inUse;
	await takeColumns(session, idle);
	const rows = await inSlices(rowsToRead(session.state), { pause: idle });
	await idle();
	if (!isOurs()) return;
	if ((readings.reading?.chars ?? 0) > readAnew * workLimits.maxCachedLength) readings.reading = undefined;
	const reading = readingOf(readings);
	for (let index = 0; index < rows.length; ) {
		const { part, next } = portionFrom(rows, index, reading);
		index = next;
		if (part.length === 0) break;
		const messages = await messagesOf(session, part);
		await idle();
		// A compaction may have begun meanwhile, and nothing may be added to what it works with.
		if (!isOurs() || readings.reading !== reading) return;
		for (const [place, row] of part.entries()) {
			const found = messages[place];
			if (found) addMessage(reading, row, found.message);
		}
		// What stands before is looked through again: the call of a result may be there.
		const around = rows.slice(wholeFrom(rows, Math.max(0, index - 2 * aheadPortion.rows)), index);
		lookThrough(
			around.flatMap(({ seq }) => reading.known.get(seq) ?? []),
			reading.found,
			reading.ledger,
		);
	}
	keepWithin(readings);
}

/** Reads ahead for all open sessions, one after the other. */
export interface AheadReader {
	/** To be told that a session has changed. */
	changed(sessionId: string): void;
	stop(): void;
}

/** `idleFor`: milliseconds since somebody waited for anything; 0 while somebody does. */
export function createAheadReader(store: SessionStore, idleFor: () => number): AheadReader {
	const { world } = store;
	const waiting = new Set<string>();
	const stopping = new AbortController();
	let timer: ReturnType<typeof setTimeout> | undefined;
	let isReading = false;

	async function idle(): Promise<void> {
		await world.pause();
		for (let since = idleFor(); since < quiet; since = idleFor()) {
			await world.wait(quiet - since, stopping.signal);
		}
	}

	async function read(session: Session): Promise<void> {
		const isOpen = (): boolean => !stopping.signal.aborted && store.open().includes(session);
		try {
			if (await isCompactionNear(session)) await readAhead(session, { idle, isOpen });
		} catch (error) {
			// What was closed meanwhile cannot be read, and need not be.
			if (isOpen() && !session.broken) world.log.warn(`session "${session.id}" was not read ahead: ${error}`);
		}
	}

	async function readAll(): Promise<void> {
		isReading = true;
		for (const id of waiting) {
			waiting.delete(id);
			const session = store.open().find((one) => one.id === id);
			if (session) await read(session);
		}
		isReading = false;
	}

	return {
		changed(sessionId) {
			if (stopping.signal.aborted) return;
			waiting.add(sessionId);
			timer?.refresh();
			timer ??= setTimeout(() => {
				if (!isReading) void readAll();
			}, quiet).unref();
		},
		stop() {
			clearTimeout(timer);
			stopping.abort(new Error('the daemon ends'));
		},
	};
}
