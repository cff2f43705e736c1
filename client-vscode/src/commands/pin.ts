import * as vscode from 'vscode';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextPin } from '../../../server/protocol/history.ts';
import { visibleOf } from '../documents/changes.ts';
import { readFullHistory } from '../documents/documents.ts';
import { messagesText } from '../text/figures.ts';
import { messageLabel } from '../text/historyText.ts';
import { say } from '../text/language.ts';
import { fileReadsOf, isRead, targetsOf } from '../text/reads.ts';
import { type Parts, shownSession } from './parts.ts';

function confirm(text: string): void {
	vscode.window.setStatusBarMessage(`$(pinned) ${text}`, 6000);
}

function choicesOf(full: readonly ChatMessage[], pinned: boolean) {
	const targets = targetsOf(full);
	return visibleOf(full)
		.filter((message) => message.id !== undefined && (message.pinned === true) !== pinned)
		.map((message) => ({ ...messageLabel(message, targets), messageId: message.id ?? '' }))
		.reverse();
}

/** Lets the user pin messages. */
export async function pinMessage(parts: Parts): Promise<void> {
	const { sessionId } = shownSession(parts);
	const choices = choicesOf(await readFullHistory(parts.daemon, sessionId), true);
	if (choices.length === 0) {
		void vscode.window.showInformationMessage(say('There is no message to pin.'));
		return;
	}
	const picked = await vscode.window.showQuickPick(choices, {
		title: say('Pin Message'),
		placeHolder: say('Pinned messages survive every compaction word for word'),
		canPickMany: true,
		matchOnDetail: true,
	});
	if (!picked || picked.length === 0) return;
	const messageIds = picked.map(({ messageId }) => messageId);
	await parts.daemon.request(contextPin, { sessionId, messageIds, pinned: true });
	confirm(say('{0} pinned: no compaction takes it away.', messagesText(messageIds.length)));
}

/** Lets the user take pins off. */
export async function unpinMessage(parts: Parts): Promise<void> {
	const { sessionId } = shownSession(parts);
	const choices = choicesOf(await readFullHistory(parts.daemon, sessionId), false);
	if (choices.length === 0) {
		void vscode.window.showInformationMessage(say('No message is pinned.'));
		return;
	}
	const picked = await vscode.window.showQuickPick(choices, {
		title: say('Unpin Message'),
		placeHolder: say('Messages that may go again'),
		canPickMany: true,
		matchOnDetail: true,
	});
	if (!picked || picked.length === 0) return;
	const messageIds = picked.map(({ messageId }) => messageId);
	await parts.daemon.request(contextPin, { sessionId, messageIds, pinned: false });
	confirm(say('{0} unpinned.', messagesText(messageIds.length)));
}

function fileAtHand(target: unknown): vscode.Uri {
	const uri = target instanceof vscode.Uri ? target : vscode.window.activeTextEditor?.document.uri;
	if (uri?.scheme !== 'file') throw new Error(say('Open the file first, or pick it in the explorer.'));
	return uri;
}

/** Pins the newest read of a file: the given one, else that of the active editor. Says whether there is such a read. */
export async function pinFile(parts: Parts, target?: unknown): Promise<void> {
	const { sessionId } = shownSession(parts);
	const uri = fileAtHand(target);
	await parts.daemon.request(contextPin, { sessionId, uris: [uri.toString()], pinned: true });
	const reads = fileReadsOf(await readFullHistory(parts.daemon, sessionId), []);
	const name = vscode.workspace.asRelativePath(uri);
	if (isRead(reads, uri.fsPath)) confirm(say('The newest read of {0} stays in the context.', name));
	else {
		void vscode.window.showInformationMessage(
			say('{0} is not in the context now. Once the agent reads it, its newest read stays.', name),
		);
	}
}

/** Takes the pin off a file: the given one, else that of the active editor. */
export async function unpinFile(parts: Parts, target?: unknown): Promise<void> {
	const { sessionId } = shownSession(parts);
	const uri = fileAtHand(target);
	await parts.daemon.request(contextPin, { sessionId, uris: [uri.toString()], pinned: false });
	confirm(say('Reads of {0} may go again.', vscode.workspace.asRelativePath(uri)));
}
