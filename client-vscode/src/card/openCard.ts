import * as vscode from 'vscode';
import { type ExtensionParts, requireShownSession } from '../commands/extensionParts.ts';
import { t } from '../text/language.ts';
import { formatReceipt } from '../text/receiptText.ts';
import { getMeasurement } from '../usage/usage.ts';
import { showCard } from './panel.ts';
import { type PreviewParams, planWithProgress, readPastCompaction } from './sources.ts';

/** Shows what a compaction of the shown session would change, without changing anything. */
export async function showCompactionPreview(
	parts: ExtensionParts,
	params: PreviewParams = {},
): Promise<void> {
	const plan = await planWithProgress(parts.daemon, requireShownSession(parts), params);
	if (plan === null) void vscode.window.showInformationMessage(t('The session has no messages yet.'));
	else if ('nothing' in plan) void vscode.window.showInformationMessage(formatReceipt(plan.nothing));
	else showCard(parts, plan.sources, params);
}

/** Shows what a past compaction of the shown session changed. */
export async function showPastCompaction(parts: ExtensionParts, compactionId: string): Promise<void> {
	const sources = await readPastCompaction(parts.daemon, requireShownSession(parts), compactionId);
	if (sources) showCard(parts, sources, {});
	else void vscode.window.showInformationMessage(t('This compaction is already undone.'));
}

/** Shows what a compaction of the shown session changed, by default the newest compaction that is not undone. */
export async function showCompactionChanges(parts: ExtensionParts, compactionId?: unknown): Promise<void> {
	const newest = getMeasurement(parts.store.current())?.stats.undoable?.compactionId;
	const id = typeof compactionId === 'string' ? compactionId : newest;
	if (id === undefined)
		void vscode.window.showInformationMessage(t('No compaction of this session is in effect.'));
	else await showPastCompaction(parts, id);
}
