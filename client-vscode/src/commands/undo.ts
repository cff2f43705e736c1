import * as vscode from 'vscode';
import { formatPercent, formatTokens } from '../../../server/core/figures.ts';
import { getFailureKind } from '../daemon/failures.ts';
import { t } from '../text/language.ts';
import { findUndoableCompaction } from '../usage/usage.ts';
import { estimateTokensAfterUndo } from '../usage/windowChange.ts';
import { type EditorServices, requireShownSession } from './editorServices.ts';

/** Returns whether to undo: asks the user if the window would then exceed its limit, otherwise true. */
async function confirmUndo(
	{ daemon }: EditorServices,
	sessionId: string,
	compactionId: string,
): Promise<boolean> {
	const [stats, { compactions }] = await Promise.all([
		daemon.request('context/stats', { sessionId }),
		daemon.request('context/timeline', { sessionId }),
	]);
	if (!stats) return true;
	const tokens = estimateTokensAfterUndo(stats, compactions, compactionId);
	if (tokens <= stats.availableInputTokens) return true;
	const undoLabel = t('Undo Anyway');
	const answer = await vscode.window.showWarningMessage(
		t(
			'After the undo, the context would be {0} full ({1} of {2} tokens). The provider may refuse the next request.',
			formatPercent(tokens / Math.max(1, stats.availableInputTokens)),
			formatTokens(tokens),
			formatTokens(stats.availableInputTokens),
		),
		{ modal: true },
		undoLabel,
	);
	return answer === undoLabel;
}

/**
 * Undoes a compaction and every later step that builds on it; asks first if the window would then exceed its limit.
 * Returns the ids of the undone steps; an empty list if the user declined.
 */
export async function undoCompaction(
	services: EditorServices,
	sessionId: string,
	compactionId: string,
): Promise<string[]> {
	if (!(await confirmUndo(services, sessionId, compactionId))) return [];
	const { undone } = await services.daemon.request('context/undo', { sessionId, compactionId });
	const text =
		undone.length === 1
			? t('Compaction undone. All messages are restored.')
			: t('{0} steps undone. All messages are restored.', undone.length);
	vscode.window.setStatusBarMessage(`$(discard) ${text}`, 5000);
	return undone;
}

/** Undoes the newest compaction of the shown session. */
export async function undoNewestCompaction(services: EditorServices): Promise<string[]> {
	const { sessionId } = requireShownSession(services);
	const newest = findUndoableCompaction(services.store.current());
	try {
		if (newest) return await undoCompaction(services, sessionId, newest.compactionId);
	} catch (error) {
		if (getFailureKind(error) !== 'CompactionNotFound') throw error;
	}
	void vscode.window.showInformationMessage(t('There is no compaction to undo.'));
	return [];
}
