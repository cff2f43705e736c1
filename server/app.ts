/** The daemon over a pair of streams: its settings, and the conversation with its client. */

import type { Readable, Writable } from 'node:stream';
import { formatNames } from './core/format/names.ts';
import type { Flags } from './core/settings/flags.ts';
import { environmentLayer, environmentProblems } from './core/settings/layers.ts';
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
import type { SettingsFile } from './settingsFile.ts';
import { stateFolderOf } from './stateFolder.ts';
import type { Floors, FloorsOptions } from './wiring.ts';

export interface AppOptions extends FloorsOptions {
	input: Readable;
	output: Writable;
	errors: Writable;
	flags: Flags;
	/** All settings, in place of those of the environment, the flags and the client. */
	settingsFile?: SettingsFile;
	version: string;
}

const loggedLevels: Readonly<Record<LogLevel, LoggedLevel>> = {
	off: 'error',
	error: 'error',
	warning: 'warn',
	info: 'info',
	debug: 'debug',
};

/** What the daemon tells a client that it can do. */
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

function startLogger(options: AppOptions): ClientLogger {
	const logger = createLogger(options.errors, 'info');
	for (const warning of options.flags.warnings) logger.warn(warning);
	return logger;
}

function settingsOf({ settingsFile, environment, flags }: AppOptions, logger: ClientLogger): SettingsLayers {
	if (!settingsFile) {
		for (const problem of environmentProblems(environment)) logger.warn(problem);
		return createSettingsLayers(logger, environmentLayer(environment), flags.layer);
	}
	const ignored = Object.keys(flags.layer);
	if (ignored.length > 0) {
		logger.warn(
			`flags for ${ignored.join(', ')} are ignored: the settings are those of ${settingsFile.path}`,
		);
	}
	return createFixedSettings(logger, settingsFile.path, settingsFile.value);
}

/** The daemon over a pair of streams. */
export interface App extends Server {
	/** The state folder; what the client sets of it counts once it has said so in `initialize`. */
	stateFolder(): string;
	settings(): Settings;
}

/**
 * Starts the daemon over a pair of streams. Most of the program is loaded when `initialize` was answered, and all of it at
 * once: an update of the package may replace its files while the daemon runs.
 */
export function startApp(options: AppOptions): App {
	const logger = startLogger(options);
	const layers = settingsOf(options, logger);
	const setLogLevel = (): void => logger.setLevel(loggedLevels[layers.current().logLevel]);
	setLogLevel();
	const stateFolder = stateFolderOf(options, layers);
	const workspace = createWorkspace(() => wired?.foldersChanged());
	let offers: ClientCapabilities = {};
	let wired: Floors | undefined;
	let loadError: unknown;
	async function load(): Promise<void> {
		try {
			const { wireFloors } = await import('./wiring.ts');
			wired = wireFloors(options, {
				settings: layers.current,
				stateFolder,
				workspace: workspace.folders,
				client: () => server.client,
				offers: () => offers,
				idleFor: () => server.idleFor(),
				logger,
			});
			wired.expire();
			setInterval(wired.expire, 24 * 60 * 60 * 1000).unref();
		} catch (error) {
			loadError = error;
		}
	}
	function floors(): Floors {
		if (wired === undefined) throw loadError;
		return wired;
	}
	const pull = createSettingsPull({
		client: () => server.client,
		log: logger,
		received(settings) {
			layers.pulled(settings);
			setLogLevel();
		},
	});
	const requests = deferredRequests(protocol, () => floors().requests);
	const server = serve({
		input: options.input,
		output: options.output,
		framing: options.flags.framing,
		clientProcessId: options.flags.clientProcessId,
		logger,
		requests,
		notifications: [
			...workspace.notifications,
			...deferredNotifications(protocol, () => floors().notifications),
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
			return capabilitiesOf(requests, options.version);
		},
		onInitialized: load,
		async onShutdown() {
			await wired?.close();
		},
	});
	logger.attach(server.client);
	return { ...server, stateFolder, settings: layers.current };
}
