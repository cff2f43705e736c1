import * as vscode from 'vscode';
import type { Parts } from './parts.ts';
import { shownSession } from './parts.ts';

/** Opens a message in full, as it was before anything was compacted. */
export async function openMessage(parts: Parts, messageId: unknown): Promise<void> {
	if (typeof messageId !== 'string') throw new Error('Expected the id of a message.');
	const { sessionId } = shownSession(parts);
	const document = await vscode.workspace.openTextDocument(parts.documents.original(sessionId, messageId));
	await vscode.window.showTextDocument(document, { preview: true });
}
