/** Writes the compacted history of a followed session to a file that the user selects. */

import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { ExportFormat } from '../../../server/protocol/transcript.ts';
import { findActiveFolder } from '../session/folder.ts';
import { shortenPath } from '../session/sessionChoices.ts';
import { formatMessageCount } from '../text/figures.ts';
import { t } from '../text/language.ts';
import type { ShownSession } from '../usage/usage.ts';
import type { EditorServices } from './editorServices.ts';
import {
	createExportedFileName,
	createFormatChoices,
	describeAgentStart,
	getFileExtension,
	isTranscriptFile,
	proposePath,
} from './exportFile.ts';
import { UserMistake } from './failure.ts';
import { offerAgentStart } from './offerAgentStart.ts';

async function pickFormat(): Promise<ExportFormat | undefined> {
	const choices = Object.entries(createFormatChoices()).map(([format, choice]) => ({
		...choice,
		format: format as ExportFormat,
	}));
	const picked = await vscode.window.showQuickPick(choices, {
		title: t('Save Compacted History'),
		placeHolder: t('To continue in an agent, or as the messages of a provider’s request'),
		matchOnDetail: true,
	});
	return picked?.format;
}

/** Lets the user select a format and a file; then shows how to start an agent from the file, if its format allows it. */
export async function exportToFile(
	{ daemon, runs }: EditorServices,
	{ sessionId, followed }: ShownSession,
): Promise<void> {
	const format = await pickFormat();
	if (!format) return;
	const {
		text,
		messageCount,
		agentSessionId,
		warnings = [],
	} = await runs.runWithNotification(sessionId, (options) =>
		daemon.request('context/export', { sessionId, format }, options),
	);
	const name = createExportedFileName(format, agentSessionId, Date.now());
	const folder = findActiveFolder();
	const originalPath = followed?.agent === 'claude-code' ? followed.path : undefined;
	const target = await vscode.window.showSaveDialog({
		title: t('Save Compacted History'),
		filters: { [createFormatChoices()[format].label]: [getFileExtension(format)] },
		defaultUri: vscode.Uri.file(proposePath({ format, originalPath }, name, homedir())),
	});
	if (!target) return;
	if (followed && target.scheme === 'file' && (await isTranscriptFile(target.fsPath, followed.path)))
		throw new UserMistake(t('This file is the agent’s own transcript. Choose another file.'));
	await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
	const path = target.scheme === 'file' ? target.fsPath : target.toString(true);
	const start = describeAgentStart({ format, agentSessionId, path, originalPath });
	const sentences = [
		t('{0} written to {1}.', formatMessageCount(messageCount), shortenPath(path, homedir())),
		...(start ? [start.hint] : []),
		...warnings,
	];
	const openText = t('Open');
	await offerAgentStart(sentences.join(' '), start?.command, folder?.uri, {
		[openText]: () => vscode.commands.executeCommand('vscode.open', target),
	});
}
