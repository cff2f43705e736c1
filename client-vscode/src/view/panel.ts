/** The Context Usage view: one panel, kept at what the daemon says. */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { contextTimeline } from '../../../server/protocol/stats.ts';
import { undoCompaction } from '../commands/compact.ts';
import { tellFailure } from '../commands/failure.ts';
import type { Parts } from '../commands/parts.ts';
import { openMessage, showChangesOf } from '../commands/showChanges.ts';
import { readFullHistory } from '../documents/preview.ts';
import { readingOf, sessionOf } from '../usage/usage.ts';
import { pageHtml } from './html.ts';
import type { FromView, ToView } from './messages.ts';
import { viewModel } from './model.ts';

/** Milliseconds between two looks at the whole history, however often figures change. */
const calm = 250;

let shown: vscode.WebviewPanel | null = null;

async function modelNow(parts: Parts): Promise<ToView> {
	const usage = parts.store.current();
	const session = sessionOf(usage);
	if (usage.kind === 'stopped') return { type: 'nothing', why: usage.reason };
	if (!session) return { type: 'nothing', why: 'No agent session in this folder yet.' };
	const reading = readingOf(usage);
	if (!reading) return { type: 'nothing', why: 'The session has no messages yet.' };
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
			return showChangesOf(parts, sessionId, message.compactionId);
		case 'command':
			return Promise.resolve(vscode.commands.executeCommand(`contextd.${message.command}`));
		case 'ready':
			return Promise.resolve();
	}
}

function fill(panel: vscode.WebviewPanel, parts: Parts): void {
	const { webview } = panel;
	let due: ReturnType<typeof setTimeout> | undefined;

	async function post(): Promise<void> {
		await webview.postMessage(await modelNow(parts));
	}

	function soon(): void {
		if (due !== undefined || !panel.visible) return;
		due = setTimeout(() => {
			due = undefined;
			void tellFailure(post(), parts.log);
		}, calm);
	}

	const watching = vscode.Disposable.from(
		parts.store.onChange(soon),
		panel.onDidChangeViewState(soon),
		webview.onDidReceiveMessage((message: FromView) => {
			if (message.type === 'ready') soon();
			else void tellFailure(answer(parts, message), parts.log);
		}),
	);
	panel.onDidDispose(() => {
		shown = null;
		clearTimeout(due);
		watching.dispose();
	});

	const dist = vscode.Uri.joinPath(parts.context.extensionUri, 'dist');
	webview.html = pageHtml({
		cspSource: webview.cspSource,
		script: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'view.js')).toString(),
		style: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'view.css')).toString(),
		nonce: randomBytes(16).toString('base64url'),
	});
}

/** Opens the view, or brings it to the front. */
export function showUsage(parts: Parts): void {
	if (shown) {
		shown.reveal();
		return;
	}
	const dist = vscode.Uri.joinPath(parts.context.extensionUri, 'dist');
	shown = vscode.window.createWebviewPanel('contextd.usage', 'Context Usage', vscode.ViewColumn.Active, {
		enableScripts: true,
		localResourceRoots: [dist],
	});
	fill(shown, parts);
}
