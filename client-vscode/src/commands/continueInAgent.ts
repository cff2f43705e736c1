/** Continues a compacted copy of a followed session in its own agent. */

import { open, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { contextExport } from '../../../server/protocol/transcript.ts';
import { activeFolder } from '../session/folder.ts';
import { t } from '../text/language.ts';
import { savingText } from '../text/receiptText.ts';
import { canContinue } from '../usage/usage.ts';
import { projectIn, projectNameOf, siblingPath, startOf } from './exportFile.ts';
import { type Parts, shownSession } from './parts.ts';
import { offerStart } from './terminal.ts';

/** Milliseconds by which a new copy is dated before the running session, so that it is not the newest. */
const ageOffsetMs = 1000;

/** Writes a new file that is older than `other` until an agent continues with it. */
async function writeSibling(path: string, text: string, other: string): Promise<void> {
	const running = (await stat(other)).mtimeMs;
	const file = await open(path, 'wx', 0o600);
	try {
		await file.writeFile(text);
		await file.utimes(new Date(running - ageOffsetMs), new Date(running - ageOffsetMs));
	} finally {
		await file.close();
	}
}

/** Returns the folder whose project a transcript belongs to: the agent finds its sessions only there. */
function folderOf(transcript: string): vscode.WorkspaceFolder | undefined {
	const folders = vscode.workspace.workspaceFolders ?? [];
	return folders.find(({ uri }) => projectNameOf(uri.fsPath) === projectIn(transcript)) ?? activeFolder();
}

/**
 * Creates a compacted copy of a Claude Code session next to it, as a new session, and offers to continue it in a
 * terminal. The followed session does not change; no file is overwritten.
 */
export async function continueInAgent(parts: Parts): Promise<void> {
	const session = shownSession(parts);
	const { sessionId, followed } = session;
	if (!followed || !canContinue(session))
		throw new Error(t('Only sessions of Claude Code can be continued in Claude Code.'));
	const { text, agentSessionId, compaction } = await parts.runs.shown(sessionId, (ask) =>
		parts.daemon.request(contextExport, { sessionId, format: 'claude-code' }, ask),
	);
	if (agentSessionId === undefined || !compaction) {
		void vscode.window.showInformationMessage(t('The session has no messages yet.'));
		return;
	}
	const path = siblingPath(followed.path, `${agentSessionId}.jsonl`);
	await writeSibling(path, text, followed.path);
	const start = startOf({ format: 'claude-code', agentSessionId, path, original: followed.path });
	const what = compaction.compacted
		? t('Created a compacted copy of the session ({0} tokens of history).', savingText(compaction))
		: t('Created a copy of the session; there was nothing to compact.');
	await offerStart(what, start?.command, folderOf(followed.path)?.uri);
}
