/** How a plugin that was installed starts its daemon. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import { stateDirectory } from '../../server/node/stateDirectory.ts';
import type { ViewStore } from '../ports.ts';
import { createDaemon, daemonBy, type PluginDaemon } from './daemon.ts';
import { viewFiles } from './viewFiles.ts';

/** What an installation writes into a plugin's file. */
export interface DaemonStart {
	/** The program and its arguments, without those of the protocol. */
	argv: readonly string[];
	/** All that outlives the daemon. */
	stateFolder: string;
	/** The user's settings of daemons that plugins start. */
	settings: string;
}

/** What a plugin in Node or Bun stands on. */
export interface PluginGround {
	daemon: PluginDaemon;
	store: ViewStore;
}

/**
 * The daemon and the views of a plugin.
 * @param placed the JSON of a `DaemonStart`; another text where the file was not installed: then `contextd` is taken from the path
 * @param cwd the folder that the agent works in
 */
export function groundOf(placed: string, cwd: string): PluginGround {
	if (!placed.startsWith('{')) {
		const stateFolder = stateDirectory(process.env, process.platform, homedir());
		return { daemon: createDaemon({ command: 'contextd', cwd }), store: viewsIn(stateFolder) };
	}
	const { argv, stateFolder, settings }: DaemonStart = JSON.parse(placed);
	const command = [...argv, '--stdio', '--settings-from', settings];
	return { daemon: daemonBy({ command, cwd }), store: viewsIn(stateFolder) };
}

function viewsIn(stateFolder: string): ViewStore {
	return viewFiles(join(stateFolder, 'views'));
}
