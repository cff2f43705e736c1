/** The plugin's files in the state folder, with the command that starts the daemon. */

import { existsSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallPlace } from '../parts/agent.ts';
import { createPluginSettings, daemonStart, type StartCommand } from '../parts/daemonStart.ts';
import { replaceFolder } from '../parts/replaceFile.ts';
import { settingsHooks } from './settingsHooks.ts';

/** The folder that Claude Code loads the plugin from; equal for every version. */
export function pluginFolder(stateFolder: string): string {
	return join(stateFolder, 'agents', 'claude');
}

/** The command of the plugin's hooks. */
export function hookArguments({ argv, settings }: StartCommand): string[] {
	return [...argv, 'hook', '--settings-from', settings];
}

/** What the plugin needs to know about the installation. */
export interface PluginTraits {
	/** Whether contextd is in the status line. */
	hasStatusLine: boolean;
	/** Whether mods may be missing. */
	isModlessPossible: boolean;
}

/** Writes the plugin's files atomically. Returns their folder; undefined if the package has none. */
export async function placePlugin(
	program: string,
	place: InstallPlace,
	{ hasStatusLine, isModlessPossible }: PluginTraits,
): Promise<string | undefined> {
	if (!existsSync(join(program, 'claude'))) return undefined;
	const folder = pluginFolder(place.stateFolder);
	await replaceFolder(folder, async (draft) => {
		await cp(join(program, 'claude'), draft, { recursive: true });
		const start = daemonStart(program, place);
		const startText = JSON.stringify({ ...start, hasStatusLine }, null, 1);
		await writeFile(join(draft, 'plugin', 'daemon.json'), `${startText}\n`, { mode: 0o600 });
		const hooks = settingsHooks(hookArguments(start), place, isModlessPossible);
		await addSettingsHooks(join(draft, 'plugin', 'hooks', 'hooks.json'), hooks);
	});
	await createPluginSettings(place.stateFolder);
	return folder;
}

/** Adds the settings hooks to the file that names the mod: they work where the mod may not run. */
async function addSettingsHooks(path: string, hooks: object): Promise<void> {
	const named: object = JSON.parse(await readFile(path, 'utf8'));
	await writeFile(path, `${JSON.stringify({ ...named, hooks }, null, 1)}\n`);
}

/** Removes the plugin's files. */
export function removePluginFiles(stateFolder: string): Promise<void> {
	return rm(pluginFolder(stateFolder), { recursive: true, force: true });
}
