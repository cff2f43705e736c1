import * as vscode from 'vscode';
import type { TextRange } from '../text/occurrence.ts';
import { type EditorServices, requireShownSession } from './editorServices.ts';

/** Opens the original text of a session's message in an editor. `findRange` returns what to select in the text. */
export async function openMessageOf(
	{ documents }: EditorServices,
	sessionId: string,
	messageId: string,
	findRange: (text: string) => TextRange | undefined = () => undefined,
): Promise<void> {
	const uri = await documents.resolveMessageUri(sessionId, messageId);
	const document = await vscode.workspace.openTextDocument(uri);
	const range = findRange(document.getText());
	const selection =
		range && new vscode.Range(document.positionAt(range.start), document.positionAt(range.end));
	await vscode.window.showTextDocument(document, { preview: true, ...(selection && { selection }) });
}

/** Opens the original text of a message of the shown session in an editor. */
export async function openMessage(services: EditorServices, messageId: unknown): Promise<void> {
	if (typeof messageId !== 'string') throw new Error('Expected the id of a message.');
	await openMessageOf(services, requireShownSession(services).sessionId, messageId);
}
