/** Finds a message of the visible history that shows what is about to be read again. */

import { type KnownRead, showsRange } from '../../core/files/knownFile.ts';
import { holdsContent, showsLines } from '../../core/files/showsLines.ts';
import { findUnit } from '../../core/history/seen.ts';
import { textOf } from '../../core/history/text.ts';
import type { Asked } from '../../protocol/declaration.ts';
import type { ReadFileParams } from '../../protocol/files.ts';
import { messagesOf } from '../bodies.ts';
import type { Session } from '../session.ts';
import type { FileReader, ReadForWindow } from './reader.ts';
import type { FileTracker } from './tracker.ts';

/** What reading for sessions needs. */
export interface FileService {
	reader: FileReader;
	tracker: FileTracker;
	/** The folders that a session may read in, as paths. */
	folders(session: Session): readonly string[];
}

/** Messages that are looked at, newest first, before the file is given once more. */
const mostLooks = 4;

export interface VisibleRead {
	messageId: string;
	/** The first of the lines that it shows. */
	from: number;
	/** The last of them; infinite where it shows the file to its end. */
	to: number;
}

/**
 * The newest message that shows the wanted lines of the file as it is now: whole, and with no edit by the agent
 * since. What cannot be told for sure is none.
 */
export async function visibleRead(
	fileService: FileService,
	session: Session,
	reading: ReadForWindow,
	params: Asked<ReadFileParams> & { path: string },
): Promise<VisibleRead | undefined> {
	const file = await fileService.tracker.fileAt(session, params.path, reading.path);
	if (!file) return undefined;
	const wanted = wantedLines(reading, params);
	const newest = file.reads
		.filter((read) => (read.seq ?? -1) > (file.edit?.seq ?? -1) && showsRange(read, wanted.from, wanted.to))
		.sort((a, b) => (b.seq ?? 0) - (a.seq ?? 0));
	for (const read of newest.slice(0, mostLooks)) {
		const messageId = await messageShowing(session, read, { ...reading, toEnd: wanted.toEnd });
		if (messageId !== undefined) return { messageId, from: read.from ?? 1, to: read.to ?? Infinity };
	}
	return undefined;
}

/** The lines that would be given now; where there is no room for any, those that were asked for. */
function wantedLines(reading: ReadForWindow, { startLine = 1, endLine = Infinity }: Asked<ReadFileParams>) {
	const last = reading.status === 'excluded' ? Math.min(endLine, reading.totalLines) : reading.lastLine;
	return { from: startLine, to: last, toEnd: last >= reading.totalLines };
}

async function messageShowing(
	session: Session,
	read: KnownRead,
	now: ReadForWindow & { toEnd: boolean },
): Promise<string | undefined> {
	const unit = read.seq === undefined ? undefined : findUnit(session.state, read.seq);
	if (unit?.layer !== 0) return undefined;
	const { row } = unit;
	const isSame = read.contentHash === now.contentHash;
	if (read.contentHash !== undefined && !isSame) return undefined;
	// Whoever named the message says that it shows the read; one that is shorter than the lines cannot.
	if (isSame && read.named) return row.chars >= now.content.length ? row.id : undefined;
	if (now.status === 'excluded') return undefined;
	const [found] = await messagesOf(session, [row]);
	const text = found?.source ? textOf(found.message) : '';
	const holds = isSame ? holdsContent(text, now.content) : showsLines(text, read.from ?? 1, now);
	return holds ? row.id : undefined;
}
