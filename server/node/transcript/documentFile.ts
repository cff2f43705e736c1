import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { errorCode } from '../../core/failure.ts';
import { tryParseJson } from '../../core/shape.ts';
import { isTimeSettled, readWholeFile, unreadableTranscript } from './openFile.ts';
import type { RecordSource } from './source.ts';

/** Maximum bytes of a JSON document, which is read as a whole. */
export const maxDocumentBytes = 256 << 20;

/**
 * Reads a JSON document as one record, again after each change.
 * While it is incomplete or missing, there is nothing new.
 */
export function documentFile(path: string): RecordSource {
	let seen = '';
	let isTrusted = false;
	let digest = '';
	return {
		watched: () => [path],
		close: async () => undefined,
		async next() {
			try {
				const { dev, ino, size, mtimeMs } = await stat(path);
				const now = `${dev}:${ino}:${size}:${mtimeMs}`;
				if ((now === seen && isTrusted) || size > maxDocumentBytes) return undefined;
				const isLate = isTimeSettled(mtimeMs);
				const bytes = await readWholeFile(path, maxDocumentBytes);
				const held = createHash('sha1').update(bytes).digest('base64');
				if (now === seen) isTrusted = isLate;
				if (now === seen && held === digest) return undefined;
				const document = tryParseDocument(bytes.toString('utf8'));
				if (document === undefined) return undefined;
				seen = now;
				isTrusted = isLate;
				digest = held;
				return { records: [document.value], badLines: 0, startsOver: false, bytes: bytes.length };
			} catch (error) {
				if (seen !== '' && errorCode(error) === 'ENOENT') return undefined;
				throw unreadableTranscript(path, error);
			}
		},
	};
}

/** The value of a JSON text; undefined if it is not JSON. */
export function tryParseDocument(text: string): { value: unknown } | undefined {
	return tryParseJson(text.replace(/^\uFEFF/, ''));
}
