/** From a session's identifier, which a client may choose freely, to a file name that stays in its folder. */

import { createHash } from 'node:crypto';
import { Failure } from '../../core/failure.ts';

/** UTF-16 units. */
const maximumIdLength = 512;
const maximumReadableLength = 100;
const slugLength = 40;

/** Lower case alone, so that two names never meet on a file system that ignores case. */
const readableName = /^[a-z0-9_-][a-z0-9._-]*$/;
/** Names that Windows keeps for devices, whatever extension follows. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;

/** The end of a journal's file name. */
export const journalSuffix = '.jsonl';

/**
 * The name, without suffix, of the files of a session. Plain lower-case identifiers stand for themselves; any
 * other becomes its readable remains, `~` and its SHA-256, so that no two identifiers share a name.
 *
 * @throws Failure `InvalidParams` when the identifier is empty or longer than 512 UTF-16 units.
 */
export function fileNameOf(sessionId: string): string {
	if (sessionId.length === 0 || sessionId.length > maximumIdLength) {
		throw new Failure(
			'InvalidParams',
			`sessionId: expected 1 to ${maximumIdLength} characters, got ${sessionId.length}`,
		);
	}
	if (isReadable(sessionId)) return sessionId;
	// As UTF-16, for UTF-8 would make all lone surrogates one.
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
