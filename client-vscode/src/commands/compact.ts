import * as vscode from 'vscode';
import { formatPercent, formatTokens } from '../../../server/core/figures.ts';
import type { CompactParams, CompactResult } from '../../../server/protocol/compact.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { t } from '../text/language.ts';
import { formatReceipt } from '../text/receiptText.ts';
import { getMeasurement } from '../usage/usage.ts';
import { formatCompactionChange } from '../usage/windowChange.ts';
import { type EditorServices, requireShownSession } from './editorServices.ts';
import { exportCompacted } from './exportCompacted.ts';
import { showFailure, UserMistake } from './failure.ts';
import { undoCompaction } from './undo.ts';

/** Used share of the window below which a compaction hardly saves anything, so the user is asked first. */
const minWorthwhileUsageRatio = 0.15;

/** Shows what a compaction did, with a button to undo it. `stats` are from before the compaction. */
async function showCompactionResult(
	services: EditorServices,
	sessionId: string,
	result: CompactResult,
	stats: ContextStats | undefined,
): Promise<void> {
	const { compactionId } = result;
	if (!result.compacted || compactionId === undefined) {
		await vscode.window.showInformationMessage(formatReceipt(result));
		return;
	}
	const text = formatReceipt(result, formatCompactionChange(stats, result));
	const [undoLabel, changesLabel] = [t('Undo'), t('Show Changes')];
	const answer = await vscode.window.showInformationMessage(text, undoLabel, changesLabel);
	if (answer === undoLabel) await undoCompaction(services, sessionId, compactionId);
	if (answer === changesLabel) await vscode.commands.executeCommand('contextd.showChanges', compactionId);
}

/** Returns whether to compact: asks the user if the window is nearly empty, otherwise true. */
async function confirmCompaction(services: EditorServices): Promise<boolean> {
	const stats = getMeasurement(services.store.current())?.stats;
	if (!stats || stats.usageRatio >= minWorthwhileUsageRatio) return true;
	const [compactLabel, previewLabel] = [t('Compact Anyway'), t('Preview')];
	const answer = await vscode.window.showInformationMessage(
		t(
			'The context is only {0} full ({1} tokens). A compaction now would lose detail and save little.',
			formatPercent(stats.usageRatio),
			formatTokens(stats.estimatedInputTokens),
		),
		compactLabel,
		previewLabel,
	);
	if (answer === previewLabel) await vscode.commands.executeCommand('contextd.preview');
	return answer === compactLabel;
}

/** Compacts a session, and shows the progress in the meter. Returns null if the session has no messages. */
export function requestCompaction(
	services: EditorServices,
	sessionId: string,
	options: Omit<CompactParams, 'sessionId'>,
): Promise<CompactResult | null> {
	const params = { ...options, sessionId, includeMessages: false };
	return services.runs.runWithNotification(sessionId, (callOptions) =>
		services.daemon.request('context/compact', params, callOptions),
	);
}

/** Compacts the shown session, and shows the result with an Undo button. Returns null if the session has no messages. */
export async function compactAndReport(
	services: EditorServices,
	options: Omit<CompactParams, 'sessionId'> = {},
): Promise<CompactResult | null> {
	const { sessionId } = requireShownSession(services);
	const stats = getMeasurement(services.store.current())?.stats;
	const result = await requestCompaction(services, sessionId, options);
	if (result) void showFailure(showCompactionResult(services, sessionId, result, stats), services.log);
	else void vscode.window.showInformationMessage(t('The session has no messages yet.'));
	return result;
}

/**
 * Compacts the shown session and shows the result. If the session follows another agent's transcript, it cannot be
 * changed, and its compacted history is offered for export instead.
 */
export async function compactShownSession(services: EditorServices): Promise<CompactResult | null> {
	if (requireShownSession(services).followed) {
		await exportCompacted(services);
		return null;
	}
	return (await confirmCompaction(services)) ? compactAndReport(services) : null;
}

/** Compacts with the user's instructions on what to keep. */
export async function compactWithInstructions(services: EditorServices): Promise<CompactResult | null> {
	const { followed } = requireShownSession(services);
	if (followed) throw new UserMistake(t('{0} manages its own context.', followed.label));
	const instructions = await vscode.window.showInputBox({
		title: t('Compact with Instructions…'),
		prompt: t('What the summary should focus on, in your own words'),
		placeHolder: t('For example: the decisions about the parser, and the failing test'),
		ignoreFocusOut: true,
	});
	if (instructions === undefined) return null;
	return compactAndReport(services, { instructions: instructions.trim() || undefined });
}
