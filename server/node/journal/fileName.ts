/** Converts a session id, which a client may choose freely, to a file name within its folder. */

import { createHash } from 'node:crypto';
import { Failure } from '../../core/failure.ts';

/** UTF-16 units. */
const maximumIdLength = 512;
const maximumReadableLength = 100;
const slugLength = 40;

/** Only lower case, so that names never collide on a file system that ignores case. */
const readableName = /^[a-z0-9_-][a-z0-9._-]*$/;
/** Names that Windows reserves for devices, whatever extension follows. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;

/** The end of a journal's file name. */
export const journalSuffix = '.jsonl';

/**
 * The name, without suffix, of the files of a session.
 *
 * A plain lower-case id is its own name. Any other id becomes its readable characters, `~` and its SHA-256, so that no two
 * ids share a name.
 *
 * @throws Failure `InvalidParams` if the id is empty or longer than 512 UTF-16 units
 */
export function encodeFileName(sessionId: string): string {
	if (sessionId.length === 0 || sessionId.length > maximumIdLength) {
		const problem = `sessionId: expected 1 to ${maximumIdLength} characters, got ${sessionId.length}`;
		throw new Failure('InvalidParams', problem);
	}
	if (isReadable(sessionId)) return sessionId;
	// Hashes UTF-16, since UTF-8 would make all lone surrogates equal.
	const digest = createHash('sha256').update(Buffer.from(sessionId, 'utf16le')).digest('hex');
	return `${slugOf(sessionId)}~${digest}`;
}

function isReadable(sessionId: string): boolean {
	return (
		sessionId.length <= maximumReadableLength &&
		readableName.test(sessionId) &&
		!sessionId.endsWith('.') &&
		!deviceName.test(sessionId)
	);
}

function slugOf(sessionId: string): string {
	const plain = sessionId
		.slice(0, slugLength)
		.toLowerCase()
		.replace(/[^a-z0-9_-]/g, '-');
	return deviceName.test(plain) ? `-${plain}` : plain;
}
