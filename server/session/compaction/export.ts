/** `context/export`: the text of a file with the history as a compaction would leave it. */

import { toSlashedPath } from '../../core/files/folder.ts';
import { historyFile, isAgentSession, wireFormatOf } from '../../core/transcript/write/file.ts';
import type { NewSession } from '../../core/transcript/write/session.ts';
import type { Asked } from '../../protocol/declaration.ts';
import type { ExportParams, ExportResult } from '../../protocol/transcript.ts';
import type { ClientContext } from '../clientContext.ts';
import { renderHistory } from '../history.ts';
import type { Session } from '../session.ts';
import { contextUsageOf } from '../stats.ts';
import { previewCompaction } from './preview.ts';
import type { WorkContext } from './request.ts';

/** Tells a reader of the exported file what `#N` refers to; that reader may not know this daemon. */
function recallHintOf({ state }: Session): string {
	const { transcript } = state.info;
	const where = transcript === undefined ? '' : `; the full transcript is ${transcript}`;
	return `#N is message N of this conversation before the export${where}.`;
}

/** The marks in titles of exported sessions; an export of an export is marked once. */
const titleMarks = /^\[(?:compacted|copy)\] /;

/** Title of an exported session, with a mark that distinguishes it from its original in lists. */
function copyTitle({ state }: Session, isCompacted: boolean): string {
	const { title, sessionId } = state.info;
	return `[${isCompacted ? 'compacted' : 'copy'}] ${(title || sessionId).replace(titleMarks, '')}`;
}

/** Facts about the original of an exported session; undefined if that is no transcript. */
async function originalOf(session: Session, client: ClientContext): Promise<NewSession['original']> {
	const { transcript } = session.state.info;
	if (transcript === undefined) return undefined;
	const { breakdown } = (await contextUsageOf(session, client)).reading;
	const { systemPrompt, toolDefinitions, other } = breakdown;
	return { path: transcript, overheadTokens: Math.round(systemPrompt + toolDefinitions + other) };
}

/** Exports a history, compacted if that makes it smaller. The session, even a followed one, is unchanged. */
export async function exportHistory(
	session: Session,
	{ format, targetTokens, free, cwd }: Asked<ExportParams>,
	work: WorkContext,
): Promise<ExportResult> {
	const { world } = session;
	const recallHint = recallHintOf(session);
	const { result, after } = await previewCompaction(session, { targetTokens, free, recallHint }, work);
	const history = await renderHistory(after, wireFormatOf(format));
	const { provider, model } = after.state.info;
	const sessionId = world.newId();
	const original = await originalOf(session, work.client);
	const text = historyFile(format, history, {
		sessionId,
		cwd: cwd ?? toSlashedPath(session.state.info.workspace) ?? '/',
		provider,
		model,
		title: copyTitle(session, result?.compacted === true),
		...(original && { original }),
		startedAt: world.now(),
		newId: world.newId,
	});
	return {
		text,
		messageCount: history.messages.length,
		...(isAgentSession(format) && { agentSessionId: sessionId }),
		compaction: result,
		...(history.warnings.length > 0 && { warnings: history.warnings }),
	};
}
