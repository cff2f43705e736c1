/** Starts and ends the extension. Everything slow is loaded when it is needed. */

import * as vscode from 'vscode';
import type { ContextExports } from './api/api.ts';
import { createExports } from './api/apiExports.ts';
import type { EditorServices } from './commands/editorServices.ts';
import { Daemon } from './daemon/daemon.ts';
import { SessionDocuments } from './documents/documents.ts';
import { registerCommands } from './registerCommands.ts';
import { SessionTracker } from './session/sessionTracker.ts';
import { setBundle } from './text/language.ts';
import { registerTools } from './tools/tools.ts';
import { CompactionRuns } from './usage/compactionRun.ts';
import { showNotices } from './usage/notices.ts';
import { showStatusBar } from './usage/statusBar.ts';
import { UsageStore } from './usage/usageStore.ts';
import { registerViews } from './view/panel.ts';

let activeDaemon: Daemon | null = null;

/** Shows the meter, registers the commands, and starts the daemon without waiting for it. */
export function activate(context: vscode.ExtensionContext): ContextExports {
	setBundle(vscode.l10n.bundle);
	const log = vscode.window.createOutputChannel('contextd', { log: true });
	const daemon = new Daemon(context, log);
	const store = new UsageStore();
	const tracker = new SessionTracker(daemon, store, context.workspaceState, log);
	const documents = new SessionDocuments(daemon);
	const runs = new CompactionRuns(store);
	const services: EditorServices = { context, daemon, store, tracker, documents, runs, log };
	activeDaemon = daemon;
	context.subscriptions.push(
		log,
		store,
		tracker,
		documents,
		showStatusBar(store),
		showNotices(store, daemon, runs),
		registerViews(services),
		registerCommands(services),
		registerTools(services),
		vscode.workspace.onDidChangeConfiguration((change) => {
			if (change.affectsConfiguration('contextd')) void daemon.sendSettings();
		}),
	);
	setImmediate(() => {
		daemon.start().catch((error: unknown) => log.error(`The daemon did not start: ${String(error)}`));
	});
	return createExports(services);
}

/** Ends the daemon after its running requests. */
export async function deactivate(): Promise<void> {
	await activeDaemon?.stop();
	activeDaemon = null;
}
