import * as vscode from 'vscode';
import { showCompactionChanges, showPreview } from './card/panel.ts';
import { compactShownSession, compactWithInstructions } from './commands/compact.ts';
import { continueInAgent } from './commands/continueInAgent.ts';
import type { EditorServices } from './commands/editorServices.ts';
import { exportCompacted } from './commands/exportCompacted.ts';
import { showFailure } from './commands/failure.ts';
import { installPlugin } from './commands/offerAgentStart.ts';
import { openMessage } from './commands/openMessage.ts';
import { pinFile, pinMessage, unpinFile, unpinMessage } from './commands/pin.ts';
import { recordSessions } from './commands/recordSessions.ts';
import { searchSession } from './commands/search.ts';
import { selectModel, selectSession, storeProviderKey } from './commands/select.ts';
import { undoNewestCompaction } from './commands/undo.ts';
import { formatMenuTitle, listMenuEntries } from './usage/menu.ts';
import { showUsage } from './view/panel.ts';

type CommandHandler = (services: EditorServices, argument?: unknown) => unknown;

const commandHandlers: Readonly<Record<string, CommandHandler>> = {
	compact: compactShownSession,
	compactWithInstructions,
	preview: (services) => showPreview(services),
	undo: undoNewestCompaction,
	showChanges: showCompactionChanges,
	takeAlong: exportCompacted,
	continueInAgent: (services) => continueInAgent(services),
	installPlugin,
	searchSession,
	selectSession,
	pinMessage,
	unpinMessage,
	pinFile,
	unpinFile,
	selectModel,
	setKey: storeProviderKey,
	showMenu,
	openMessage,
	showUsage,
	followNewest: ({ tracker }) => tracker.choose(null),
	cancelCompaction: ({ runs }) => runs.cancel(),
	recordSessions,
	restartDaemon: ({ daemon }) => daemon.restart(),
	showLog: ({ log }) => log.show(),
};

/** Registers every command of the extension. */
export function registerCommands(services: EditorServices): vscode.Disposable {
	return vscode.Disposable.from(
		...Object.entries(commandHandlers).map(([name, command]) =>
			vscode.commands.registerCommand(`contextd.${name}`, (argument?: unknown) =>
				showFailure((async () => command(services, argument))(), services.log),
			),
		),
	);
}

/** Shows a menu of the commands that the user can run now. */
async function showMenu({ store }: EditorServices): Promise<void> {
	const usage = store.current();
	const choices = listMenuEntries(usage).map(({ icon, label, detail, command }) => ({
		label: `$(${icon}) ${label}`,
		detail,
		command,
	}));
	const picked = await vscode.window.showQuickPick(choices, { title: formatMenuTitle(usage) });
	if (picked) await vscode.commands.executeCommand(picked.command);
}
