import * as vscode from 'vscode';
import { contextExport, type ExportFormat } from '../../../server/protocol/transcript.ts';
import { activeFolder } from '../session/folder.ts';
import type { ShownSession } from '../usage/usage.ts';
import { endingOf, fileNameOf, formatChoices, isTranscriptFile, startHint } from './exportFile.ts';
import type { Parts } from './parts.ts';

async function pickFormat(): Promise<ExportFormat | undefined> {
	const choices = Object.entries(formatChoices).map(([format, choice]) => ({
		...choice,
		format: format as ExportFormat,
	}));
	const picked = await vscode.window.showQuickPick(choices, {
		title: 'Export the Compacted History',
		placeHolder: 'For an agent to go on from, or as the messages of a provider’s request',
		matchOnDetail: true,
	});
	return picked?.format;
}

/** Writes the compacted history of a followed session where the user says, in the format that they pick. */
export async function exportHistory(
	{ daemon, runs }: Parts,
	{ sessionId, followed }: ShownSession,
): Promise<vscode.Uri | undefined> {
	const format = await pickFormat();
	if (!format) return undefined;
	const {
		text,
		messageCount,
		agentSessionId,
		warnings = [],
	} = await runs.shown(sessionId, (ask) => daemon.request(contextExport, { sessionId, format }, ask));
	const name = fileNameOf(format, agentSessionId);
	const folder = activeFolder();
	const target = await vscode.window.showSaveDialog({
		title: 'Export the Compacted History',
		filters: { [formatChoices[format].label]: [endingOf(format)] },
		...(folder && { defaultUri: vscode.Uri.joinPath(folder.uri, name) }),
	});
	if (!target) return undefined;
	if (followed && target.scheme === 'file' && (await isTranscriptFile(target.fsPath, followed.path)))
		throw new Error('This is the transcript that is followed. Choose another file.');
	await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
	const path = vscode.workspace.asRelativePath(target, false);
	const beside = followed?.agent === 'claude-code' ? followed.path : undefined;
	const hint = startHint({ format, agentSessionId, path, beside });
	const sentences = [`${messageCount} messages written to ${path}.`, ...(hint ? [hint] : []), ...warnings];
	void vscode.window.showInformationMessage(sentences.join(' '), 'Open').then((answer) => {
		if (answer) void vscode.commands.executeCommand('vscode.open', target);
	});
	return target;
}
