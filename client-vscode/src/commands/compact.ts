import * as vscode from 'vscode';
import { formatPercent, formatTokens } from '../../../server/core/figures.ts';
import type { CompactParams, CompactResult } from '../../../server/protocol/compact.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { t } from '../text/language.ts';
import { formatReceipt } from '../text/receiptText.ts';
import { getMeasurement } from '../usage/usage.ts';
import { formatCompactionChange } from '../usage/windowChange.ts';
import { exportCompacted } from './exportCompacted.ts';
import { type ExtensionParts, requireShownSession } from './extensionParts.ts';
import { showFailure, UserMistake } from './failure.ts';
import { undoCompaction } from './undo.ts';

/** Share of the window below which the user is asked before a compaction, because it would hardly save anything. */
const minWorthwhileUsageRatio = 0.15;

/** Shows what a compaction did, with a button to undo it. `stats` are from before the compaction. */
async function showCompactionResult(
	parts: ExtensionParts,
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
	const [undoIt, changes] = [t('Undo'), t('Show Changes')];
	const answer = await vscode.window.showInformationMessage(text, undoIt, changes);
	if (answer === undoIt) await undoCompaction(parts, sessionId, compactionId);
	if (answer === changes) await vscode.commands.executeCommand('contextd.showChanges', compactionId);
}

/** Returns whether to compact: asks the user if the window is nearly empty, otherwise true. */
async function confirmCompaction(parts: ExtensionParts): Promise<boolean> {
	const stats = getMeasurement(parts.store.current())?.stats;
	if (!stats || stats.usageRatio >= minWorthwhileUsageRatio) return true;
	const compactText = t('Compact Anyway');
	const previewText = t('Preview');
	const answer = await vscode.window.showInformationMessage(
		t(
			'The context is only {0} full ({1} tokens). A compaction now would lose detail and save little.',
			formatPercent(stats.usageRatio),
			formatTokens(stats.estimatedInputTokens),
		),
		compactText,
		previewText,
	);
	if (answer === previewText) await vscode.commands.executeCommand('contextd.preview');
	return answer === compactText;
}

/** Compacts a session, and shows the progress in the meter. Returns null if the session has no messages. */
export function requestCompaction(
	parts: ExtensionParts,
	sessionId: string,
	options: Omit<CompactParams, 'sessionId'>,
): Promise<CompactResult | null> {
	const params = { ...options, sessionId, includeMessages: false };
	return parts.runs.runWithNotification(sessionId, (callOptions) =>
		parts.daemon.request('context/compact', params, callOptions),
	);
}

/** Compacts the shown session, and shows the result with an Undo button. Returns null if the session has no messages. */
export async function compactAndReport(
	parts: ExtensionParts,
	options: Omit<CompactParams, 'sessionId'> = {},
): Promise<CompactResult | null> {
	const { sessionId } = requireShownSession(parts);
	const stats = getMeasurement(parts.store.current())?.stats;
	const result = await requestCompaction(parts, sessionId, options);
	if (result) void showFailure(showCompactionResult(parts, sessionId, result, stats), parts.log);
	else void vscode.window.showInformationMessage(t('The session has no messages yet.'));
	return result;
}

/**
 * Compacts the shown session and shows the result. If the session follows another agent's transcript, it cannot be
 * changed, and its compacted history is offered for export instead.
 */
export async function compactShownSession(parts: ExtensionParts): Promise<CompactResult | null> {
	if (requireShownSession(parts).followed) {
		await exportCompacted(parts);
		return null;
	}
	return (await confirmCompaction(parts)) ? compactAndReport(parts) : null;
}

/** Compacts with the user's instructions on what to keep. */
export async function compactWithInstructions(parts: ExtensionParts): Promise<CompactResult | null> {
	const { followed } = requireShownSession(parts);
	if (followed) throw new UserMistake(t('{0} manages its own context.', followed.label));
	const instructions = await vscode.window.showInputBox({
		title: t('Compact with Instructions…'),
		prompt: t('What the summary should focus on, in your own words'),
		placeHolder: t('For example: the decisions about the parser, and the failing test'),
		ignoreFocusOut: true,
	});
	if (instructions === undefined) return null;
	return compactAndReport(parts, { instructions: instructions.trim() || undefined });
}
