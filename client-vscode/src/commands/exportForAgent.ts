import * as vscode from 'vscode';
import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextExport } from '../../../server/protocol/transcript.ts';
import { plannedHistory } from '../documents/changes.ts';
import { readVisibleHistory, savingText, showSides } from '../documents/preview.ts';
import { wholeText } from '../text/historyText.ts';
import type { ShownSession } from '../usage/usage.ts';
import { takenAlong } from './exportFile.ts';
import { exportHistory } from './exportHistory.ts';
import { tellFailure } from './failure.ts';
import type { Parts } from './parts.ts';

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
