/** The file in which the daemon keeps what a plugin shows of a session (`session/holdView`). */

import { isFields, parsedJson } from '../server/core/shape.ts';
import type { JournalPosition } from '../server/protocol/session.ts';
import { hexOf, type Sha256, sameText } from './hmac.ts';

/** What such a file holds. */
export interface HeldFile {
	sessionId: string;
	/** The end of the session's journal when it was written. */
	journal: JournalPosition;
	/** As it was handed to the daemon. */
	view: unknown;
	/** SHA-256 of the view's line, in hexadecimal digits. */
	checksum: string;
}

function parsed(text: string): unknown {
	return parsedJson(text)?.value;
}

function positionOf(value: unknown): JournalPosition | undefined {
	if (!isFields(value)) return undefined;
	const { generation, records } = value;
	return typeof generation === 'number' && typeof records === 'number' ? { generation, records } : undefined;
}

/** Reads the text of such a file; undefined where it is damaged, of another version, or none. */
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

/** Whether a view is of a session as its journal stands now: of the same one, and not newer than it. */
export function isOfJournal(held: JournalPosition, now: JournalPosition): boolean {
	return held.generation === now.generation && held.records <= now.records;
}
