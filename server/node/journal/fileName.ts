/** Converts a session id, which a client may choose freely, to a file name within its folder. */

import { createHash } from 'node:crypto';
import { Failure } from '../../core/failure.ts';

/** Maximum length of a session id, in UTF-16 units. */
const maxIdUnits = 512;
/** Maximum length in UTF-16 units of an id that is used unhashed. */
const maxPlainUnits = 100;
/** Characters of a hashed id that remain readable in the file name. */
const slugUnits = 40;

/** Matches ids that can be file names. Lower case only, so that names never collide if a file system ignores case. */
const plainIdPattern = /^[a-z0-9_-][a-z0-9._-]*$/;
/** Matches names that Windows reserves for devices, whatever extension follows. */
const deviceNamePattern = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;

/** Suffix of a journal's file name. */
export const journalSuffix = '.jsonl';

/**
 * Returns the name of a session's files, without suffix.
 *
 * A plain lower-case id is used as it is. For any other id, the name has the id's readable characters, `~` and the id's SHA-256,
 * so that no two ids share a name.
 *
 * @throws Failure `InvalidParams` if the id is empty or longer than 512 UTF-16 units
 */
export function encodeFileName(sessionId: string): string {
	if (sessionId.length === 0 || sessionId.length > maxIdUnits) {
		const problem = `sessionId: expected 1 to ${maxIdUnits} characters, got ${sessionId.length}`;
		throw new Failure('InvalidParams', problem);
	}
	if (canBeFileName(sessionId)) return sessionId;
	// UTF-16, because in UTF-8 all lone surrogates would become equal.
	const digest = createHash('sha256').update(Buffer.from(sessionId, 'utf16le')).digest('hex');
	return `${createSlug(sessionId)}~${digest}`;
}

function canBeFileName(sessionId: string): boolean {
	return (
		sessionId.length <= maxPlainUnits &&
		plainIdPattern.test(sessionId) &&
		!sessionId.endsWith('.') &&
		!deviceNamePattern.test(sessionId)
	);
}

function createSlug(sessionId: string): string {
	const slug = sessionId
		.slice(0, slugUnits)
		.toLowerCase()
		.replace(/[^a-z0-9_-]/g, '-');
	return deviceNamePattern.test(slug) ? `-${slug}` : slug;
}
