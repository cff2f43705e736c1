/** The Context Usage view, in a tab and in the side bar, updated by the daemon's notifications. */

import * as vscode from 'vscode';
import { contextTimeline } from '../../../server/protocol/stats.ts';
import { openPast } from '../card/openPast.ts';
import { showFailure } from '../commands/failure.ts';
import { openMessage } from '../commands/openMessage.ts';
import type { Parts } from '../commands/parts.ts';
import { undoCompaction } from '../commands/undo.ts';
import { readFullHistory } from '../documents/documents.ts';
import { t } from '../text/language.ts';
import { sessionOf, shownFigures } from '../usage/usage.ts';
import { fillPage, tabIcon } from '../webview/fillPage.ts';
import type { FromView, ToView } from './messages.ts';
import { viewModel } from './model.ts';

/** Minimum milliseconds between two reads of the whole history, however often the stats change. */
const minReadIntervalMs = 250;

const tabType = 'contextd.usage';
const sideBarType = 'contextd.usageView';

/** A tab or the side bar, where the view is shown. */
interface Surface {
	webview: vscode.Webview;
	isVisible(): boolean;
	onDidChangeVisibility: vscode.Event<unknown>;
	onDidDispose: vscode.Event<void>;
}

let tab: vscode.WebviewPanel | null = null;

async function modelNow(parts: Parts): Promise<ToView> {
	const usage = parts.store.current();
	const session = sessionOf(usage);
	if (usage.kind === 'stopped') return { type: 'nothing', why: usage.reason };
	if (usage.kind === 'starting') return { type: 'nothing', why: t('Measuring…') };
	if (!session) return { type: 'nothing', why: t('No agent session in this folder yet.') };
	const reading = shownFigures(usage);
	if (!reading) return { type: 'nothing', why: t('The session has no messages yet.') };
	const { sessionId } = session;
	const [timeline, full] = await Promise.all([
		parts.daemon.request(contextTimeline, { sessionId }),
		readFullHistory(parts.daemon, sessionId),
	]);
	return {
		type: 'show',
		model: viewModel({ session, reading, timeline, full }),
	};
}

function answer(parts: Parts, message: FromView): Promise<unknown> {
	const sessionId = sessionOf(parts.store.current())?.sessionId ?? '';
	switch (message.type) {
		case 'open':
			return openMessage(parts, message.messageId);
		case 'undo':
			return undoCompaction(parts, sessionId, message.compactionId);
		case 'changes':
			return openPast(parts, message.compactionId);
		case 'command':
			return Promise.resolve(vscode.commands.executeCommand(`contextd.${message.command}`));
		case 'ready':
			return Promise.resolve();
	}
}

function fill({ webview, ...surface }: Surface, parts: Parts): void {
	let due: ReturnType<typeof setTimeout> | undefined;

	async function post(): Promise<void> {
		await webview.postMessage(await modelNow(parts));
	}

	function soon(): void {
		if (due !== undefined || !surface.isVisible()) return;
		due = setTimeout(() => {
			due = undefined;
			void showFailure(post(), parts.log);
		}, minReadIntervalMs);
	}

	const watching = vscode.Disposable.from(
		parts.store.onChange(soon),
		surface.onDidChangeVisibility(soon),
		webview.onDidReceiveMessage((message: FromView) => {
			if (message.type === 'ready') {
				const speak: ToView = { type: 'speak', translations: vscode.l10n.bundle ?? {} };
				void webview.postMessage(speak);
				soon();
			} else void showFailure(answer(parts, message), parts.log);
		}),
	);
	surface.onDidDispose(() => {
		clearTimeout(due);
		watching.dispose();
	});

	fillPage(webview, parts.context.extensionUri, {
		name: 'view',
		title: t('Context Usage'),
		waiting: t('Measuring…'),
	});
}

function takeTab(panel: vscode.WebviewPanel, parts: Parts): void {
	tab = panel;
	panel.iconPath = tabIcon(parts.context.extensionUri);
	panel.onDidDispose(() => {
		if (tab === panel) tab = null;
	});
	fill(
		{
			webview: panel.webview,
			isVisible: () => panel.visible,
			onDidChangeVisibility: panel.onDidChangeViewState,
			onDidDispose: panel.onDidDispose,
		},
		parts,
	);
}

/** Opens the view in a tab, or brings the tab to the front. */
export function showUsage(parts: Parts): void {
	if (tab) tab.reveal();
	else
		takeTab(vscode.window.createWebviewPanel(tabType, t('Context Usage'), vscode.ViewColumn.Active), parts);
}

/** Registers the view in the side bar, and restores the tab when the window is reloaded. */
export function registerViews(parts: Parts): vscode.Disposable {
	return vscode.Disposable.from(
		vscode.window.registerWebviewPanelSerializer(tabType, {
			async deserializeWebviewPanel(panel) {
				takeTab(panel, parts);
			},
		}),
		vscode.window.registerWebviewViewProvider(sideBarType, {
			resolveWebviewView(view) {
				fill(
					{
						webview: view.webview,
						isVisible: () => view.visible,
						onDidChangeVisibility: view.onDidChangeVisibility,
						onDidDispose: view.onDidDispose,
					},
					parts,
				);
			},
		}),
	);
}
