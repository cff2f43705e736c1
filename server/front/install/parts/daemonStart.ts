/** How plugins start the daemon: a copy of the program, and one settings file that the user may edit. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from './agent.ts';
import { readBytesIfExists, replaceFile } from './files.ts';
import { getProgramFile } from './program.ts';

/** A plugin's command to start the daemon, with absolute paths that do not depend on a project. */
export interface StartCommand {
	/** The program and its arguments. */
	argv: readonly string[];
	/** The folder with everything that outlives the daemon. */
	stateFolder: string;
	/** Path of the user's settings for daemons that plugins start. */
	settings: string;
}

/** Returns the path of the settings for daemons that plugins start. */
export function getPluginSettingsPath(stateFolder: string): string {
	return join(stateFolder, 'agents', 'settings.json');
}

/** Returns a plugin's command to start a copy of the program. */
export function createStartCommand(program: string, { node, stateFolder }: Machine): StartCommand {
	return { argv: [node, getProgramFile(program)], stateFolder, settings: getPluginSettingsPath(stateFolder) };
}

/**
 * Creates the settings file of plugins if it is missing. It names the state folder, and leaves all else to the
 * defaults.
 */
export async function createPluginSettings(stateFolder: string): Promise<void> {
	const settingsPath = getPluginSettingsPath(stateFolder);
	if ((await readBytesIfExists(settingsPath)) !== undefined) return;
	await replaceFile(settingsPath, createDefaultSettings(stateFolder), 0o600);
}

function createDefaultSettings(stateFolder: string): string {
	return `${JSON.stringify({ storage: { directory: stateFolder } }, null, 2)}\n`;
}

/** Removes the settings if the user has not changed them. */
export async function removePluginSettings(stateFolder: string): Promise<void> {
	const settingsPath = getPluginSettingsPath(stateFolder);
	const bytes = await readBytesIfExists(settingsPath);
	if (bytes?.toString('utf8') === createDefaultSettings(stateFolder)) await rm(settingsPath);
}
