import * as vscode from 'vscode';
import { type CompactResult, contextCompact, contextUndo } from '../../../server/protocol/compact.ts';
import { kindOf } from '../daemon/failures.ts';
import { planCompaction, savingText, showSides } from '../documents/preview.ts';
import { receiptText } from '../text/receiptText.ts';
import { exportForAgent } from './exportForAgent.ts';
import { tellFailure } from './failure.ts';
import { type Parts, shownSession } from './parts.ts';
import { showChangesOf } from './showChanges.ts';

/** Tells what a compaction did, with a way back. */
async function tell(parts: Parts, sessionId: string, result: CompactResult): Promise<void> {
	const { compactionId } = result;
	if (!result.compacted || compactionId === undefined) {
		await vscode.window.showInformationMessage(receiptText(result));
		return;
	}
	const answer = await vscode.window.showInformationMessage(receiptText(result), 'Undo', 'Show Changes');
	if (answer === 'Undo') await undoCompaction(parts, sessionId, compactionId);
	if (answer === 'Show Changes') await showChangesOf(parts, sessionId, compactionId);
}

/**
 * Compacts the session that is shown, and says what came of it. Of a session that is followed nothing is changed: what
 * would come of it is shown and offered.
 */
export async function compact(parts: Parts): Promise<CompactResult | null> {
	const { followed, ...session } = shownSession(parts);
	if (followed) return exportForAgent(parts, { ...session, followed });
	const { sessionId } = session;
	const params = { sessionId, includeMessages: false };
	const result = await parts.runs.shown(sessionId, (ask) =>
		parts.daemon.request(contextCompact, params, ask),
	);
	if (result) void tellFailure(tell(parts, sessionId, result), parts.log);
	else void vscode.window.showInformationMessage('The session has no messages yet.');
	return result;
}

/** Shows what a compaction would change, and changes nothing. */
export async function preview(parts: Parts): Promise<void> {
	const { sessionId } = shownSession(parts);
	const { daemon, documents } = parts;
	const plan = await vscode.window.withProgress(
		{ location: vscode.ProgressLocation.Window },
		(progress, token) => {
			progress.report({ message: 'Planning a compaction…' });
			return planCompaction(daemon, sessionId, token);
		},
	);
	if (!plan) {
		void vscode.window.showInformationMessage('The session has no messages yet.');
		return;
	}
	if (plan.result.compacted || plan.result.removed.length > 0) {
		const title = `Preview of a compaction (${savingText(plan.result)})`;
		await showSides(documents, sessionId, title, plan.sides);
	} else void vscode.window.showInformationMessage(receiptText(plan.result));
}

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
