import * as vscode from 'vscode';
import type { PinParams } from '../../../server/protocol/history.ts';
import { isVisibleMessage } from '../documents/changes.ts';
import { readHistory } from '../documents/documents.ts';
import { formatMessageCount } from '../text/figures.ts';
import { toListLabel } from '../text/historyText.ts';
import { t } from '../text/language.ts';
import { collectCallTargets, includesFile, toPlainPath } from '../text/reads.ts';
import { type EditorServices, requireShownSession } from './editorServices.ts';
import { UserMistake } from './failure.ts';

function showConfirmation(text: string): void {
	vscode.window.setStatusBarMessage(`$(pinned) ${text}`, 6000);
}

/** Texts of a list from which the user selects messages. */
interface PickTexts {
	title: string;
	placeHolder: string;
	/** Message if there is nothing to select. */
	emptyText: string;
	/** Message after the selection was applied. */
	formatConfirmation(messages: string): string;
}

/** Lets the user select messages to pin or unpin. */
async function pickAndPin(
	{ daemon }: EditorServices,
	sessionId: string,
	pinned: boolean,
	texts: PickTexts,
): Promise<void> {
	const history = await readHistory(daemon, sessionId);
	const targets = collectCallTargets(history);
	const choices = history
		.filter(isVisibleMessage)
		.filter((message) => message.id !== undefined && (message.pinned === true) !== pinned)
		.map((message) => ({ ...toListLabel(message, targets), messageId: message.id ?? '' }))
		.reverse();
	if (choices.length === 0) {
		void vscode.window.showInformationMessage(texts.emptyText);
		return;
	}
	const { title, placeHolder } = texts;
	const options = { title, placeHolder, canPickMany: true, matchOnDetail: true } as const;
	const picked = await vscode.window.showQuickPick(choices, options);
	if (!picked || picked.length === 0) return;
	const messageIds = picked.map(({ messageId }) => messageId);
	await daemon.request('context/pin', { sessionId, messageIds, pinned });
	showConfirmation(texts.formatConfirmation(formatMessageCount(messageIds.length)));
}

/** Lets the user pin messages. */
export function pinMessage(services: EditorServices): Promise<void> {
	return pickAndPin(services, requireShownSession(services).sessionId, true, {
		title: t('Pin Message'),
		placeHolder: t('Every compaction keeps pinned messages word for word'),
		emptyText: t('There is no message to pin.'),
		formatConfirmation: (messages) => t('{0} pinned. Compactions keep pinned messages unchanged.', messages),
	});
}

/** Lets the user unpin messages. */
export function unpinMessage(services: EditorServices): Promise<void> {
	return pickAndPin(services, requireShownSession(services).sessionId, false, {
		title: t('Unpin Message'),
		placeHolder: t('Compactions may remove the selected messages again'),
		emptyText: t('No message is pinned.'),
		formatConfirmation: (messages) => t('{0} unpinned.', messages),
	});
}

/** Pins or unpins messages or files of the shown session. */
export async function setPinned(
	services: EditorServices,
	target: Omit<PinParams, 'sessionId'>,
): Promise<void> {
	const { sessionId } = requireShownSession(services);
	await services.daemon.request('context/pin', { sessionId, ...target });
}

function requireFileUri(target: unknown): vscode.Uri {
	const uri = target instanceof vscode.Uri ? target : vscode.window.activeTextEditor?.document.uri;
	if (uri?.scheme !== 'file') {
		const openStep = { label: t('Open a File'), command: 'workbench.action.quickOpen' };
		throw new UserMistake(t('Open the file first, or select it in the Explorer.'), openStep);
	}
	return uri;
}

/** Pins a file, by default the active editor's, so that its newest read stays. Tells the user if there is no read yet. */
export async function pinFile(services: EditorServices, target?: unknown): Promise<void> {
	const { sessionId } = requireShownSession(services);
	const uri = requireFileUri(target);
	await services.daemon.request('context/pin', { sessionId, uris: [uri.toString()], pinned: true });
	const { files } = await services.daemon.request('context/sources', { sessionId });
	const paths = files.map((file) => toPlainPath(file.uri));
	const name = vscode.workspace.asRelativePath(uri);
	if (includesFile(paths, uri.fsPath))
		showConfirmation(t('The newest read of {0} stays in the context.', name));
	else {
		void vscode.window.showInformationMessage(
			t('{0} is not in the context yet. Once the agent reads it, the newest read stays.', name),
		);
	}
}

/** Unpins a file, by default the file in the active editor. */
export async function unpinFile(services: EditorServices, target?: unknown): Promise<void> {
	const { sessionId } = requireShownSession(services);
	const uri = requireFileUri(target);
	await services.daemon.request('context/pin', { sessionId, uris: [uri.toString()], pinned: false });
	showConfirmation(t('Compactions may remove reads of {0} again.', vscode.workspace.asRelativePath(uri)));
}
