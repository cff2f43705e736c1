/** Reading files for a session: within what its window still holds, and not what the history shows already. */

import { summarizedNotice, summaryBudget, summaryShare } from '../../core/files/fileSummary.ts';
import { pathOfUri, uriOfPath } from '../../core/files/folder.ts';
import { resolvePath } from '../../core/files/touches/path.ts';
import type { JournalRecord } from '../../core/history/record.ts';
import { present } from '../../core/shape.ts';
import type { Asked } from '../../protocol/declaration.ts';
import type { DidReadFileParams, ReadFileParams, ReadFileResult } from '../../protocol/files.ts';
import { commit } from '../commit.ts';
import { type Session, writable } from '../session.ts';
import { fileSummarizer } from './fileSummary.ts';
import type { ReadForWindow, WindowRead } from './reader.ts';
import { type FileRequest, fileRoomOf } from './room.ts';
import { type FileService, type VisibleRead, visibleRead } from './visibleRead.ts';

/**
 * Reads a file as far as the window has room for it, or says which message shows those lines already.
 * Rejects with `OutsideWorkspace`, `FileUnreadable`, or `InvalidParams` for lines that are no range.
 */
export async function readFile(
	fileService: FileService,
	session: Session,
	params: Asked<ReadFileParams>,
	{ client, signal }: FileRequest,
): Promise<ReadFileResult> {
	const path = pathOf(session, params.uri);
	const { allowance, measure } = await fileRoomOf(session, client);
	const at = session.world.now();
	const wanted = {
		uri: path,
		startLine: params.startLine,
		endLine: params.endLine,
		workspaceFolders: fileService.folders(session),
		allowance,
		measure,
		signal,
	};
	const reading = await fileService.reader.read(wanted);
	fileService.tracker.track(session, path, uriOf(params.uri, path));
	const prior = await visibleRead(fileService, session, reading, { ...params, path });
	signal.throwIfAborted();
	if (prior) return unchanged(reading, prior);
	const summary =
		isCutWhole(reading, params) && (await summarized(fileService, session, { ...wanted, client }, reading));
	if (summary) return summary;
	if (reading.status !== 'excluded' && session.journal) {
		await commit(session, recordOf({ ...reading, path, at }, params));
		fileService.tracker.check(session, path, at);
	}
	const { status, content, tokens, totalLines, notice, contentHash } = reading;
	return { status, content, tokens, totalLines, ...(notice !== undefined && { notice }), contentHash };
}

/** Whether a file was asked for as a whole, and did not fit. */
function isCutWhole({ status }: ReadForWindow, { startLine, endLine }: Asked<ReadFileParams>): boolean {
	return status === 'truncated' && startLine === undefined && endLine === undefined;
}

/** What a model makes of a file that did not fit; undefined where nobody is asked, or nobody answers well. */
async function summarized(
	{ reader }: FileService,
	session: Session,
	{ client, ...wanted }: WindowRead & FileRequest,
	{ totalLines, contentHash }: ReadForWindow,
): Promise<ReadFileResult | undefined> {
	const { measure, signal, uri: path } = wanted;
	const summarize = fileSummarizer({ world: session.world, client, measure, sessionId: session.id });
	const most = summaryShare(summaryBudget(wanted.allowance), 1);
	if (!summarize || most === undefined) return undefined;
	const everything = { budgetTokens: Number.MAX_SAFE_INTEGER, remainingTokens: Number.MAX_SAFE_INTEGER };
	const whole = await reader.read({ ...wanted, allowance: everything });
	if (whole.status !== 'full' || whole.contentHash !== contentHash) return undefined;
	const summary = await summarize({ path, text: whole.content, most }, signal);
	if (!summary) return undefined;
	const { text: content, tokens, by } = summary;
	const notice = summarizedNotice(path, totalLines, by);
	return { status: 'summarized', content, tokens, totalLines, notice, contentHash, by };
}

function unchanged(reading: ReadForWindow, { messageId, from, to }: VisibleRead): ReadFileResult {
	const lines = `Lines ${from}-${Math.min(to, reading.totalLines)} of ${reading.totalLines}`;
	const { totalLines, contentHash } = reading;
	const notice = `[${reading.path} is unchanged: message ${messageId} shows it. ${lines}]`;
	return {
		status: 'unchanged',
		content: '',
		tokens: 0,
		totalLines,
		notice,
		contentHash,
		priorMessageId: messageId,
	};
}

function recordOf(
	reading: ReadForWindow & { at: number },
	{ toolCallId = '', endLine }: Asked<ReadFileParams>,
): Extract<JournalRecord, { t: 'read' }> {
	const { path, at, firstLine, lastLine, lastWholeLine, contentHash, status, content } = reading;
	const toEnd = status === 'full' && endLine === undefined;
	// Of a line that came in part nothing can be said to be known already.
	const isKnown = lastWholeLine >= firstLine || status === 'full';
	return {
		t: 'read',
		touch: {
			kind: 'read',
			path,
			callId: toolCallId,
			...(firstLine > 1 && { from: firstLine }),
			...(!toEnd && { to: isKnown ? lastWholeLine : lastLine }),
		},
		...(isKnown && { contentHash }),
		chars: content.length,
		at,
	};
}

/** Takes note of a read that the agent did itself. Rejects with `OutsideWorkspace`. */
export async function didReadFile(
	fileService: FileService,
	session: Session,
	params: Asked<DidReadFileParams>,
): Promise<void> {
	writable(session);
	const { uri, startLine, endLine, contentHash, messageId } = params;
	const path = pathOf(session, uri);
	const { world } = session;
	const at = world.now();
	await fileService.reader.locate(path, fileService.folders(session));
	fileService.tracker.track(session, path, uriOf(uri, path));
	const shownBy = messageId ?? newestShowing(session, path);
	await commit(session, {
		t: 'read',
		touch: {
			kind: 'read',
			path,
			callId: '',
			...present({ from: startLine, to: endLine }),
		},
		...present({ contentHash, messageId: shownBy }),
		at,
	});
	// When it was read nobody knows; what was read, its hash tells.
	fileService.tracker.check(session, path, contentHash === undefined ? at : 0);
}

/** A read may be announced after its message: one of the last turn that shows the file is taken for it. */
function newestShowing(session: Session, path: string): string | undefined {
	const { rows } = session.state;
	for (let index = rows.length - 1; index >= 0; index--) {
		const row = rows[index];
		if (row?.shows?.some((show) => show.path === path)) return row.id;
		if (row?.role !== 'tool') return undefined;
	}
	return undefined;
}

/** The absolute path that a URI or path names; a relative one is taken from the session's folder. */
function pathOf(session: Session, uri: string): string {
	return resolvePath(pathOfUri(session.state.info.workspace), pathOfUri(uri) ?? uri);
}

function uriOf(given: string, path: string): string {
	return given.startsWith('file:') ? given : uriOfPath(path);
}
