/** The plugin's files in the state folder, with the command that starts the daemon. */

import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isFields, tryParseJson } from '../../../core/shape.ts';
import type { Machine } from '../parts/agent.ts';
import { createPluginSettings, createStartCommand, type StartCommand } from '../parts/daemonStart.ts';
import { readBytesIfExists, replaceFolder } from '../parts/files.ts';
import { createSettingsHooks } from './settingsHooks.ts';

/** Returns the folder that Claude Code loads the plugin from; it is the same for every version. */
export function getPluginFolder(stateFolder: string): string {
	return join(stateFolder, 'agents', 'claude');
}

/** Returns the path of the plugin's file with the command that starts the daemon. */
export function getStartCommandPath(stateFolder: string): string {
	return join(getPluginFolder(stateFolder), 'plugin', 'daemon.json');
}

/** Returns the plugin's command that starts the daemon; undefined if its file is missing or damaged. */
export async function readStartCommand(stateFolder: string): Promise<StartCommand | undefined> {
	const bytes = await readBytesIfExists(getStartCommandPath(stateFolder));
	const start = bytes && tryParseJson(bytes.toString('utf8'))?.value;
	return isFields(start) && Array.isArray(start.argv) ? (start as unknown as StartCommand) : undefined;
}

/** Returns the command line of the plugin's hooks. */
export function createHookArguments({ argv, settings }: StartCommand): string[] {
	return [...argv, 'hook', '--settings-from', settings];
}

/** Facts about the installation that determine the plugin's files. */
export interface PluginConditions {
	/** Whether contextd is in the status line. */
	hasStatusLine: boolean;
	/** Whether some Claude Code on this machine may run no mods. */
	mayRunWithoutMods: boolean;
}

/** Writes the plugin's files atomically. Returns their folder; undefined if the package has none. */
export async function writePluginFiles(
	program: string,
	machine: Machine,
	{ hasStatusLine, mayRunWithoutMods }: PluginConditions,
): Promise<string | undefined> {
	if (!existsSync(join(program, 'claude'))) return undefined;
	const folder = getPluginFolder(machine.stateFolder);
	await replaceFolder(folder, async (draft) => {
		await cp(join(program, 'claude'), draft, { recursive: true });
		const start = createStartCommand(program, machine);
		const startText = JSON.stringify({ ...start, hasStatusLine }, null, 1);
		await writeFile(join(draft, 'plugin', 'daemon.json'), `${startText}\n`, { mode: 0o600 });
		const hooks = createSettingsHooks(createHookArguments(start), machine, mayRunWithoutMods);
		await addSettingsHooks(join(draft, 'plugin', 'hooks', 'hooks.json'), hooks);
	});
	await createPluginSettings(machine.stateFolder);
	return folder;
}

/** Adds hooks to the plugin's file that names the mod. Claude Code runs hooks even if it runs no mods. */
async function addSettingsHooks(path: string, hooks: object): Promise<void> {
	const content: object = JSON.parse(await readFile(path, 'utf8'));
	await writeFile(path, `${JSON.stringify({ ...content, hooks }, null, 1)}\n`);
}
