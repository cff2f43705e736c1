/** Creates a compacted copy of a followed session, and continues the copy in the session's own agent. */

import { open, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { FreeSelection } from '../../../server/protocol/sources.ts';
import type { Transcript } from '../../../server/protocol/transcript.ts';
import { findActiveFolder } from '../session/folder.ts';
import { shortenPath } from '../session/sessionChoices.ts';
import { t } from '../text/language.ts';
import { canContinue, type FollowedTranscript, getMeasurement } from '../usage/usage.ts';
import { type EditorServices, requireShownSession } from './editorServices.ts';
import {
	describeAgentStart,
	describeExistingCopy,
	describeNewCopy,
	findNewestCopy,
	parseFolderName,
	toProjectFolderName,
} from './exportFile.ts';
import { UserMistake } from './failure.ts';
import { offerAgentStart } from './offerAgentStart.ts';

/** Milliseconds by which a copy is dated before its original, because it must not be the newest session. */
const backdatingMs = 1000;

/** Writes a new file and dates it before the transcript `otherPath` and its last activity (`activeAt`, in milliseconds). */
async function backdateFile(path: string, text: string, otherPath: string, activeAt: number): Promise<void> {
	const date = new Date(Math.min((await stat(otherPath)).mtimeMs, activeAt) - backdatingMs);
	const file = await open(path, 'wx', 0o600);
	try {
		await file.writeFile(text);
		await file.utimes(date, date);
	} finally {
		await file.close();
	}
}

/** Returns the workspace folder of a transcript's project. The agent finds the session only there. */
function findProjectFolder(transcript: string): vscode.WorkspaceFolder | undefined {
	const folders = vscode.workspace.workspaceFolders ?? [];
	return (
		folders.find(({ uri }) => toProjectFolderName(uri.fsPath) === parseFolderName(transcript)) ??
		findActiveFolder()
	);
}

/** Offers to continue a copy in a terminal. `about` is a text before the path of the copy. */
async function offerCopy(path: string, original: FollowedTranscript, about = ''): Promise<void> {
	const agentSessionId = basename(path, '.jsonl');
	const start = describeAgentStart({
		format: 'claude-code',
		agentSessionId,
		path,
		originalPath: original.path,
	});
	const text = `${about}${t('The copy is {0}.', shortenPath(path, homedir()))}`;
	await offerAgentStart(text, start?.command, findProjectFolder(original.path)?.uri);
}

/** Offers to continue an existing copy. Returns whether the user wants another copy instead. */
async function shouldCreateAnotherCopy(
	copy: Transcript,
	original: FollowedTranscript,
	activeAt: number,
): Promise<boolean> {
	const [continueLabel, createLabel] = [t('Continue That Copy'), t('Create Another')];
	const text = describeExistingCopy(copy, { activeAt, now: Date.now() });
	const answer = await vscode.window.showInformationMessage(text, continueLabel, createLabel);
	if (answer === continueLabel) await offerCopy(copy.path, original);
	return answer === createLabel;
}

/**
 * Creates a compacted copy of a Claude Code session as a new session next to it, and offers to continue the copy in a
 * terminal. If a copy exists already, offers that copy first. The original does not change; no file is overwritten.
 * @param free clears only the outputs of these files and commands; if absent, the whole history is compacted
 */
export async function continueInAgent(services: EditorServices, free?: FreeSelection): Promise<void> {
	const session = requireShownSession(services);
	const { sessionId, followed } = session;
	if (!followed || !canContinue(session))
		throw new UserMistake(t('Only sessions of Claude Code can be continued in Claude Code.'));
	const stats = getMeasurement(services.store.current())?.stats;
	const activeAt = stats?.lastActivityAt ?? Date.now();
	const copy = findNewestCopy(
		(await services.tracker.listTranscripts({ usage: false })) ?? [],
		followed.path,
	);
	if (copy && !(await shouldCreateAnotherCopy(copy, followed, activeAt))) return;
	const { text, agentSessionId, compaction } = await services.runs.runWithNotification(sessionId, (options) =>
		services.daemon.request('context/export', { sessionId, format: 'claude-code', free }, options),
	);
	if (agentSessionId === undefined || !compaction) {
		void vscode.window.showInformationMessage(t('The session has no messages yet.'));
		return;
	}
	const path = join(dirname(followed.path), `${agentSessionId}.jsonl`);
	await backdateFile(path, text, followed.path, activeAt);
	await offerCopy(path, followed, `${describeNewCopy(compaction, stats)} `);
}
