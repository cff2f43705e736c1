import * as vscode from 'vscode';
import { compact, preview, undo } from './commands/compact.ts';
import { tellFailure } from './commands/failure.ts';
import type { Parts } from './commands/parts.ts';
import { pinFile, pinMessage, unpinMessage } from './commands/pinMessage.ts';
import { selectModel, selectSession, setKey } from './commands/select.ts';
import { openMessage, showChanges } from './commands/showChanges.ts';
import { menuOf } from './usage/menu.ts';

type Command = (parts: Parts, argument?: unknown) => unknown;

const commands: Readonly<Record<string, Command>> = {
	compact,
	preview,
	undo,
	showChanges,
	selectSession,
	pinMessage,
	unpinMessage,
	pinFile,
	selectModel,
	setKey,
	showMenu,
	openMessage,
	followNewest: ({ tracker }) => tracker.choose(null),
	cancelCompaction: ({ runs }) => runs.cancel(),
	restartDaemon: ({ daemon }) => daemon.restart(),
	showLog: ({ log }) => log.show(),
	showUsage: async (parts) => {
		const { showUsage } = await import('./view/panel.ts');
		showUsage(parts);
	},
};

/** Registers every command. */
export function registerCommands(parts: Parts): vscode.Disposable {
	return vscode.Disposable.from(
		...Object.entries(commands).map(([name, command]) =>
			vscode.commands.registerCommand(`contextd.${name}`, (argument?: unknown) =>
				tellFailure((async () => command(parts, argument))(), parts.log),
			),
		),
	);
}

/** Offers what is sensible now. */
async function showMenu({ store }: Parts): Promise<void> {
	const choices = menuOf(store.current()).map(({ icon, label, detail, command }) => ({
		label: `$(${icon}) ${label}`,
		detail,
		command,
	}));
	const picked = await vscode.window.showQuickPick(choices, { title: 'Context' });
	if (picked) await vscode.commands.executeCommand(picked.command);
}
