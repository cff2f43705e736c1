/** How an installed plugin reaches its daemon. */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { connectOver } from '../../server/client/connect.ts';
import { daemonStreams } from '../../server/client/daemonStreams.ts';
import { isFields, tryParseJson } from '../../server/core/shape.ts';
import { defaultStateFolder } from '../../server/node/stateFolder.ts';
import { createConversation } from '../conversation.ts';
import type { Conversation, ConversationOptions } from '../conversationTypes.ts';
import type { ViewStore } from '../ports.ts';
import { defaultResultTokens } from '../results.ts';
import { createDaemon, createDaemonOver, type PluginDaemon } from './daemon.ts';
import { viewFiles } from './viewFiles.ts';

declare const contextdVersion: string;

/** What `contextd install` writes into a plugin's file. */
export interface DaemonStart {
	/** The program and its arguments, without those of the protocol. */
	argv: readonly string[];
	/** The folder of everything that outlives the daemon. */
	stateFolder: string;
	/** The path of the user's settings for plugins. */
	settings: string;
}

/** The daemon, the store and the limit that a plugin in Node or Bun uses. */
export interface PluginServices {
	daemon: PluginDaemon;
	store: ViewStore;
	/** Tokens that a tool result may have until the daemon reports its setting. */
	resultTokens: number;
}

/** Reads the limit for tool results from a settings file; the default if it is not set or the file cannot be read, which the daemon reports. */
function resultTokensIn(settings: string): number {
	let text: string;
	try {
		text = readFileSync(settings, 'utf8');
	} catch {
		return defaultResultTokens;
	}
	const set = tryParseJson(text)?.value;
	const { toolResultTokens: tokens } = isFields(set) && isFields(set.agents) ? set.agents : {};
	return typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0 ? tokens : defaultResultTokens;
}

/**
 * Returns the daemon and the store of a plugin.
 * @param placed the JSON of a `DaemonStart`; any other text if the plugin was not installed: `contextd` is then taken from PATH
 * @param cwd the agent's working folder
 */
export function pluginServicesOf(placed: string, cwd: string): PluginServices {
	if (!placed.startsWith('{')) {
		const stateFolder = defaultStateFolder(process.env, process.platform, homedir());
		const daemon = createDaemon({ command: 'contextd', cwd });
		return { daemon, store: viewsIn(stateFolder), resultTokens: defaultResultTokens };
	}
	const { argv, stateFolder, settings }: DaemonStart = JSON.parse(placed);
	const daemon = createDaemonOver(async () => {
		const flags = ['--settings-from', settings];
		const client = { program: argv, version: contextdVersion, flags, cwd, environment: process.env };
		const streams = await daemonStreams({ ...client, isBackground: true });
		return connectOver(streams, { cwd, capabilities: { notifications: false } });
	});
	return { daemon, store: viewsIn(stateFolder), resultTokens: resultTokensIn(settings) };
}

function viewsIn(stateFolder: string): ViewStore {
	return viewFiles(join(stateFolder, 'views'));
}

/** Returns the conversation of a session, with the daemon and the store of its plugin. */
export function createPluginConversation<HostMessage>(
	{ daemon, store, resultTokens }: PluginServices,
	session: Pick<ConversationOptions<HostMessage>, 'sessionId' | 'dialect' | 'onWarning'>,
): Conversation<HostMessage> {
	return createConversation<HostMessage>({
		...session,
		ask: daemon.ask,
		clock: { now: () => Date.now() },
		store,
		rules: { tokens: resultTokens },
		undoCommand: '/contextd-undo',
		onCommand: '/contextd on',
	});
}
