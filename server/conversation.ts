/** Serves one client over a pair of streams: its settings, folders and requests. */

import type { Readable, Writable } from 'node:stream';
import type { Connection } from './clientWiring.ts';
import { formatNames } from './core/format/names.ts';
import { environmentLayer, environmentProblems } from './core/settings/environment.ts';
import type { Flags } from './core/settings/flags.ts';
import { agentNames } from './core/transcript/names.ts';
import type { ClientCapabilities } from './protocol/capabilities.ts';
import * as protocol from './protocol/index.ts';
import type { DaemonInitializeResult } from './protocol/lifecycle.ts';
import type { LogLevel, Settings } from './protocol/settings.ts';
import { commandTable } from './rpc/call/executeCommand.ts';
import type { RequestMethod } from './rpc/call/method.ts';
import { deferredNotifications, deferredRequests } from './rpc/deferredMethods.ts';
import { type ClientLogger, createLogger, type LoggedLevel } from './rpc/logMessage.ts';
import { type Server, serve } from './rpc/serve.ts';
import { createFixedSettings, createSettingsLayers, type SettingsLayers } from './rpc/settings.ts';
import { createSettingsPull } from './rpc/settingsPull.ts';
import { createWorkspace } from './rpc/workspace.ts';
import type { IntroducedClient, Services } from './services.ts';
import type { AskModel } from './session/ports.ts';
import type { SettingsFile } from './settingsFile.ts';
import { stateFolderOf } from './stateFolder.ts';

export interface ConversationOptions {
	input: Readable;
	output: Writable;
	errors: Writable;
	flags: Flags;
	/** The client's environment variables. */
	environment: Readonly<Record<string, string | undefined>>;
	/** The user's home folder. */
	home: string;
	/** Base of the client's relative paths; by default the working folder of this process. */
	cwd?: string;
	/** All settings, instead of those of the environment, the flags and the client. */
	settingsFile?: SettingsFile;
	/** Asks a provider's model with the client's keys; absent if no provider can be asked. */
	askProvider?: AskModel;
	/** Called once, before the response to `shutdown`, or before the end if there was none. */
	onShutdown?(): Promise<void>;
}

export interface Conversation extends Server {
	/** The client's current settings. */
	settings(): Settings;
}

const loggedLevels: Readonly<Record<LogLevel, LoggedLevel>> = {
	off: 'error',
	error: 'error',
	warning: 'warn',
	info: 'info',
	debug: 'debug',
};

/** The daemon's capabilities. */
function capabilitiesOf(methods: readonly RequestMethod[], version: string): DaemonInitializeResult {
	return {
		capabilities: {
			workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
			executeCommandProvider: { commands: [...commandTable(methods).keys()], workDoneProgress: true },
			experimental: {
				contextd: {
					version: 1,
					methods: methods.map(({ method }) => method),
					formats: [...formatNames],
					estimators: ['heuristic', 'exact', 'calibrated'],
					framings: ['content-length', 'ndjson'],
					transcripts: [...agentNames],
				},
			},
		},
		serverInfo: { name: 'contextd', version },
	};
}

function startLogger(options: ConversationOptions): ClientLogger {
	const logger = createLogger(options.errors, 'info');
	for (const warning of options.flags.warnings) logger.warn(warning);
	return logger;
}

function settingsOf(
	{ settingsFile, environment, flags }: ConversationOptions,
	logger: ClientLogger,
): SettingsLayers {
	if (!settingsFile) {
		for (const problem of environmentProblems(environment)) logger.warn(problem);
		return createSettingsLayers(logger, environmentLayer(environment), flags.layer);
	}
	const ignored = Object.keys(flags.layer);
	if (ignored.length > 0) {
		logger.warn(`ignoring flags for ${ignored.join(', ')}: only those of ${settingsFile.path} apply`);
	}
	return createFixedSettings(logger, settingsFile.path, settingsFile.value);
}

/**
 * Serves one client until it disconnects.
 *
 * Most of the program is loaded after the first client's `initialize` was answered, and all of it at once: an update of the
 * package may replace its files while the daemon runs.
 */
export function serveConversation(services: Services, options: ConversationOptions): Conversation {
	const { platform, version } = services.options;
	const logger = startLogger(options);
	const layers = settingsOf(options, logger);
	const setLogLevel = (): void => logger.setLevel(loggedLevels[layers.current().logLevel]);
	setLogLevel();
	const workspace = createWorkspace(() => connection?.foldersChanged());
	let offers: ClientCapabilities = {};
	let connection: Connection | undefined;
	let connecting: Promise<void> | undefined;
	let loadError: unknown;
	const client: IntroducedClient = {
		settings: layers.current,
		stateFolder: stateFolderOf({ ...options, platform }, layers),
		workspace: workspace.folders,
		client: () => server.client,
		offers: () => offers,
		idleFor: () => server.idleFor(),
		log: logger,
		environment: options.environment,
		home: options.home,
		cwd: options.cwd ?? process.cwd(),
		askProvider: options.askProvider,
	};
	async function connect(): Promise<void> {
		try {
			connection = await services.connect(client);
		} catch (error) {
			loadError = error;
		}
	}
	function connected(): Connection {
		if (connection === undefined) throw loadError;
		return connection;
	}
	const pull = createSettingsPull({
		client: () => server.client,
		log: logger,
		received(settings) {
			layers.pulled(settings);
			setLogLevel();
		},
	});
	const requests = deferredRequests(protocol, () => connected().requests);
	const server = serve({
		input: options.input,
		output: options.output,
		framing: options.flags.framing,
		clientProcessId: options.flags.clientProcessId,
		logger,
		requests,
		notifications: [
			...workspace.notifications,
			...deferredNotifications(protocol, () => connected().notifications),
			layers.notification(setLogLevel, pull.read),
			pull.notification,
		],
		onInitialize(params) {
			workspace.initialize(params);
			layers.initialize(params.initializationOptions);
			// Settings from a file are never the client's.
			if (!options.settingsFile) pull.initialize(params);
			setLogLevel();
			offers = params.capabilities?.experimental?.contextd ?? {};
			services.introduce(client);
			return capabilitiesOf(requests, version);
		},
		onInitialized() {
			connecting = connect();
			return connecting;
		},
		async onShutdown() {
			// A client may disconnect while the program is being loaded.
			await connecting;
			await connection?.close();
			await options.onShutdown?.();
		},
	});
	logger.attach(server.client);
	return { ...server, settings: layers.current };
}
