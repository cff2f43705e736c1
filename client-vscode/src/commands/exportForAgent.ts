import * as vscode from 'vscode';
import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextExport, type ExportFormat } from '../../../server/protocol/transcript.ts';
import { plannedHistory } from '../documents/changes.ts';
import { readVisibleHistory, savingText, showSides } from '../documents/preview.ts';
import { activeFolder } from '../session/folder.ts';
import { wholeText } from '../text/historyText.ts';
import type { ShownSession } from '../usage/usage.ts';
import {
	endingOf,
	fileNameOf,
	formatChoices,
	isTranscriptFile,
	startHint,
	takenAlong,
} from './exportFile.ts';
import { tellFailure } from './failure.ts';
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
async function exportHistory(
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

/** A history as a compaction would leave it. */
interface Compacted {
	messages: ChatMessage[];
	/** Its first line. */
	title: string;
}

interface Offer extends vscode.QuickPickItem {
	take(compacted: Compacted, parts: Parts, session: ShownSession): unknown;
}

function textOf({ title, messages }: Compacted): string {
	return `${title}\n\n${wholeText(messages)}`;
}

const offers: readonly Offer[] = [
	{
		label: '$(file) Open as Document',
		detail: 'To read, change, and save',
		async take(compacted) {
			const document = { language: 'markdown', content: textOf(compacted) };
			await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(document), {
				preview: false,
			});
		},
	},
	{
		label: '$(copy) Copy to Clipboard',
		detail: 'To begin a fresh conversation with',
		async take(compacted) {
			await vscode.env.clipboard.writeText(textOf(compacted));
			vscode.window.setStatusBarMessage('$(copy) The history is in the clipboard.', 5000);
		},
	},
	{
		label: '$(export) Export…',
		detail: 'As a session that Claude Code or pi goes on from, or as messages for a provider',
		take: (_, parts, session) => exportHistory(parts, session),
	},
];

function messagesOf(jsonLines: string): ChatMessage[] {
	return jsonLines
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line) as ChatMessage);
}

/**
 * Shows what a compaction would make of a followed session, and offers the outcome to be taken along: the agent's own
 * context cannot be changed from outside. The session stays as it is.
 */
export async function exportForAgent(
	parts: Parts,
	session: ShownSession & Required<Pick<ShownSession, 'followed'>>,
): Promise<CompactResult | null> {
	const { sessionId } = session;
	const { daemon, documents, runs } = parts;
	const [{ text, compaction }, before] = await runs.shown(sessionId, (ask) =>
		Promise.all([
			daemon.request(contextExport, { sessionId, format: 'contextd' }, ask),
			readVisibleHistory(daemon, sessionId),
		]),
	);
	if (!compaction) {
		void vscode.window.showInformationMessage('The session has no messages yet.');
		return null;
	}
	const messages = plannedHistory(before, { ...compaction, messages: messagesOf(text) });
	if (compaction.compacted) {
		const title = `Preview of a compaction (${savingText(compaction)})`;
		const sides = { before, after: messages };
		const shown = showSides(documents, sessionId, title, sides, { preserveFocus: true });
		void tellFailure(shown, parts.log);
	}
	const { heading, why, title } = takenAlong(compaction, session);
	const options = { title: heading, placeHolder: why, ignoreFocusOut: true };
	const picked = await vscode.window.showQuickPick(offers, options);
	await picked?.take({ messages, title }, parts, session);
	return compaction;
}
