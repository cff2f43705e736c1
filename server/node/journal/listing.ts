/** Which journals a state folder holds. */

import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorText, ifThere } from '../../core/failure.ts';
import type { JournalEntry, Logger } from '../../session/ports.ts';
import { onStorage } from './failure.ts';
import { fileNameOf, journalSuffix } from './fileName.ts';
import { type OpenFile, openForReading, sessionsFolder } from './folder.ts';
import { isDamagedHead, readFormatLine } from './journalFile.ts';

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
	const names = await journalNames(folder);
	const entries: JournalEntry[] = [];
	for (let start = 0; start < names.length; start += batchSize) {
		const batch = names.slice(start, start + batchSize);
		const found = await Promise.all(batch.map((name) => entryAt(join(folder, name), openFile, logger)));
		entries.push(...found.filter((entry) => entry !== undefined));
	}
	return entries;
}

async function journalNames(folder: string): Promise<string[]> {
	const found = await onStorage('list', folder, () => ifThere(readdir(folder, { withFileTypes: true })));
	return (found ?? [])
		.filter((each) => each.isFile() && each.name.endsWith(journalSuffix))
		.map((each) => each.name);
}

async function entryAt(path: string, openFile: OpenFile, logger: Logger): Promise<JournalEntry | undefined> {
	try {
		const handle = await openForReading(openFile, path);
		if (handle === undefined) return undefined;
		try {
			const line = await readFormatLine(handle);
			const { size, mtimeMs } = await handle.stat();
			const name = basename(path, journalSuffix);
			if (line.kind === 'journal' && fileNameOf(line.sessionId) === name)
				return { sessionId: line.sessionId, size, modifiedAt: mtimeMs };
			// A readable name is the identifier itself.
			const isNamed = fileNameOf(name) === name;
			if (isNamed && (await isDamagedHead({ handle, path, sessionId: name }, line)))
				return { sessionId: name, size, modifiedAt: mtimeMs };
			if (line.kind !== 'foreign') logger.warn(`${path} is skipped: ${reasonOf(line.kind)}`);
			return undefined;
		} finally {
			await handle.close();
		}
	} catch (error) {
		// One file that cannot be read must not hide the others.
		logger.warn(`${path} is skipped: ${errorText(error)}`);
		return undefined;
	}
}

function reasonOf(kind: 'journal' | 'newer' | 'damaged'): string {
	if (kind === 'newer') return 'a newer contextd wrote it';
	return kind === 'damaged' ? 'its first line is damaged' : 'its name is not that of its session';
}
