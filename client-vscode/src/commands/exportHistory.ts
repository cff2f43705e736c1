import { realpath, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { contextExport, type ExportFormat } from '../../../server/protocol/transcript.ts';
import { endingOf, fileNameOf, formatChoices, startHint } from '../exportFormats.ts';
import { activeFolder } from '../folder.ts';
import type { Parts } from '../parts.ts';
import type { ShownSession } from '../usage.ts';

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

/** The file behind a path, whatever links lead to it; null where there is none. */
async function fileAt(path: string): Promise<string | null> {
	try {
		const { dev, ino } = await stat(path);
		return ino === 0 ? await realpath(path) : `${dev}:${ino}`;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
		throw error;
	}
}

/** Refuses to write over what the agent itself writes. A session in a database is named behind its file and a `#`. */
async function refuseTranscript(target: vscode.Uri, transcript: string): Promise<void> {
	if (target.scheme !== 'file') return;
	const chosen = await fileAt(target.fsPath);
	const files = await Promise.all([transcript, transcript.replace(/#[^#]*$/, '')].map(fileAt));
	if (chosen !== null && files.includes(chosen))
		throw new Error('This is the transcript that is followed. Choose another file.');
}

/** Writes the compacted history of a followed session where the user says, in the format that they pick. */
export async function exportHistory(
	{ daemon }: Parts,
	{ sessionId, followed }: ShownSession,
): Promise<vscode.Uri | undefined> {
	const format = await pickFormat();
	if (!format) return undefined;
	const {
		text,
		messageCount,
		agentSessionId,
		warnings = [],
	} = await daemon.request(contextExport, {
		sessionId,
		format,
	});
	const name = fileNameOf(format, agentSessionId);
	const folder = activeFolder();
	const target = await vscode.window.showSaveDialog({
		title: 'Export the Compacted History',
		filters: { [formatChoices[format].label]: [endingOf(format)] },
		...(folder && { defaultUri: vscode.Uri.joinPath(folder.uri, name) }),
	});
	if (!target) return undefined;
	if (followed) await refuseTranscript(target, followed.path);
	await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
	const hint = startHint(format, agentSessionId);
	const sentences = [
		`${messageCount} messages written to ${vscode.workspace.asRelativePath(target)}.`,
		...(hint ? [hint] : []),
		...warnings,
	];
	void vscode.window.showInformationMessage(sentences.join(' '), 'Open').then((answer) => {
		if (answer) void vscode.commands.executeCommand('vscode.open', target);
	});
	return target;
}
