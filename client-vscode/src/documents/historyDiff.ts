/** Shows the history before and after a compaction side by side. */

import * as vscode from 'vscode';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { compareHistories } from '../text/comparison.ts';
import { t } from '../text/language.ts';
import type { SessionDocuments } from './documents.ts';

export interface DiffSides {
	before: readonly ChatMessage[];
	after: readonly ChatMessage[];
}

/** Opens both histories in the diff editor; resolves once the editor has compared them. */
export async function openHistoryDiff(
	documents: SessionDocuments,
	sessionId: string,
	title: string,
	{ before, after }: DiffSides,
): Promise<void> {
	const texts = compareHistories(before, after);
	const line = texts.firstChangedLine;
	await vscode.commands.executeCommand(
		'vscode.diff',
		documents.put(sessionId, { name: `${t('Before Compaction')}.md`, text: texts.before, messages: before }),
		documents.put(sessionId, { name: `${t('After Compaction')}.md`, text: texts.after, messages: after }),
		title,
		{ preview: true, selection: new vscode.Range(line, 0, line, 0) },
	);
}
