import * as vscode from 'vscode';
import { type CompactResult, contextCompact } from '../../../server/protocol/compact.ts';
import { planCompaction, savingText, showSides } from '../documents/preview.ts';
import { receiptText } from '../text/receiptText.ts';
import { exportForAgent } from './exportForAgent.ts';
import { tellFailure } from './failure.ts';
import { type Parts, shownSession } from './parts.ts';
import { showChangesOf } from './showChanges.ts';
import { undoCompaction } from './undo.ts';

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
