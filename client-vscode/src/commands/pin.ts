import * as vscode from 'vscode';
import type { PinParams } from '../../../server/protocol/history.ts';
import { filterVisibleMessages } from '../documents/changes.ts';
import { readFullHistory } from '../documents/documents.ts';
import { messagesText } from '../text/figures.ts';
import { messageLabel } from '../text/historyText.ts';
import { t } from '../text/language.ts';
import { callTargetsOf, isReadPath, plainPath } from '../text/reads.ts';
import { type ExtensionParts, shownSession } from './extensionParts.ts';
import { UserMistake } from './userMistake.ts';

function confirm(text: string): void {
	vscode.window.setStatusBarMessage(`$(pinned) ${text}`, 6000);
}

/** Texts of a list from which the user selects messages. */
interface Words {
	title: string;
	placeHolder: string;
	/** Message if there is nothing to select. */
	none: string;
	/** Message after the selection was applied. */
	done(messages: string): string;
}

/** Lets the user select messages to pin or unpin. */
async function pick(
	{ daemon }: ExtensionParts,
	sessionId: string,
	pinned: boolean,
	words: Words,
): Promise<void> {
	const full = await readFullHistory(daemon, sessionId);
	const targets = callTargetsOf(full);
	const choices = filterVisibleMessages(full)
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
	await daemon.request('context/pin', { sessionId, messageIds, pinned });
	confirm(words.done(messagesText(messageIds.length)));
}

/** Lets the user pin messages. */
export function pinMessage(parts: ExtensionParts): Promise<void> {
	return pick(parts, shownSession(parts).sessionId, true, {
		title: t('Pin Message'),
		placeHolder: t('Every compaction keeps pinned messages word for word'),
		none: t('There is no message to pin.'),
		done: (messages) => t('{0} pinned. Compactions keep pinned messages unchanged.', messages),
	});
}

/** Lets the user unpin messages. */
export function unpinMessage(parts: ExtensionParts): Promise<void> {
	return pick(parts, shownSession(parts).sessionId, false, {
		title: t('Unpin Message'),
		placeHolder: t('Compactions may remove the selected messages again'),
		none: t('No message is pinned.'),
		done: (messages) => t('{0} unpinned.', messages),
	});
}

/** Pins or unpins messages or files of the shown session. */
export async function setPinned(parts: ExtensionParts, target: Omit<PinParams, 'sessionId'>): Promise<void> {
	const { sessionId } = shownSession(parts);
	await parts.daemon.request('context/pin', { sessionId, ...target });
}

function fileAtHand(target: unknown): vscode.Uri {
	const uri = target instanceof vscode.Uri ? target : vscode.window.activeTextEditor?.document.uri;
	if (uri?.scheme !== 'file') {
		const open = { label: t('Open a File'), command: 'workbench.action.quickOpen' };
		throw new UserMistake(t('Open the file first, or select it in the Explorer.'), open);
	}
	return uri;
}

/**
 * Pins the newest read of a file, by default of the file in the active editor. Shows whether the agent has read the file.
 */
export async function pinFile(parts: ExtensionParts, target?: unknown): Promise<void> {
	const { sessionId } = shownSession(parts);
	const uri = fileAtHand(target);
	await parts.daemon.request('context/pin', { sessionId, uris: [uri.toString()], pinned: true });
	const { files } = await parts.daemon.request('context/sources', { sessionId });
	const paths = files.map((file) => plainPath(file.uri));
	const name = vscode.workspace.asRelativePath(uri);
	if (isReadPath(paths, uri.fsPath)) confirm(t('The newest read of {0} stays in the context.', name));
	else {
		void vscode.window.showInformationMessage(
			t('{0} is not in the context yet. Once the agent reads it, the newest read stays.', name),
		);
	}
}

/** Unpins a file, by default the file in the active editor. */
export async function unpinFile(parts: ExtensionParts, target?: unknown): Promise<void> {
	const { sessionId } = shownSession(parts);
	const uri = fileAtHand(target);
	await parts.daemon.request('context/pin', { sessionId, uris: [uri.toString()], pinned: false });
	confirm(t('Compactions may remove reads of {0} again.', vscode.workspace.asRelativePath(uri)));
}
