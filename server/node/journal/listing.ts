/** Which journals a state folder holds. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, ifThere } from '../../core/failure.ts';
import type { JournalEntry, Logger } from '../../session/ports.ts';
import { type OpenFile, onStorage } from '../disk/durableFile.ts';
import { journalSuffix } from './fileName.ts';
import { openForReading, sessionsFolder } from './folder.ts';
import { checkedFile } from './journalFile.ts';

/** Files open at once. */
const batchSize = 32;

/**
 * The journals of a state folder, by what their first lines say. Anything else in the folder is skipped, including
 * copies of journals under other names.
 */
export async function listJournals(
	directory: string,
	openFile: OpenFile,
	logger: Logger,
): Promise<JournalEntry[]> {
	const folder = sessionsFolder(directory);
	const found = await onStorage('list', folder, () => ifThere(readdir(folder, { withFileTypes: true })));
	const files = (found ?? []).filter((each) => each.isFile() && each.name.endsWith(journalSuffix));
	const entries: JournalEntry[] = [];
	for (let start = 0; start < files.length; start += batchSize) {
		const batch = files.slice(start, start + batchSize).map(({ name }) => join(folder, name));
		const read = await Promise.all(batch.map((path) => entryAt(path, openFile, logger)));
		entries.push(...read.filter((entry) => entry !== undefined));
	}
	return entries;
}

async function entryAt(path: string, openFile: OpenFile, logger: Logger): Promise<JournalEntry | undefined> {
	try {
		const handle = await openForReading(openFile, path);
		if (handle === undefined) return undefined;
		const { sessionId, size, modifiedAt } = await checkedFile(handle, path);
		await handle.close();
		return { sessionId, size, modifiedAt };
	} catch (error) {
		// One file that cannot be read must not hide the others.
		logger.debug(`${path} is not listed: ${errorText(error)}`);
		return undefined;
	}
}
