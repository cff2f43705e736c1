/** The plugin's files in the state folder, with the command that it starts the daemon by. */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallPlace } from '../parts/agent.ts';
import { programFile } from '../parts/program.ts';
import { bytesOf, replaceFile } from '../parts/replaceFile.ts';

/** What the plugin starts the daemon with: absolute paths, and nothing that depends on a project. */
export interface DaemonStart {
	/** The program and its arguments. */
	argv: readonly string[];
	/** All that outlives the daemon. */
	stateFolder: string;
	/** The user's settings of daemons that plugins start. */
	settings: string;
}

/** The folder that Claude Code takes the plugin from: the same for every version. */
export function pluginFolder(stateFolder: string): string {
	return join(stateFolder, 'agents', 'claude');
}

/** The settings of daemons that plugins start, which the user may change. */
export function pluginSettings(stateFolder: string): string {
	return join(stateFolder, 'agents', 'settings.json');
}

/** The command that a plugin starts a copy of the program by. */
export function daemonStart(program: string, { node, stateFolder }: InstallPlace): DaemonStart {
	return { argv: [node, programFile(program)], stateFolder, settings: pluginSettings(stateFolder) };
}

/** Puts the plugin's files in their place, all or none. Gives their folder; undefined where the package brings none. */
export async function placePlugin(program: string, place: InstallPlace): Promise<string | undefined> {
	if (!existsSync(join(program, 'claude'))) return undefined;
	const folder = pluginFolder(place.stateFolder);
	const draft = `${folder}.${randomBytes(6).toString('hex')}`;
	await mkdir(join(place.stateFolder, 'agents'), { recursive: true, mode: 0o700 });
	try {
		await cp(join(program, 'claude'), draft, { recursive: true });
		const start = JSON.stringify(daemonStart(program, place), null, 1);
		await writeFile(join(draft, 'plugin', 'daemon.json'), `${start}\n`, { mode: 0o600 });
		await rm(folder, { recursive: true, force: true });
		await rename(draft, folder);
	} catch (error) {
		await rm(draft, { recursive: true, force: true });
		throw error;
	}
	const settings = pluginSettings(place.stateFolder);
	if ((await bytesOf(settings)) === undefined) {
		const text = JSON.stringify({ storage: { directory: place.stateFolder } }, null, 2);
		await replaceFile(settings, `${text}\n`, 0o600);
	}
	return folder;
}

/** Takes the plugin's files away. */
export function removePluginFiles(stateFolder: string): Promise<void> {
	return rm(pluginFolder(stateFolder), { recursive: true, force: true });
}
