/** Serves one client over a pair of streams: its settings, folders and requests. */

import type { Readable, Writable } from 'node:stream';
import { errorText } from '../core/failure.ts';
import { isOnRemoteHost, toSlashedPath } from '../core/files/folder.ts';
import { createEnvironmentLayer, findEnvironmentProblems } from '../core/settings/environment.ts';
import type { DaemonFlags } from '../core/settings/flags.ts';
import { findSettings } from '../node/settings/findSettings.ts';
import type { SettingsFile } from '../node/settings/settingsFile.ts';
import { type ClientMachine, chooseStateFolder } from '../node/stateFolder.ts';
import type { ClientCapabilities } from '../protocol/capabilities.ts';
import type { DaemonInitializeResult } from '../protocol/lifecycle.ts';
import type { LogLevel } from '../protocol/settingParts.ts';
import type { Settings } from '../protocol/settings.ts';
import { newestCommands } from '../rpc/call/commandNames.ts';
import type { RequestMethod } from '../rpc/call/define.ts';
import { deferNotifications, deferRequests, listDeclaredRequests } from '../rpc/deferredMethods.ts';
import type { CheckedInitializeParams } from '../rpc/initializeParams.ts';
import { createInitializeResult } from '../rpc/initializeResult.ts';
import { type ClientLogger, createLogger, type LoggedLevel } from '../rpc/logMessage.ts';
import { Server } from '../rpc/serve.ts';
import { ClientSettings, createFixedSettings, type SettingsLayers } from '../rpc/settings.ts';
import { createSettingsPuller, type SettingsPuller } from '../rpc/settingsPull.ts';
import { createWorkspace, type Workspace } from '../rpc/workspace.ts';
import type { WiredClient } from './clientWiring.ts';
import type { IntroducedClient, Services } from './services.ts';

export interface ClientConversationOptions
	extends Pick<IntroducedClient, 'environment' | 'home' | 'askProvider'> {
	input: Readable;
	output: Writable;
	errors: Writable;
	flags: DaemonFlags;
	/** Base of the client's relative paths; by default the working folder of this process. */
	cwd?: string;
	/** Replaces the settings of the environment, the flags and the client. */
	settingsFile?: SettingsFile;
	/** Called once: before the response to `shutdown`, or at the end if the client sends no `shutdown`. */
	onShutdown?(): Promise<void>;
}

const levelBySetting: Readonly<Record<LogLevel, LoggedLevel>> = {
	off: 'error',
	error: 'error',
	warning: 'warn',
	info: 'info',
	debug: 'debug',
};

function createSettingsLayers(
	{ settingsFile, environment, flags }: ClientConversationOptions,
	logger: ClientLogger,
): SettingsLayers {
	if (!settingsFile) {
		for (const problem of findEnvironmentProblems(environment)) logger.warn(problem);
		return new ClientSettings(logger, createEnvironmentLayer(environment), flags.layer);
	}
	const ignoredSettings = Object.keys(flags.layer);
	if (ignoredSettings.length > 0)
		logger.warn(`ignoring flags for ${ignoredSettings.join(', ')}: only those of ${settingsFile.path} apply`);
	return createFixedSettings(logger, settingsFile.path, settingsFile.value);
}

/**
 * Serves one client until it disconnects.
 *
 * Most of the program is loaded after the first client's `initialize` was answered. It is then loaded completely,
 * because an update of the package may replace its files while the daemon runs. No other message is served until the
 * program is loaded. If it cannot be loaded, each request fails with the error.
 */
export class ClientConversation {
	readonly #services: Services;
	readonly #options: ClientConversationOptions;
	readonly #logger: ClientLogger;
	readonly #layers: SettingsLayers;
	readonly #workspace: Workspace;
	readonly #settingsPuller: SettingsPuller;
	readonly #requests: readonly RequestMethod[];
	readonly #client: IntroducedClient;
	readonly server: Server;
	#capabilities: ClientCapabilities = {};
	#canShowDocuments = false;
	#connection: WiredClient | undefined;
	#connecting: Promise<void> | undefined;
	#loadError: unknown;
	#settingsReadCount = 0;

