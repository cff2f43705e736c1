/** Connects an installed plugin to its daemon and its stored views. */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { connectOver } from '../../server/client/connect.ts';
import { openDaemonStreams } from '../../server/client/daemonStreams.ts';
import { isFields, tryParseJson } from '../../server/core/shape.ts';
import { getDefaultStateFolder } from '../../server/node/stateFolder.ts';
import { createConversation } from '../conversation.ts';
import type { Conversation, ConversationOptions } from '../conversationTypes.ts';
import type { ViewStore } from '../ports.ts';
import { defaultResultTokens } from '../results.ts';
import { createDaemon, createDaemonOver, type PluginDaemon } from './daemon.ts';
import { createViewFiles } from './viewFiles.ts';

declare const contextdVersion: string;

/** How to start the daemon; `contextd install` writes this into a plugin's file. */
export interface DaemonStart {
	/** The program and its arguments, without those that select the protocol. */
	argv: readonly string[];
	/** contextd's state folder. */
	stateFolder: string;
	/** The path of the user's settings for plugins. */
	settings: string;
}

/** What a plugin in Node or Bun uses: the daemon, the store of its views, and the limit of tool results. */
export interface PluginServices {
	daemon: PluginDaemon;
	store: ViewStore;
	/** Maximum tokens of a tool result until the daemon reports its setting. */
	resultTokens: number;
}

/** Reads the limit of tool results from a settings file; returns the default if the limit is not set or cannot be read. */
function readResultTokens(settingsPath: string): number {
	let text: string;
	try {
		text = readFileSync(settingsPath, 'utf8');
	} catch {
		// The daemon reads the same file and reports the error.
		return defaultResultTokens;
	}
	const value = tryParseJson(text)?.value;
	const { toolResultTokens: tokens } = isFields(value) && isFields(value.agents) ? value.agents : {};
	return typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0 ? tokens : defaultResultTokens;
}

/**
 * Creates the daemon and the store of a plugin.
 * @param startJson JSON of a `DaemonStart`; any other text if the plugin was not installed. `contextd` is then looked up on the PATH
 * @param cwd the agent's working folder
 */
export function createPluginServices(startJson: string, cwd: string): PluginServices {
	if (!startJson.startsWith('{')) {
		const stateFolder = getDefaultStateFolder(process.env, process.platform, homedir());
		const daemon = createDaemon({ command: 'contextd', cwd });
		return { daemon, store: createViewFiles(join(stateFolder, 'views')), resultTokens: defaultResultTokens };
	}
	const { argv, stateFolder, settings }: DaemonStart = JSON.parse(startJson);
	const daemon = createDaemonOver(async () => {
		const flags = ['--settings-from', settings];
		const client = { program: argv, version: contextdVersion, flags, cwd, environment: process.env };
		const streams = await openDaemonStreams({ ...client, isBackground: true });
		return connectOver(streams, { cwd, capabilities: { notifications: false } });
	});
	const store = createViewFiles(join(stateFolder, 'views'));
	return { daemon, store, resultTokens: readResultTokens(settings) };
}

/** Creates the conversation of a session that uses the daemon and the store of its plugin. */
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
