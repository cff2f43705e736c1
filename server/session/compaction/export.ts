/** `context/export`: a history as a compaction would leave it, as the text of a file. */

import { pathOfUri } from '../../core/files/folder.ts';
import { historyFile, isAgentSession, wireFormatOf } from '../../core/transcript/write/file.ts';
import type { Asked } from '../../protocol/declaration.ts';
import type { ExportParams, ExportResult } from '../../protocol/transcript.ts';
import { renderHistory } from '../history.ts';
import type { Session } from '../session.ts';
import { previewCompaction } from './preview.ts';
import type { WorkContext } from './request.ts';

/** Whoever goes on from the file knows nothing of this daemon, but may read the transcript that it was made of. */
function recallHintOf({ state }: Session): string {
	const { transcript } = state.info;
	const where = transcript === undefined ? '' : `; all of it stands in ${transcript}`;
	return `#N is message N of this conversation as it was before${where}.`;
}

/** Writes a history down, compacted where that makes it smaller. The session stays as it is, and may be followed. */
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
		cwd: cwd ?? pathOfUri(session.state.info.workspace) ?? '/',
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
