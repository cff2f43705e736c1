/** How a plugin that was installed starts its daemon. */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { meetOver } from '../../server/client/connect.ts';
import { daemonStreams } from '../../server/client/daemonStreams.ts';
import { isFields, parsedJson } from '../../server/core/shape.ts';
import { stateDirectory } from '../../server/node/stateDirectory.ts';
import type { ViewStore } from '../ports.ts';
import { createDaemon, daemonBy, type PluginDaemon } from './daemon.ts';
import { viewFiles } from './viewFiles.ts';

declare const contextdVersion: string;

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
	/** Tokens that a result of a tool may have, until the daemon says so itself. */
	resultTokens: number;
}

/** Tokens that a result of a tool may have where nothing is set. */
export const usualResultTokens = 4000;

/** What the user set for results; the usual where the file says nothing of it, or is not to be read, which the daemon tells of. */
function resultTokensIn(settings: string): number {
	let text: string;
	try {
		text = readFileSync(settings, 'utf8');
	} catch {
		return usualResultTokens;
	}
	const set = parsedJson(text)?.value;
	const { toolResultTokens: tokens } = isFields(set) && isFields(set.agents) ? set.agents : {};
	return typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0 ? tokens : usualResultTokens;
}

/**
 * The daemon and the views of a plugin.
 * @param placed the JSON of a `DaemonStart`; another text where the file was not installed: then `contextd` is taken from the path
 * @param cwd the folder that the agent works in
 */
export function groundOf(placed: string, cwd: string): PluginGround {
	if (!placed.startsWith('{')) {
		const stateFolder = stateDirectory(process.env, process.platform, homedir());
		const daemon = createDaemon({ command: 'contextd', cwd });
		return { daemon, store: viewsIn(stateFolder), resultTokens: usualResultTokens };
	}
	const { argv, stateFolder, settings }: DaemonStart = JSON.parse(placed);
	const daemon = daemonBy(async () => {
		const flags = ['--settings-from', settings];
		const client = { program: argv, version: contextdVersion, flags, cwd, environment: process.env };
		const streams = await daemonStreams({ ...client, isBackground: true });
		return meetOver(streams, { cwd, capabilities: { notifications: false } });
	});
	return { daemon, store: viewsIn(stateFolder), resultTokens: resultTokensIn(settings) };
}

function viewsIn(stateFolder: string): ViewStore {
	return viewFiles(join(stateFolder, 'views'));
}
