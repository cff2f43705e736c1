import * as vscode from 'vscode';
import { contextPin } from '../../../server/protocol/history.ts';
import { readVisibleHistory } from '../documents/preview.ts';
import { messageLabel } from '../text/historyText.ts';
import { type Parts, shownSession } from './parts.ts';

async function change(parts: Parts, pinned: boolean): Promise<void> {
	const { sessionId } = shownSession(parts);
	const history = await readVisibleHistory(parts.daemon, sessionId);
	const choices = history
		.filter((message) => message.id !== undefined && (message.pinned === true) !== pinned)
		.map((message) => ({ ...messageLabel(message), messageId: message.id ?? '' }))
		.reverse();
	if (choices.length === 0) {
		void vscode.window.showInformationMessage(
			pinned ? 'There is no message to pin.' : 'No message is pinned.',
		);
		return;
	}
	const picked = await vscode.window.showQuickPick(choices, {
		title: pinned ? 'Pin Message' : 'Unpin Message',
		placeHolder: pinned
			? 'Pinned messages survive every compaction word for word'
			: 'Messages that may go again',
		canPickMany: true,
		matchOnDetail: true,
	});
	if (!picked || picked.length === 0) return;
	const messageIds = picked.map(({ messageId }) => messageId);
	await parts.daemon.request(contextPin, { sessionId, messageIds, pinned });
}

/** Lets the user pin messages. */
export function pinMessage(parts: Parts): Promise<void> {
	return change(parts, true);
}

/** Lets the user take pins off. */
export function unpinMessage(parts: Parts): Promise<void> {
	return change(parts, false);
}

/** Pins the newest read of a file: the given one, else that of the active editor. */
export async function pinFile(parts: Parts, target?: unknown): Promise<void> {
	const { sessionId } = shownSession(parts);
	const uri = target instanceof vscode.Uri ? target : vscode.window.activeTextEditor?.document.uri;
	if (uri?.scheme !== 'file') throw new Error('Open the file first, or pick it in the explorer.');
	await parts.daemon.request(contextPin, { sessionId, uris: [uri.toString()], pinned: true });
	const name = vscode.workspace.asRelativePath(uri);
	vscode.window.setStatusBarMessage(`$(pin) The newest read of ${name} stays in the context.`, 5000);
}
