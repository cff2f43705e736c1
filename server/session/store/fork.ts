/** `session/fork`: creates a session from the beginning of another session. */

import { Failure } from '../../core/failure.ts';
import { findBatchEnd } from '../../core/history/batch.ts';
import type { JournalRecord, Seq, SessionInfo } from '../../core/history/record.ts';
import { requireSeq, type State } from '../../core/history/state.ts';
import type { ForkParams, OpenResult } from '../../protocol/session.ts';
import { splitPortions } from '../bodies.ts';
import type { ClientContext } from '../clientContext.ts';
import type { Journal, StoredRecord } from '../ports.ts';
import type { Session } from '../session.ts';
import { createOpenResult } from './sessions.ts';
import type { SessionStore } from './store.ts';

/** Maximum records (`items`), and bytes of their bodies (`units`), copied before other tasks get a turn. */
const maxSlice = { items: 200, units: 4 * 1024 * 1024 };

/** Milliseconds between checks for records that are still being written. */
const writeCheckIntervalMs = 5;

/** Replaces a body that cannot be read, so that readers of the copy show a placeholder instead of its message. */
const unreadableBody = JSON.stringify({ f: 'damaged', m: null });

/**
 * Creates a session from the records of another session up to a message.
 *
 * Costs as much as reading and writing the bytes of those records. If it fails or the signal is aborted, there is no new
 * session. Fails with `MessageNotFound`, and with `InvalidParams` if the new id is taken.
 */
export function forkSession(
	store: SessionStore,
	client: ClientContext,
	{ sessionId, messageId, newSessionId = store.services.createId() }: ForkParams,
	signal: AbortSignal,
): Promise<OpenResult> {
	const { services } = store;
	if (newSessionId === sessionId) throw createIdTakenFailure(newSessionId);
	return store.run(sessionId, client, async (source, lane) => {
		const { state } = source;
		const end = messageId === undefined ? undefined : findBatchEnd(state.rows, requireSeq(state, messageId));
		lane.hold();
		const records = await readRecords(source, signal);
		const prefix = end === undefined ? records : selectPrefix(records, end, state);
		lane.release();
		if (await hasSession(store, client, newSessionId)) throw createIdTakenFailure(newSessionId);
		let isNew = false;
		const fill = (journal: Journal): Promise<void> => {
			isNew = true;
			const info = { sessionId: newSessionId, createdAt: services.now() };
			return copyRecords(source, prefix, { journal, info, signal });
		};
		return store.createAndRun(newSessionId, client, fill, (fork) => {
			if (!isNew) throw createIdTakenFailure(newSessionId);
			return createOpenResult(fork, client, true);
		});
	});
}

/** Whether a session exists. Removes a session whose fork was interrupted. */
async function hasSession(store: SessionStore, client: ClientContext, id: string): Promise<boolean> {
	if (!(await store.services.journals.has(id))) return false;
	try {
		return await store.run(id, client, () => true);
	} catch (error) {
		if (error instanceof Failure && error.kind === 'SessionNotFound') return false;
		throw error;
	}
}

function createIdTakenFailure(id: string): Failure {
	return new Failure('InvalidParams', `newSessionId: expected an unused id, got "${id}"`);
}

/** Reads all records of an open session, after waiting until pending records are on disk. */
async function readRecords({ id, state, services }: Session, signal: AbortSignal): Promise<StoredRecord[]> {
	const { version } = state;
	for (;;) {
		const found: StoredRecord[] = [];
		await services.journals.scan(id, (record) => void found.push(record));
		if (found.length >= version) return found.slice(0, version);
		await services.wait(writeCheckIntervalMs, signal);
	}
}

/** Returns the records before the first that adds a row at `end` or later, or removes earlier rows. */
function selectPrefix(records: readonly StoredRecord[], end: Seq, state: State): StoredRecord[] {
	const prefix: StoredRecord[] = [];
	let isComplete = false;
	for (const { value, bodies } of records) {
		const record = value as JournalRecord;
		if (isComplete && isCutRecord(record)) break;
		if (record.t !== 'append') {
			prefix.push({ value, bodies });
			continue;
		}
		const rows = record.rows.filter(({ id }) => (state.index.get(id) ?? end) < end);
		const last = rows.at(-1);
		if (last) prefix.push({ value: { ...record, rows }, bodies: bodies.slice(0, last.body + 1) });
		if (rows.length < record.rows.length) break;
		isComplete ||= last !== undefined && state.index.get(last.id) === end - 1;
	}
	return prefix;
}

function isCutRecord(record: JournalRecord): boolean {
	return record.t === 'step' && (record.step.cause === 'rewind' || record.step.cause === 'rollback');
}

interface ForkTarget {
	journal: Journal;
	/** The members of the session's description that differ in the copy. */
	info: Pick<SessionInfo, 'sessionId' | 'createdAt'>;
	signal: AbortSignal;
}

/** Writes records with their bodies. The journal is marked as unfinished until all of them are written. */
async function copyRecords(
	{ reader, services }: Session,
	records: readonly StoredRecord[],
	{ journal, info, signal }: ForkTarget,
): Promise<void> {
	const countBytes = ({ bodies }: StoredRecord): number =>
		bodies.reduce((sum, { length }) => sum + length, 0);
	for (const slice of splitPortions(records, countBytes, maxSlice)) {
		signal.throwIfAborted();
		const texts = await reader.read(slice.flatMap(({ bodies }) => bodies));
		let usedTextCount = 0;
		let durable: Promise<void> | undefined;
		for (const { value, bodies } of slice) {
			const recordTexts = texts
				.slice(usedTextCount, usedTextCount + bodies.length)
				.map((text) => text ?? unreadableBody);
			usedTextCount += bodies.length;
			durable = journal.append(toForkedRecord(value as JournalRecord, info), recordTexts).durable;
		}
		await durable;
		await services.pause();
	}
	await journal.append({ t: 'set', change: { isUnfinished: false } }, []).durable;
}

/** Converts a record for the new session: with the new session's id, and without an agent's transcript. */
function toForkedRecord(record: JournalRecord, target: ForkTarget['info']): JournalRecord {
	if (record.t === 'set') return { ...record, change: removeTranscript(record.change) };
	if (record.t !== 'open') return record;
	return { ...record, info: { ...removeTranscript(record.info), ...target, isUnfinished: true } };
}

function removeTranscript<T extends Partial<SessionInfo>>(info: T): Omit<T, 'source' | 'transcript'> {
	const { source: _, transcript: __, ...others } = info;
	return others;
}
