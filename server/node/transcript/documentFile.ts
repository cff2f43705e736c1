import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { errorCode } from '../../core/failure.ts';
import { tryParseJson } from '../../core/shape.ts';
import { isTimeSettled, readWholeFile, toUnreadableFailure } from './openFile.ts';
import type { RecordSource } from './source.ts';

/** Maximum bytes of a JSON document that is read as a whole. */
export const maxDocumentBytes = 256 << 20;

/**
 * Creates a source that reads a JSON document as one record, and again after each change. While the document is incomplete or
 * missing, the source returns nothing new.
 */
export function createDocumentSource(path: string): RecordSource {
	let seenStamp = '';
	let isTrusted = false;
	let digest = '';
	return {
		listWatchedPaths: () => [path],
		close: async () => undefined,
		async next() {
			try {
				const { dev, ino, size, mtimeMs } = await stat(path);
				const now = `${dev}:${ino}:${size}:${mtimeMs}`;
				if ((now === seenStamp && isTrusted) || size > maxDocumentBytes) return undefined;
				const isSettled = isTimeSettled(mtimeMs);
				const bytes = await readWholeFile(path, maxDocumentBytes);
				const newDigest = createHash('sha1').update(bytes).digest('base64');
				if (now === seenStamp) isTrusted = isSettled;
				if (now === seenStamp && newDigest === digest) return undefined;
				const document = tryParseDocument(bytes.toString('utf8'));
				if (document === undefined) return undefined;
				seenStamp = now;
				isTrusted = isSettled;
				digest = newDigest;
				return { records: [document.value], badLineCount: 0, isRestart: false, bytes: bytes.length };
			} catch (error) {
				if (seenStamp !== '' && errorCode(error) === 'ENOENT') return undefined;
				throw toUnreadableFailure(path, error);
			}
		},
	};
}

/** Parses a JSON text that may begin with a byte order mark; undefined if it is not JSON. */
export function tryParseDocument(text: string): { value: unknown } | undefined {
	return tryParseJson(text.replace(/^\uFEFF/, ''));
}
