import * as vscode from 'vscode';
import { compact, preview } from './commands/compact.ts';
import { tellFailure } from './commands/failure.ts';
import type { Parts } from './commands/parts.ts';
import { pinFile, pinMessage, unpinMessage } from './commands/pinMessage.ts';
import { selectModel } from './commands/selectModel.ts';
import { selectSession } from './commands/selectSession.ts';
import { openMessage, showChanges } from './commands/showChanges.ts';
import { showMenu } from './commands/showMenu.ts';
import { undo } from './commands/undo.ts';

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
