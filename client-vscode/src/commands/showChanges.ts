import * as vscode from 'vscode';
import { pastSides, showSides } from '../documents/preview.ts';
import { t } from '../text/language.ts';
import { savingText } from '../text/receiptText.ts';
import { shownFigures } from '../usage/usage.ts';
import { type Parts, shownSession } from './parts.ts';

/** Shows what a past compaction changed. */
export async function showChangesOf(parts: Parts, sessionId: string, compactionId: string): Promise<void> {
	const { documents, daemon } = parts;
	const stats = shownFigures(parts.store.current())?.stats;
	const known = [stats?.undoable, stats?.lastCompaction].find((one) => one?.compactionId === compactionId);
	const title =
		known && !known.byAgent
			? t('Changes of the compaction ({0} tokens of history)', savingText(known))
			: t('Changes of the compaction');
	const sides = await pastSides(daemon, sessionId, compactionId);
	await showSides(documents, sessionId, { title, kind: 'past', compactionId }, sides);
}

/** Shows what the newest compaction in effect changed. */
export async function showChanges(parts: Parts): Promise<void> {
	const { sessionId } = shownSession(parts);
	const last = shownFigures(parts.store.current())?.stats.undoable;
	if (last) await showChangesOf(parts, sessionId, last.compactionId);
	else void vscode.window.showInformationMessage(t('No compaction of this session is in effect.'));
}

/** Opens a message in full, as it was before any compaction. */
export async function openMessage(parts: Parts, messageId: unknown): Promise<void> {
	if (typeof messageId !== 'string') throw new Error('Expected the id of a message.');
	const { sessionId } = shownSession(parts);
	const uri = await parts.documents.original(sessionId, messageId);
	const document = await vscode.workspace.openTextDocument(uri);
	await vscode.window.showTextDocument(document, { preview: true });
}
