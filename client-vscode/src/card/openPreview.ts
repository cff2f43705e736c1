import * as vscode from 'vscode';
import type { CompactParams } from '../../../server/protocol/compact.ts';
import { type Parts, shownSession } from '../commands/parts.ts';
import { planCompaction, showSides } from '../documents/preview.ts';
import { t } from '../text/language.ts';
import { receiptText, savingText } from '../text/receiptText.ts';

/** What a preview passes on to `context/compact`: anything but the session and the form of the result. */
export type PreviewParams = Omit<
	CompactParams,
	'sessionId' | 'dryRun' | 'format' | 'includeMessages' | 'workDoneToken'
>;

/** Shows what a compaction of the shown session would change, without changing anything. */
export async function openPreview(parts: Parts, params: PreviewParams = {}): Promise<void> {
	const { sessionId } = shownSession(parts);
	const { daemon, documents } = parts;
	const plan = await vscode.window.withProgress(
		{ location: vscode.ProgressLocation.Window },
		(progress, token) => {
			progress.report({ message: t('Planning a compaction…') });
			return planCompaction(daemon, { sessionId, ...params }, token);
		},
	);
	if (!plan) {
		void vscode.window.showInformationMessage(t('The session has no messages yet.'));
		return;
	}
	if (plan.result.compacted || plan.result.removed.length > 0) {
		const title = t('Preview of a compaction ({0} tokens of history)', savingText(plan.result));
		await showSides(documents, sessionId, { title, kind: 'planned' }, plan.sides);
	} else void vscode.window.showInformationMessage(receiptText(plan.result));
}
