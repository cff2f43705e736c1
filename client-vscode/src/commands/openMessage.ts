import * as vscode from 'vscode';
import { type ExtensionParts, requireShownSession } from './extensionParts.ts';

/** Opens the original text of a session's message in an editor. */
export async function openMessageOf(
	parts: ExtensionParts,
	sessionId: string,
	messageId: string,
): Promise<void> {
	const uri = await parts.documents.resolveMessageUri(sessionId, messageId);
	const document = await vscode.workspace.openTextDocument(uri);
	await vscode.window.showTextDocument(document, { preview: true });
}

/** Opens the original text of a message of the shown session in an editor. */
export async function openMessage(parts: ExtensionParts, messageId: unknown): Promise<void> {
	if (typeof messageId !== 'string') throw new Error('Expected the id of a message.');
	await openMessageOf(parts, requireShownSession(parts).sessionId, messageId);
}
