/** Shows the Context Usage view in a tab and in the side bar, and updates it after the daemon's notifications. */

import * as vscode from 'vscode';
import { showCompactionPreview, showPastCompaction } from '../card/panel.ts';
import type { ExtensionParts } from '../commands/extensionParts.ts';
import { showFailure } from '../commands/failure.ts';
import { openMessage } from '../commands/openMessage.ts';
import { setPinned } from '../commands/pin.ts';
import { undoCompaction } from '../commands/undo.ts';
import { readHistory } from '../documents/documents.ts';
import { t } from '../text/language.ts';
import { getMeasurement, getShownSession } from '../usage/usage.ts';
import { fillPage, getTabIconUris } from '../webview/fillPage.ts';
import { createNoSessionView, createWaitingView } from './emptyView.ts';
import type { ViewInput, ViewOutput } from './messages.ts';
import { createViewModel, type ViewCommand } from './model.ts';

/** Minimum milliseconds between two reads of the whole history, however often the stats change. */
const minReadIntervalMs = 250;

/** Commands of the view that run the editor's commands, with arguments. All other commands run the extension's. */
const editorCommands: Partial<Record<ViewCommand, readonly [string, ...string[]]>> = {
	openTerminal: ['workbench.action.terminal.new'],
	openWalkthrough: ['workbench.action.openWalkthrough', 'contextd.contextd-vscode#start'],
	openFolder: ['vscode.openFolder'],
	openFollowing: ['workbench.action.openSettings', 'contextd.followTranscripts'],
};

const tabType = 'contextd.usage';
const sideBarType = 'contextd.usageView';

/** The tab or the side bar in which the view is shown. */
interface Surface {
	webview: vscode.Webview;
	isVisible(): boolean;
	onDidChangeVisibility: vscode.Event<unknown>;
	onDidDispose: vscode.Event<void>;
}

let openTab: vscode.WebviewPanel | null = null;

function listWorkspaceFolders(): string[] {
	return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
}

function createEmptyInput(): ViewInput {
	const folders = listWorkspaceFolders();
	const isFollowing = vscode.workspace.getConfiguration('contextd').get('followTranscripts') !== false;
	return { type: 'nothing', ...createNoSessionView({ hasFolder: folders.length > 0, isFollowing }) };
}

async function loadViewInput({ store, daemon }: ExtensionParts): Promise<ViewInput> {
	const usage = store.current();
	const session = getShownSession(usage);
	if (usage.kind === 'stopped') return { type: 'nothing', ...createWaitingView(usage.reason) };
	if (usage.kind === 'starting') return { type: 'nothing', ...createWaitingView(t('Measuring…')) };
	if (!session) return createEmptyInput();
	const reading = getMeasurement(usage);
	if (!reading) return { type: 'nothing', ...createWaitingView(t('The session has no messages yet.')) };
	const { sessionId } = session;
	const [timeline, fullHistory, sources] = await Promise.all([
		daemon.request('context/timeline', { sessionId }),
		readHistory(daemon, sessionId),
		daemon.request('context/sources', { sessionId }),
	]);
	const folders = listWorkspaceFolders();
	const model = createViewModel({ session, reading, timeline, fullHistory, sources, folders });
	return { type: 'show', model };
}

function handleMessage(parts: ExtensionParts, message: ViewOutput): Promise<unknown> {
	const sessionId = getShownSession(parts.store.current())?.sessionId ?? '';
	switch (message.type) {
		case 'open':
			return openMessage(parts, message.messageId);
		case 'undo':
			return undoCompaction(parts, sessionId, message.compactionId);
		case 'changes':
			return showPastCompaction(parts, message.compactionId);
		case 'free':
			return showCompactionPreview(parts, { free: message.free });
		case 'pin':
			return setPinned(parts, { ...message.target, pinned: message.pinned });
		case 'command': {
			const [command, ...given] = editorCommands[message.command] ?? [`contextd.${message.command}`];
			return Promise.resolve(vscode.commands.executeCommand(command, ...given));
		}
		case 'ready':
			return Promise.resolve();
	}
}

function fillSurface({ webview, ...surface }: Surface, parts: ExtensionParts): void {
	let updateTimer: ReturnType<typeof setTimeout> | undefined;

	async function post(): Promise<void> {
		await webview.postMessage(await loadViewInput(parts));
	}

	function updateSoon(): void {
		if (updateTimer !== undefined || !surface.isVisible()) return;
		updateTimer = setTimeout(() => {
			updateTimer = undefined;
			void showFailure(post(), parts.log);
		}, minReadIntervalMs);
	}

	const watching = vscode.Disposable.from(
		parts.store.onChange(updateSoon),
		surface.onDidChangeVisibility(updateSoon),
		webview.onDidReceiveMessage((message: ViewOutput) => {
			if (message.type === 'ready') {
				const texts: ViewInput = { type: 'translations', translations: vscode.l10n.bundle ?? {} };
				void webview.postMessage(texts);
				updateSoon();
			} else void showFailure(handleMessage(parts, message), parts.log);
		}),
	);
	surface.onDidDispose(() => {
		clearTimeout(updateTimer);
		watching.dispose();
	});

	fillPage(webview, parts.context.extensionUri, {
		name: 'view',
		title: t('Context Usage'),
		waitingText: t('Measuring…'),
	});
}

function showInTab(panel: vscode.WebviewPanel, parts: ExtensionParts): void {
	openTab = panel;
	panel.iconPath = getTabIconUris(parts.context.extensionUri);
	panel.onDidDispose(() => {
		if (openTab === panel) openTab = null;
	});
	fillSurface(
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
export function showUsage(parts: ExtensionParts): void {
	if (openTab) openTab.reveal();
	else
		showInTab(vscode.window.createWebviewPanel(tabType, t('Context Usage'), vscode.ViewColumn.Active), parts);
}

/** Registers the view in the side bar, and restores the tab when the window is reloaded. */
export function registerViews(parts: ExtensionParts): vscode.Disposable {
	return vscode.Disposable.from(
		vscode.window.registerWebviewPanelSerializer(tabType, {
			async deserializeWebviewPanel(panel) {
				showInTab(panel, parts);
			},
		}),
		vscode.window.registerWebviewViewProvider(sideBarType, {
			resolveWebviewView(view) {
				fillSurface(
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
