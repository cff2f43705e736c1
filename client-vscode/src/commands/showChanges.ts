import * as vscode from 'vscode';
import { pastSides, savingText, showSides } from '../documents/preview.ts';
import { readingOf } from '../usage/usage.ts';
import { type Parts, shownSession } from './parts.ts';

/** Shows what a compaction of the past changed. */
export async function showChangesOf(parts: Parts, sessionId: string, compactionId: string): Promise<void> {
	const { documents, daemon } = parts;
	const last = readingOf(parts.store.current())?.stats.lastCompaction;
	const saving = last?.compactionId === compactionId ? ` (${savingText(last)})` : '';
	const sides = await pastSides(daemon, sessionId, compactionId);
	await showSides(documents, sessionId, `Changes of the compaction${saving}`, sides);
}

/** Shows what the last compaction changed. */
export async function showChanges(parts: Parts): Promise<void> {
	const { sessionId } = shownSession(parts);
	const last = readingOf(parts.store.current())?.stats.lastCompaction;
	if (last) await showChangesOf(parts, sessionId, last.compactionId);
	else void vscode.window.showInformationMessage('The session has not been compacted.');
}

/** Opens a message in full, as it was before anything was compacted. */
export async function openMessage(parts: Parts, messageId: unknown): Promise<void> {
	if (typeof messageId !== 'string') throw new Error('Expected the id of a message.');
	const { sessionId } = shownSession(parts);
	const document = await vscode.workspace.openTextDocument(parts.documents.original(sessionId, messageId));
	await vscode.window.showTextDocument(document, { preview: true });
}
