import * as vscode from 'vscode';
import type { Parts } from '../parts.ts';
import { compact } from './compact.ts';
import { tellFailure } from './failure.ts';
import { openMessage } from './openMessage.ts';
import { pinFile } from './pinFile.ts';
import { pinMessage, unpinMessage } from './pinMessage.ts';
import { preview } from './preview.ts';
import { selectModel } from './selectModel.ts';
import { selectSession } from './selectSession.ts';
import { showChanges } from './showChanges.ts';
import { showMenu } from './showMenu.ts';
import { undo } from './undo.ts';

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
	cancelCompaction: ({ runs }) => runs.cancel(),
	restartDaemon: ({ daemon }) => daemon.restart(),
	showLog: ({ log }) => log.show(),
	showUsage: async (parts) => {
		const { showUsage } = await import('../view/panel.ts');
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
