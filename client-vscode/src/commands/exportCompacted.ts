/** Exports the compacted history of a followed session, whose own context contextd cannot change. */

import * as vscode from 'vscode';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { formatHistory } from '../text/historyText.ts';
import { t } from '../text/language.ts';
import { canContinue, getMeasurement, type ShownSession } from '../usage/usage.ts';
import { continueInAgent } from './continueInAgent.ts';
import { type EditorServices, requireShownSession } from './editorServices.ts';
import { createExportTexts } from './exportFile.ts';
import { exportToFile } from './exportHistory.ts';
import { UserMistake } from './failure.ts';

interface ExportOption extends vscode.QuickPickItem {
	run(): unknown;
}

async function openAsDocument(content: string): Promise<void> {
	const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
	await vscode.window.showTextDocument(document, { preview: false });
}

async function copyToClipboard(text: string): Promise<void> {
	await vscode.env.clipboard.writeText(text);
	vscode.window.setStatusBarMessage(`$(copy) ${t('History copied to the clipboard.')}`, 5000);
}

function listExportOptions(services: EditorServices, session: ShownSession, text: string): ExportOption[] {
	return [
		...(session.followed && canContinue(session)
			? [
					{
						label: `$(terminal) ${t('Continue in {0}, Compacted', session.followed.label)}`,
						detail: t('Creates a compacted copy; this session does not change'),
						run: () => continueInAgent(services),
					},
				]
			: []),
		{
			label: `$(diff) ${t('Preview Compaction')}`,
			detail: t('What would be removed, and what would replace it'),
			run: () => vscode.commands.executeCommand('contextd.preview'),
		},
		{
			label: `$(file) ${t('Open as Document')}`,
			detail: t('To read, edit and save'),
			run: () => openAsDocument(text),
		},
		{
			label: `$(copy) ${t('Copy to Clipboard')}`,
			detail: t('To paste into a new conversation'),
			run: () => copyToClipboard(text),
		},
		{
			label: `$(export) ${t('Save as File…')}`,
			detail: t('As a session for Claude Code or pi, or as messages for a provider'),
			run: () => exportToFile(services, session),
		},
	];
}

function parseMessageLines(jsonLines: string): ChatMessage[] {
	return jsonLines
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line) as ChatMessage);
}

/** Offers the ways to export the compacted history. The session does not change. */
export async function exportCompacted(services: EditorServices): Promise<void> {
	const session = requireShownSession(services);
	const { sessionId, followed } = session;
	if (!followed)
		throw new UserMistake(t('This session belongs to no other agent, so it can be compacted directly.'));
	const stats = getMeasurement(services.store.current())?.stats;
	const { text, compaction } = await services.runs.runWithNotification(sessionId, (callOptions) =>
		services.daemon.request('context/export', { sessionId, format: 'contextd' }, callOptions),
	);
	if (!compaction) {
		void vscode.window.showInformationMessage(t('The session has no messages yet.'));
		return;
	}
	const { heading, explanation, title } = createExportTexts(compaction, { ...session, followed }, stats);
	const exportOptions = listExportOptions(
		services,
		session,
		`${title}\n\n${formatHistory(parseMessageLines(text))}`,
	);
	const options = { title: heading, placeHolder: explanation, ignoreFocusOut: true };
	const selectedOption = await vscode.window.showQuickPick(exportOptions, options);
	await selectedOption?.run();
}
