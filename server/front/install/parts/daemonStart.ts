/** How plugins start the daemon: a copy of the program, and one settings file that the user may edit. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallPlace } from './agent.ts';
import { programFile } from './program.ts';
import { readBytesIfExists, replaceFile } from './replaceFile.ts';

/** The command with which a plugin starts the daemon: absolute paths that do not depend on a project. */
export interface StartCommand {
	/** The program and its arguments. */
	argv: readonly string[];
	/** The folder with everything that outlives the daemon. */
	stateFolder: string;
	/** The user's settings for daemons that plugins start. */
	settings: string;
}

/** The path of the settings. */
export function pluginSettingsPath(stateFolder: string): string {
	return join(stateFolder, 'agents', 'settings.json');
}

/** The command with which a plugin starts a copy of the program. */
export function daemonStart(program: string, { node, stateFolder }: InstallPlace): StartCommand {
	return { argv: [node, programFile(program)], stateFolder, settings: pluginSettingsPath(stateFolder) };
}

/** Creates missing settings: they name the state folder, and leave everything else to the defaults. */
export async function createPluginSettings(stateFolder: string): Promise<void> {
	const settings = pluginSettingsPath(stateFolder);
	if ((await readBytesIfExists(settings)) !== undefined) return;
	await replaceFile(settings, usualSettings(stateFolder), 0o600);
}

function usualSettings(stateFolder: string): string {
	return `${JSON.stringify({ storage: { directory: stateFolder } }, null, 2)}\n`;
}

/** Removes the settings if the user has not changed them. */
export async function removePluginSettings(stateFolder: string): Promise<void> {
	const settings = pluginSettingsPath(stateFolder);
	const found = await readBytesIfExists(settings);
	if (found?.toString('utf8') === usualSettings(stateFolder)) await rm(settings);
}
