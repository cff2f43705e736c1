/** Finds a visible message that already shows the lines that a client wants to read. */

import { type KnownRead, showsContent, showsLines, showsRange } from '../../core/files/knownFile.ts';
import { getMessageText } from '../../core/history/text.ts';
import { findUnit } from '../../core/history/unitLookup.ts';
import type { OwnParams } from '../../protocol/declaration.ts';
import type { ReadFileParams } from '../../protocol/files.ts';
import { readRowMessages } from '../bodies.ts';
import type { Session } from '../session.ts';
import type { FileRead, FileReader } from './reader.ts';
import type { FileTracker } from './tracker.ts';

/** Reads and tracks files for sessions, within their folders. */
export interface FileService {
	reader: FileReader;
	tracker: FileTracker;
	/** The folders that a session may read in, as paths. */
	listFolders(session: Session): readonly string[];
}

/** Maximum messages that are compared with the file, newest first. */
const maxCheckedMessages = 4;

export interface VisibleRead {
	messageId: string;
	/** First line that the message shows, from 1. */
	from: number;
	/** Last line that the message shows; infinite if it shows the file to its end. */
	to: number;
}

/**
 * Returns the newest message that shows all wanted lines with the file's present content.
 *
 * Undefined if no message certainly shows them, or if the agent edited the file after the message.
 */
export async function findVisibleRead(
	fileService: FileService,
	session: Session,
	fileRead: FileRead,
	params: OwnParams<ReadFileParams> & { path: string },
): Promise<VisibleRead | undefined> {
	const file = await fileService.tracker.findFile(session, params.path, fileRead.path);
	if (!file) return undefined;
	const lines = resolveLines(fileRead, params);
	const newestReads = file.reads
		.filter((read) => (read.seq ?? -1) > (file.edit?.seq ?? -1) && showsRange(read, lines.from, lines.to))
		.sort((a, b) => (b.seq ?? 0) - (a.seq ?? 0));
	for (const read of newestReads.slice(0, maxCheckedMessages)) {
		const messageId = await findVisibleId(session, read, { ...fileRead, reachesEnd: lines.reachesEnd });
		if (messageId !== undefined) return { messageId, from: read.from ?? 1, to: read.to ?? Infinity };
	}
	return undefined;
}

/** Returns the lines that a read would return now; the requested lines if the window has no budget for any. */
function resolveLines(fileRead: FileRead, { startLine = 1, endLine = Infinity }: OwnParams<ReadFileParams>) {
	const last = fileRead.status === 'excluded' ? Math.min(endLine, fileRead.totalLines) : fileRead.lastLine;
	return { from: startLine, to: last, reachesEnd: last >= fileRead.totalLines };
}

async function findVisibleId(
	session: Session,
	read: KnownRead,
	currentRead: FileRead & { reachesEnd: boolean },
): Promise<string | undefined> {
	const unit = read.seq === undefined ? undefined : findUnit(session.state, read.seq);
	if (unit?.layer !== 0) return undefined;
	const { row } = unit;
	const isSame = read.contentHash === currentRead.contentHash;
	if (read.contentHash !== undefined && !isSame) return undefined;
	// The client named the message that shows the read. A message shorter than the lines cannot show all of them.
	if (isSame && read.isNamed) return row.chars >= currentRead.content.length ? row.id : undefined;
	if (currentRead.status === 'excluded') return undefined;
	const [resolvedMessage] = await readRowMessages(session, [row]);
	const text = resolvedMessage?.source ? getMessageText(resolvedMessage.message) : '';
	const isShownWhole = isSame
		? showsContent(text, currentRead.content)
		: showsLines(text, read.from ?? 1, currentRead);
	return isShownWhole ? row.id : undefined;
}