	constructor(services: Services, options: ClientConversationOptions) {
		this.#services = services;
		this.#options = options;
		this.#logger = createLogger(options.errors);
		for (const warning of options.flags.warnings) this.#logger.warn(warning);
		this.#layers = createSettingsLayers(options, this.#logger);
		this.#setLogLevel();
		this.#workspace = createWorkspace(() => {
			this.#connection?.notifyFoldersChanged();
			this.#useSettingsFiles().catch((error) => this.#logger.error(errorText(error)));
		});
		this.#client = this.#createIntroduction();
		this.#settingsPuller = createSettingsPuller({
			getClient: () => this.server.client,
			log: this.#logger,
			apply: (getSettings) => {
				this.#layers.applyPulled(getSettings);
				this.#setLogLevel();
			},
		});
		this.#requests = deferRequests(listDeclaredRequests(), () => this.#requireConnection().requests);
		this.server = this.#createServer();
		this.#logger.attach(this.server.client);
	}

	/** Returns the client's current settings. */
	getSettings(): Settings {
		return this.#layers.getSettings();
	}

	#setLogLevel(): void {
		this.#logger.setLevel(levelBySetting[this.#layers.getSettings().logLevel]);
	}

	/** Applies the settings files of the user, and of the client's first folder. */
	async #useSettingsFiles(): Promise<void> {
		if (this.#options.settingsFile) return;
		const { platform } = this.#services.options;
		const [folder = this.#client.cwd] = this.#workspace
			.listFolders()
			.flatMap(({ uri }) => (isOnRemoteHost(uri) ? [] : (toSlashedPath(uri) ?? [])));
		const readNumber = ++this.#settingsReadCount;
		const files = await findSettings({ ...this.#options, platform }, folder);
		// The client may have changed its folders meanwhile.
		if (readNumber !== this.#settingsReadCount) return;
		this.#layers.useFiles(files);
		this.#setLogLevel();
	}

	#createIntroduction(): IntroducedClient {
		const { environment, home, cwd = process.cwd(), askProvider } = this.#options;
		const { platform } = this.#services.options;
		return {
			getSettings: () => this.#layers.getSettings(),
			getStateFolder: createStateFolderFinder({ ...this.#options, platform }, this.#layers),
			listWorkspaceFolders: this.#workspace.listFolders,
			getConnection: () => this.server.client,
			getCapabilities: () => this.#capabilities,
			canShowDocuments: () => this.#canShowDocuments,
			getIdleMs: () => this.server.getIdleMs(),
			log: this.#logger,
			environment,
			home,
			cwd,
			askProvider,
		};
	}

	#createServer(): Server {
		const { input, output, flags } = this.#options;
		return new Server({
			input,
			output,
			framing: flags.framing,
			clientProcessId: flags.clientProcessId,
			logger: this.#logger,
			requests: this.#requests,
			commands: deferRequests(newestCommands, () => this.#requireConnection().commands),
			notifications: [
				this.#workspace.changeMethod,
				...deferNotifications(() => this.#requireConnection().notifications),
				this.#layers.createChangeMethod(() => this.#setLogLevel(), this.#settingsPuller.pullInBackground),
				this.#settingsPuller.initializedMethod,
			],
			onInitialize: (params) => this.#initialize(params),
			onInitialized: () => {
				this.#connecting = this.#connect();
				return this.#connecting;
			},
			onShutdown: () => this.#close(),
		});
	}

	async #initialize(params: CheckedInitializeParams): Promise<DaemonInitializeResult> {
		this.#workspace.initialize(params);
		await this.#useSettingsFiles();
		this.#layers.initialize(params.initializationOptions);
		// With `--settings-from`, the client is not asked for settings.
		if (!this.#options.settingsFile) this.#settingsPuller.initialize(params);
		this.#setLogLevel();
		this.#capabilities = params.capabilities?.experimental?.contextd ?? {};
		this.#canShowDocuments = params.capabilities?.window?.showDocument?.support === true;
		this.#services.introduce(this.#client);
		return createInitializeResult(this.#services.options.version);
	}

	async #connect(): Promise<void> {
		try {
			this.#connection = await this.#services.connect(this.#client);
		} catch (error) {
			this.#loadError = error;
		}
	}

	#requireConnection(): WiredClient {
		if (this.#connection === undefined) throw this.#loadError;
		return this.#connection;
	}

	async #close(): Promise<void> {
		// A client may disconnect while the program is being loaded.
		await this.#connecting;
		await this.#connection?.close();
		await this.#options.onShutdown?.();
	}
}

/**
 * Returns a function that returns the state folder. The first call, which comes after the client has sent its settings,
 * fixes the folder.
 */
function createStateFolderFinder(client: ClientMachine, layers: SettingsLayers): () => string {
	let folder: string | undefined;
	return () => {
		folder ??= chooseStateFolder(client, layers.getSettings().storage.directory);
		return folder;
	};
}
