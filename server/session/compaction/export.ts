/** `context/export`: the text of a file with the history as a compaction would leave it. */

import { toSlashedPath } from '../../core/files/folder.ts';
import { historyFile, isAgentSession, wireFormatOf } from '../../core/transcript/write/file.ts';
import type { Asked } from '../../protocol/declaration.ts';
import type { ExportParams, ExportResult } from '../../protocol/transcript.ts';
import { renderHistory } from '../history.ts';
import type { Session } from '../session.ts';
import { previewCompaction } from './preview.ts';
import type { WorkContext } from './request.ts';

/** Tells a reader of the exported file what `#N` refers to; that reader may not know this daemon. */
function recallHintOf({ state }: Session): string {
	const { transcript } = state.info;
	const where = transcript === undefined ? '' : `; the full transcript is ${transcript}`;
	return `#N is message N of this conversation before the export${where}.`;
}

/** Exports a history, compacted if that makes it smaller. The session, even a followed one, is unchanged. */
export async function exportHistory(
	session: Session,
	{ format, targetTokens, cwd }: Asked<ExportParams>,
	work: WorkContext,
): Promise<ExportResult> {
	const { world } = session;
	const recallHint = recallHintOf(session);
	const { result, after } = await previewCompaction(session, { targetTokens, recallHint }, work);
	const history = await renderHistory(after, wireFormatOf(format));
	const { provider, model } = after.state.info;
	const sessionId = world.newId();
	const text = historyFile(format, history, {
		sessionId,
		cwd: cwd ?? toSlashedPath(session.state.info.workspace) ?? '/',
		provider,
		model,
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
