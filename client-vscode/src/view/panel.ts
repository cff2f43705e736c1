/** Shows the Context Usage view in a tab and in the side bar, and updates it after the daemon's notifications. */

import * as vscode from 'vscode';
import { showPastCompaction, showPreview } from '../card/panel.ts';
import type { EditorServices } from '../commands/editorServices.ts';
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

/** Commands of the view that run a command of the editor, with its arguments. The others run a command of the extension. */
const editorCommands: Partial<Record<ViewCommand, readonly [string, ...string[]]>> = {
	openTerminal: ['workbench.action.terminal.new'],
	openWalkthrough: ['workbench.action.openWalkthrough', 'contextd.contextd-vscode#start'],
	openFolder: ['vscode.openFolder'],
	openFollowing: ['workbench.action.openSettings', 'contextd.followTranscripts'],
};

const tabType = 'contextd.usage';
const sideBarType = 'contextd.usageView';

let openTab: vscode.WebviewPanel | null = null;

function listWorkspaceFolders(): string[] {
	return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
}

function createEmptyInput(): ViewInput {
	const folders = listWorkspaceFolders();
	const isFollowing = vscode.workspace.getConfiguration('contextd').get('followTranscripts') !== false;
	return { type: 'nothing', ...createNoSessionView({ hasFolder: folders.length > 0, isFollowing }) };
}

async function loadViewInput({ store, daemon }: EditorServices): Promise<ViewInput> {
	const usage = store.current();
	const session = getShownSession(usage);
	if (usage.kind === 'stopped') return { type: 'nothing', ...createWaitingView(usage.reason) };
	if (usage.kind === 'starting') return { type: 'nothing', ...createWaitingView(t('Measuring…')) };
	if (!session) return createEmptyInput();
	const measurement = getMeasurement(usage);
	if (!measurement) return { type: 'nothing', ...createWaitingView(t('The session has no messages yet.')) };
	const { sessionId } = session;
	const [timeline, fullHistory, sources] = await Promise.all([
		daemon.request('context/timeline', { sessionId }),
		readHistory(daemon, sessionId),
		daemon.request('context/sources', { sessionId }),
	]);
	const folders = listWorkspaceFolders();
	const model = createViewModel({ session, measurement, timeline, fullHistory, sources, folders });
	return { type: 'show', model };
}

function handleMessage(
	services: EditorServices,
	message: Exclude<ViewOutput, { type: 'ready' }>,
): Promise<unknown> {
	const sessionId = getShownSession(services.store.current())?.sessionId ?? '';
	switch (message.type) {
		case 'open':
			return openMessage(services, message.messageId);
		case 'undo':
			return undoCompaction(services, sessionId, message.compactionId);
		case 'changes':
			return showPastCompaction(services, message.compactionId);
		case 'free':
			return showPreview(services, { free: message.free });
		case 'pin':
			return setPinned(services, { ...message.target, pinned: message.pinned });
		case 'command': {
			const [command, ...commandArguments] = editorCommands[message.command] ?? [
				`contextd.${message.command}`,
			];
			return Promise.resolve(vscode.commands.executeCommand(command, ...commandArguments));
		}
	}
}

/** Shows the view in a tab or in the side bar. */
function fillView(
	view: vscode.WebviewPanel | vscode.WebviewView,
	onDidChangeVisibility: vscode.Event<unknown>,
	services: EditorServices,
): void {
	const { webview } = view;
	let updateTimer: ReturnType<typeof setTimeout> | undefined;

	async function post(): Promise<void> {
		await webview.postMessage(await loadViewInput(services));
	}

	function updateSoon(): void {
		if (updateTimer !== undefined || !view.visible) return;
		updateTimer = setTimeout(() => {
			updateTimer = undefined;
			void showFailure(post(), services.log);
		}, minReadIntervalMs);
	}

	const subscriptions = vscode.Disposable.from(
		services.store.onChange(updateSoon),
		onDidChangeVisibility(updateSoon),
		webview.onDidReceiveMessage((message: ViewOutput) => {
			if (message.type === 'ready') {
				const texts: ViewInput = { type: 'translations', translations: vscode.l10n.bundle ?? {} };
				void webview.postMessage(texts);
				updateSoon();
			} else void showFailure(handleMessage(services, message), services.log);
		}),
	);
	view.onDidDispose(() => {
		clearTimeout(updateTimer);
		subscriptions.dispose();
	});

	fillPage(webview, services.context.extensionUri, {
		name: 'view',
		title: t('Context Usage'),
		waitingText: t('Measuring…'),
	});
}

function showInTab(panel: vscode.WebviewPanel, services: EditorServices): void {
	openTab = panel;
	panel.iconPath = getTabIconUris(services.context.extensionUri);
	panel.onDidDispose(() => {
		if (openTab === panel) openTab = null;
	});
	fillView(panel, panel.onDidChangeViewState, services);
}

/** Opens the view in a tab, or brings the tab to the front. */
export function showUsage(services: EditorServices): void {
	if (openTab) openTab.reveal();
	else
		showInTab(
			vscode.window.createWebviewPanel(tabType, t('Context Usage'), vscode.ViewColumn.Active),
			services,
		);
}

/** Registers the view in the side bar, and restores the tab when the window is reloaded. */
export function registerViews(services: EditorServices): vscode.Disposable {
	return vscode.Disposable.from(
		vscode.window.registerWebviewPanelSerializer(tabType, {
			async deserializeWebviewPanel(panel) {
				showInTab(panel, services);
			},
		}),
		vscode.window.registerWebviewViewProvider(sideBarType, {
			resolveWebviewView: (view) => fillView(view, view.onDidChangeVisibility, services),
		}),
	);
}
