/** Reads files for a session: within the window's budget, and without repeating what the history shows. */

import {
	computeSummariesBudget,
	computeSummaryTokens,
	createSummarizedNotice,
} from '../../core/files/fileSummary.ts';
import { pathToUri, toSlashedPath } from '../../core/files/folder.ts';
import { resolvePath } from '../../core/files/touches/path.ts';
import type { JournalRecord } from '../../core/history/record.ts';
import { pickDefined } from '../../core/shape.ts';
import type { OwnParams } from '../../protocol/declaration.ts';
import type { DidReadFileParams, ReadFileParams, ReadFileResult } from '../../protocol/files.ts';
import { commit } from '../commit.ts';
import { requireWritableJournal, type Session } from '../session.ts';
import { computeFileBudget, type FileCallContext } from './budget.ts';
import { createFileSummarizer } from './fileSummary.ts';
import type { FileRead, FileReadRequest } from './reader.ts';
import { type FileService, findVisibleRead, type VisibleRead } from './visibleRead.ts';

/**
 * Reads as much of a file as the window's budget allows, or names the visible message that already has the lines.
 *
 * Rejects with `OutsideWorkspace`, `FileUnreadable`, or `InvalidParams` for an invalid range of lines.
 */
export async function readFileForSession(
	fileService: FileService,
	session: Session,
	params: OwnParams<ReadFileParams>,
	{ client, signal }: FileCallContext,
): Promise<ReadFileResult> {
	const path = resolveFilePath(session, params.uri);
	const { allowance, measure } = await computeFileBudget(session, client);
	const at = session.services.now();
	const request = {
		uri: path,
		startLine: params.startLine,
		endLine: params.endLine,
		workspaceFolders: fileService.listFolders(session),
		allowance,
		measure,
		signal,
	};
	const fileRead = await fileService.reader.read(request);
	fileService.tracker.track(session, path, toFileUri(params.uri, path));
	const prior = await findVisibleRead(fileService, session, fileRead, { ...params, path });
	signal.throwIfAborted();
	if (prior) return createUnchangedRead(fileRead, prior);
	const summary =
		isWholeTruncated(fileRead, params) &&
		(await summarizeWholeFile(fileService, session, { ...request, client }, fileRead));
	if (summary) return summary;
	if (fileRead.status !== 'excluded' && session.journal) {
		await commit(session, createReadRecord({ ...fileRead, path, at }, params));
		fileService.tracker.check(session, path, at);
	}
	const { status, content, tokens, totalLines, notice, contentHash } = fileRead;
	return { status, content, tokens, totalLines, ...(notice !== undefined && { notice }), contentHash };
}

/** Whether a whole file was requested, but only its beginning fits into the budget. */
function isWholeTruncated({ status }: FileRead, { startLine, endLine }: OwnParams<ReadFileParams>): boolean {
	return status === 'truncated' && startLine === undefined && endLine === undefined;
}

/** Asks models to summarize a file that did not fit; undefined if no model is asked or no answer is usable. */
async function summarizeWholeFile(
	{ reader }: FileService,
	session: Session,
	{ client, ...request }: FileReadRequest & FileCallContext,
	{ totalLines, contentHash }: FileRead,
): Promise<ReadFileResult | undefined> {
	const { measure, signal, uri: path } = request;
	const summarize = createFileSummarizer({
		services: session.services,
		client,
		measure,
		sessionId: session.id,
	});
	const maxTokens = computeSummaryTokens(computeSummariesBudget(request.allowance), 1);
	if (!summarize || maxTokens === undefined) return undefined;
	const unlimitedAllowance = {
		budgetTokens: Number.MAX_SAFE_INTEGER,
		remainingTokens: Number.MAX_SAFE_INTEGER,
	};
	const fullRead = await reader.read({ ...request, allowance: unlimitedAllowance });
	if (fullRead.status !== 'full' || fullRead.contentHash !== contentHash) return undefined;
	const summary = await summarize({ path, text: fullRead.content, maxTokens }, signal);
	if (!summary) return undefined;
	const { text: content, tokens, by } = summary;
	const notice = createSummarizedNotice(path, totalLines, by);
	return { status: 'summarized', content, tokens, totalLines, notice, contentHash, by };
}

function createUnchangedRead(fileRead: FileRead, { messageId, from, to }: VisibleRead): ReadFileResult {
	const lines = `Lines ${from}-${Math.min(to, fileRead.totalLines)} of ${fileRead.totalLines}`;
	const { totalLines, contentHash } = fileRead;
	const notice = `[${fileRead.path} is unchanged: message ${messageId} shows it. ${lines}]`;
	const unchanged = { status: 'unchanged', content: '', tokens: 0 } as const;
	return { ...unchanged, totalLines, notice, contentHash, priorMessageId: messageId };
}

function createReadRecord(
	fileRead: FileRead & { at: number },
	{ toolCallId = '', endLine }: OwnParams<ReadFileParams>,
): Extract<JournalRecord, { t: 'read' }> {
	const { path, at, firstLine, lastLine, lastWholeLine, contentHash, status, content } = fileRead;
	const isToEnd = status === 'full' && endLine === undefined;
	// A line that was only partly shown does not count as read.
	const isKnown = lastWholeLine >= firstLine || status === 'full';
	return {
		t: 'read',
		touch: {
			kind: 'read',
			path,
			callId: toolCallId,
			...(firstLine > 1 && { from: firstLine }),
			...(!isToEnd && { to: isKnown ? lastWholeLine : lastLine }),
		},
		...(isKnown && { contentHash }),
		chars: content.length,
		at,
	};
}

/** Records that the agent itself read a file. Rejects with `OutsideWorkspace`. */
export async function recordAgentRead(
	fileService: FileService,
	session: Session,
	params: OwnParams<DidReadFileParams>,
): Promise<void> {
	requireWritableJournal(session);
	const { uri, startLine, endLine, contentHash, messageId } = params;
	const path = resolveFilePath(session, uri);
	const { services } = session;
	const at = services.now();
	await fileService.reader.locate(path, fileService.listFolders(session));
	fileService.tracker.track(session, path, toFileUri(uri, path));
	const shownBy = messageId ?? findNewestResultId(session, path);
	await commit(session, {
		t: 'read',
		touch: {
			kind: 'read',
			path,
			callId: '',
			...pickDefined({ from: startLine, to: endLine }),
		},
		...pickDefined({ contentHash, messageId: shownBy }),
		at,
	});
	// The time of the read is unknown. Without a hash, only changes from now on can be detected.
	fileService.tracker.check(session, path, contentHash === undefined ? at : 0);
}

/** Returns the newest result that shows the file, if only other results follow it: a client may announce a read late. */
function findNewestResultId(session: Session, path: string): string | undefined {
	const { rows } = session.state;
	for (let index = rows.length - 1; index >= 0; index--) {
		const row = rows[index];
		if (row?.shows?.some((show) => show.path === path)) return row.id;
		if (row?.role !== 'tool') return undefined;
	}
	return undefined;
}

/** Returns the absolute path of a URI or path; a relative path is resolved in the session's folder. */
function resolveFilePath(session: Session, uri: string): string {
	return resolvePath(toSlashedPath(session.state.info.workspace), toSlashedPath(uri) ?? uri);
}

function toFileUri(uri: string, path: string): string {
	return uri.startsWith('file:') ? uri : pathToUri(path);
}
