import * as vscode from 'vscode';
import { type ExtensionParts, shownSession } from '../commands/parts.ts';
import { t } from '../text/language.ts';
import { receiptText } from '../text/receiptText.ts';
import { showCard } from './panel.ts';
import { type PreviewParams, planWithProgress } from './sources.ts';

/** Shows what a compaction of the shown session would change, without changing anything. */
export async function showCompactionPreview(
	parts: ExtensionParts,
	params: PreviewParams = {},
): Promise<void> {
	const plan = await planWithProgress(parts.daemon, shownSession(parts), params);
	if (plan === null) void vscode.window.showInformationMessage(t('The session has no messages yet.'));
	else if ('nothing' in plan) void vscode.window.showInformationMessage(receiptText(plan.nothing));
	else showCard(parts, plan.sources, params);
}
