import * as vscode from 'vscode';
import { planCompaction, savingText, showSides } from '../documents/preview.ts';
import { receiptText } from '../text/receiptText.ts';
import type { Parts } from './parts.ts';
import { shownSession } from './parts.ts';

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
