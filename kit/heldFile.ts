/** The file in which the daemon stores the view that a plugin holds of a session (`session/holdView`). */

import { isFields, tryParseJson } from '../server/core/shape.ts';
import type { JournalPosition } from '../server/protocol/session.ts';
import { hexOf, type Sha256, sameText } from './hmac.ts';

/** The content of the file. */
export interface HeldFile {
	sessionId: string;
	/** The end of the session's journal when the file was written. */
	journal: JournalPosition;
	/** The view, as the plugin sent it. */
	view: unknown;
	/** SHA-256 of the line with the view, in hexadecimal digits. */
	checksum: string;
}

function parsed(text: string): unknown {
	return tryParseJson(text)?.value;
}

function positionOf(value: unknown): JournalPosition | undefined {
	if (!isFields(value)) return undefined;
	const { generation, records } = value;
	return typeof generation === 'number' && typeof records === 'number' ? { generation, records } : undefined;
}

/** Parses the text of the file; undefined if it is missing, damaged or of another version. */
export async function readHeldFile(text: string, sha256: Sha256): Promise<HeldFile | undefined> {
	const [head = '', body = ''] = text.split('\n', 2);
	const said = parsed(head);
	if (!isFields(said) || said.version !== 1 || typeof said.checksum !== 'string') return undefined;
	const journal = positionOf(said.journal);
	if (journal === undefined || typeof said.sessionId !== 'string') return undefined;
	const checksum = hexOf(await sha256(new TextEncoder().encode(body)));
	if (!sameText(checksum, said.checksum)) return undefined;
	return { sessionId: said.sessionId, journal, view: parsed(body), checksum };
}

/** Whether a view belongs to the current journal of a session, and is not newer than it. */
export function belongsToJournal(held: JournalPosition, now: JournalPosition): boolean {
	return held.generation === now.generation && held.records <= now.records;
}
