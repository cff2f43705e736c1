/** Plans the parts of setup for VS Code and its forks, which get the extension. */

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createWorkFailure } from '../console/failure.ts';
import { extractLastLine, findOnPath, runProgram } from '../install/parts/agentProgram.ts';
import type { PartState, SetupMachine, SetupPart } from './part.ts';

/** Id of the VS Code extension. */
const extensionId = 'contextd.contextd-vscode';

/** Titles of VS Code and its forks, by their commands. All of these commands have the same options. */
const titleByCommand: Readonly<Record<string, string>> = {
	code: 'VS Code',
	'code-insiders': 'VS Code Insiders',
	codium: 'VSCodium',
	cursor: 'Cursor',
	windsurf: 'Windsurf',
	kiro: 'Kiro',
	positron: 'Positron',
	trae: 'Trae',
	'code-server': 'code-server',
};

const gainText = 'extension: usage in the status bar, compaction, undo';

/** VS Code or one of its forks, found on this machine. */
export interface FoundEditor {
	title: string;
	/** Absolute path of the editor's command. */
	command: string;
	/** The version of the extension; undefined if it is not installed. */
	version?: string;
	/** The last line that the command printed, if it failed. */
	problem?: string;
}

/** Returns VS Code and its forks on the PATH. Starts each once, which takes up to a second. */
export async function findCodeEditors({
	env,
	platform,
}: Pick<SetupMachine, 'env' | 'platform'>): Promise<FoundEditor[]> {
	// The commands are `.cmd` files on Windows, which Node cannot start without a shell.
	if (platform === 'win32') return [];
	const names = Object.keys(titleByCommand);
	const firsts = await Promise.all(
		names.map(async (name) => (await findOnPath([name], { env, platform }))[0]),
	);
	const editors = names.flatMap((name, index) => {
		const command = firsts[index];
		return command === undefined ? [] : [{ title: titleByCommand[name] ?? name, command }];
	});
	return Promise.all(
		editors.map(async (editor): Promise<FoundEditor> => {
			const { hasSucceeded, output = '' } = await runProgram(
				editor.command,
				['--list-extensions', '--show-versions'],
				env,
			);
			if (!hasSucceeded) return { ...editor, problem: extractLastLine(output) || 'it cannot be started' };
			const line = output.split('\n').find((one) => one.startsWith(`${extensionId}@`));
			return { ...editor, ...(line && { version: line.slice(extensionId.length + 1).trim() }) };
		}),
	);
}

/** Returns the parts for the editors of this machine. */
export async function planEditorParts(machine: SetupMachine): Promise<SetupPart[]> {
	const editors = await findCodeEditors(machine);
	return editors.map((editor) => {
		const { title, command } = editor;
		const vsix = join(machine.packageFolder, '..', 'client-vscode', 'contextd.vsix');
		return {
			title,
			gain: gainText,
			state: chooseExtensionState(
				editor,
				machine.version,
				existsSync(vsix) ? undefined : describeMissingExtension(machine, command),
			),
			listChanges: async () => [
				{ path: `${basename(command)} --install-extension`, lines: [`${extensionId} from ${vsix}`] },
			],
			apply: async (manifest) => {
				if (editor.version === undefined) await manifest.addName('editors', command);
				const { hasSucceeded, output = '' } = await runProgram(
					command,
					['--install-extension', vsix, '--force'],
					machine.env,
				);
				if (!hasSucceeded)
					throw createWorkFailure(`${command} did not install the extension: ${extractLastLine(output)}`);
				return [`Installed the extension into ${title}; open windows need "Developer: Reload Window"`];
			},
		};
	});
}

/** Describes how to get an extension that the package does not contain. */
function describeMissingExtension({ packageFolder }: SetupMachine, command: string): string {
	const isCheckout = existsSync(join(packageFolder, '..', 'client-vscode', 'package.mjs'));
	return isCheckout
		? 'build it with "npm run package -w client-vscode", then run contextd setup again'
		: `get contextd.vsix, then run ${basename(command)} --install-extension contextd.vsix`;
}

function chooseExtensionState(
	{ version, problem }: FoundEditor,
	newest: string,
	missingText: string | undefined,
): PartState {
	if (problem !== undefined) return { kind: 'none', text: `its command failed: ${problem}` };
	if (version === newest) return { kind: 'done' };
	if (missingText !== undefined) return { kind: 'none', text: missingText };
	return { kind: 'due', word: version === undefined ? 'new' : `update from ${version}` };
}

export async function removeExtension(command: string, env: NodeJS.ProcessEnv): Promise<string> {
	const { hasSucceeded, output = '' } = await runProgram(
		command,
		['--uninstall-extension', extensionId],
		env,
	);
	if (hasSucceeded) return `Removed the extension from ${command}`;
	if (/is not installed/.test(output)) return `${command} no longer has the extension`;
	throw createWorkFailure(
		`${command} did not remove the extension: ${extractLastLine(output) || 'it cannot be started'}`,
	);
}
