/** Stored views on disk, one file per session. */

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../../server/core/failure.ts';
import type { ViewStore } from '../ports.ts';

function computeSha256(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}

/** Returns the text after the checksum line; undefined if the checksum is wrong. */
function verifyChecksum(content: string): string | undefined {
	const end = content.indexOf('\n');
	const text = content.slice(end + 1);
	return end > 0 && content.slice(0, end) === computeSha256(text) ? text : undefined;
}

/**
 * Creates a store in a folder that only its owner can read (files 0600, folder 0700). Files begin with a checksum and are
 * replaced atomically; a damaged file is treated as missing.
 */
export function createViewFiles(folder: string): ViewStore {
	const getPath = (sessionId: string) => join(folder, `${computeSha256(sessionId).slice(0, 32)}.json`);
	return {
		async load(sessionId) {
			const text = await ifExists(readFile(getPath(sessionId), 'utf8'));
			return text === undefined ? undefined : verifyChecksum(text);
		},
		async save(sessionId, text) {
			const path = getPath(sessionId);
			const draft = `${path}.${randomBytes(6).toString('hex')}`;
			await mkdir(folder, { recursive: true, mode: 0o700 });
			try {
				const file = await open(draft, 'wx', 0o600);
				try {
					await file.writeFile(`${computeSha256(text)}\n${text}`);
				} finally {
					await file.close();
				}
				await rename(draft, path);
			} catch (error) {
				await rm(draft, { force: true });
				throw error;
			}
		},
	};
}
