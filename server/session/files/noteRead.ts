/** Keeps with a session what was read for it: files are read where they are asked for, and the record goes to the holder. */

import { Failure } from '../../core/failure.ts';
import type { JournalRecord } from '../../core/history/record.ts';
import { isFields } from '../../core/shape.ts';
import { commit } from '../commit.ts';
import { recordSink, type Session } from '../session.ts';
import type { SessionStore } from '../store/store.ts';

export type ReadRecord = Extract<JournalRecord, { t: 'read' }>;

/** Writes the record of a read; resolves once it is on disk. */
export type NoteRead = (session: Session, record: ReadRecord) => Promise<void>;

/** The call that hands such a record to the process that holds the session. Its params are `NoteReadParams`. */
export const noteReadMethod = 'session/noteRead';

interface NoteReadParams {
	sessionId: string;
	record: ReadRecord;
}

/** The params of that call. Throws `InvalidParams` where they are none. */
export function noteReadParams(given: unknown): NoteReadParams {
	const isRead = isFields(given) && isFields(given.record) && given.record.t === 'read';
	if (isRead && typeof given.sessionId === 'string') return given as unknown as NoteReadParams;
	throw new Failure('InvalidParams', 'record: expected the record of a read');
}

/** Notes reads in a store. */
export function noteReadIn(store: SessionStore, signal: AbortSignal): NoteRead {
	return (session, record) => {
		if (!session.isShared || recordSink(session)) return commit(session, record);
		const params: NoteReadParams = { sessionId: session.id, record };
		return store.write(session.id, { method: noteReadMethod, params, signal }, async (held) => {
			await commit(held, record);
		});
	};
}
