import * as vscode from 'vscode';
import { contextUndo } from '../../../server/protocol/compact.ts';
import { kindOf } from '../daemon/failures.ts';
import type { Parts } from './parts.ts';
import { shownSession } from './parts.ts';

/** Takes a compaction back with whatever was built on it; the newest one where none is named. */
export async function undoCompaction(
	parts: Parts,
	sessionId: string,
	compactionId?: string,
): Promise<string[]> {
	const { undone } = await parts.daemon.request(contextUndo, {
		sessionId,
		...(compactionId && { compactionId }),
	});
	const count = undone.length === 1 ? 'The step' : `${undone.length} steps`;
	vscode.window.setStatusBarMessage(`${count} of compaction undone: every message is back.`, 5000);
	return undone;
}

/** Takes the last compaction of the session that is shown back. */
export async function undo(parts: Parts): Promise<string[]> {
	try {
		return await undoCompaction(parts, shownSession(parts).sessionId);
	} catch (error) {
		if (kindOf(error) !== 'CompactionNotFound') throw error;
		void vscode.window.showInformationMessage('There is no compaction left to undo.');
		return [];
	}
}
