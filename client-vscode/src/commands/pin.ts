import * as vscode from 'vscode';
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

/** What picking some messages is told as. */
interface Words {
	title: string;
	placeHolder: string;
	/** Where there is none to pick. */
	none: string;
	/** After some were picked. */
	done(messages: string): string;
}

/** Lets the user pick messages that are pinned from then on, or no longer. */
async function pick({ daemon }: Parts, sessionId: string, pinned: boolean, words: Words): Promise<void> {
	const full = await readFullHistory(daemon, sessionId);
	const targets = targetsOf(full);
	const choices = visibleOf(full)
		.filter((message) => message.id !== undefined && (message.pinned === true) !== pinned)
		.map((message) => ({ ...messageLabel(message, targets), messageId: message.id ?? '' }))
		.reverse();
	if (choices.length === 0) {
		void vscode.window.showInformationMessage(words.none);
		return;
	}
	const { title, placeHolder } = words;
	const shown = { title, placeHolder, canPickMany: true, matchOnDetail: true } as const;
	const picked = await vscode.window.showQuickPick(choices, shown);
	if (!picked || picked.length === 0) return;
	const messageIds = picked.map(({ messageId }) => messageId);
	await daemon.request(contextPin, { sessionId, messageIds, pinned });
	confirm(words.done(messagesText(messageIds.length)));
}

/** Lets the user pin messages. */
export function pinMessage(parts: Parts): Promise<void> {
	return pick(parts, shownSession(parts).sessionId, true, {
		title: say('Pin Message'),
		placeHolder: say('Pinned messages survive every compaction word for word'),
		none: say('There is no message to pin.'),
		done: (messages) => say('{0} pinned: no compaction takes it away.', messages),
	});
}

/** Lets the user take pins off. */
export function unpinMessage(parts: Parts): Promise<void> {
	return pick(parts, shownSession(parts).sessionId, false, {
		title: say('Unpin Message'),
		placeHolder: say('Messages that may go again'),
		none: say('No message is pinned.'),
		done: (messages) => say('{0} unpinned.', messages),
	});
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
