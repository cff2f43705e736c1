/** The daemon in this process, over streams in memory. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { parseFlags } from '../../server/core/settings/flags.ts';
import type { SettingsFile } from '../../server/node/settings/settingsFile.ts';
import type { DaemonInitializeResult } from '../../server/protocol/lifecycle.ts';
import type { Settings } from '../../server/protocol/settings.ts';
import type { AskModel } from '../../server/session/ports.ts';
import { ClientConversation } from '../../server/wiring/conversation.ts';
import { Services, type ServicesOptions } from '../../server/wiring/services.ts';
import { type Client, createClient } from './client.ts';
import { removeFolder } from './removeFolder.ts';

const tablesFolder = fileURLToPath(new URL('../../dist', import.meta.url));

export interface AppSetup {
	/** The folder of stored sessions; without it, they are in memory. */
	home?: string;
	/** The home folder of agents; the temporary folder by default. */
	userHome?: string;
	flags?: string[];
	/** Asks models of providers. */
	askProvider?: AskModel;
	environment?: Record<string, string>;
	/** Services shared with other clients; by default new services, which end with this client. */
	services?: Services;
	/** The client's working folder; by default that of this process. */
	cwd?: string;
	/** The settings file of `--settings-from`. */
	settingsFile?: SettingsFile;
	/** Params that replace or extend those of `initialize`. */
	initialize?: Record<string, unknown>;
}

export interface App extends Client {
	/** Returns the settings that apply to this client. */
	settings(): Settings;
	/** The answer to `initialize`. */
	initialized: DaemonInitializeResult;
	/** Returns the log so far. */
	errors(): string;
	/** Ends the input and resolves with the exit code. */
	stop(): Promise<number>;
}

/** Creates a folder that `removeFolders` removes. */
export function freshFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'contextd-test-'));
	folders.add(folder);
	return folder;
}

const folders = new Set<string>();

export async function removeFolders(): Promise<void> {
	await Promise.all([...folders].map(removeFolder));
	folders.clear();
}

/** Creates services that clients can share. */
export function testServices(options: Partial<ServicesOptions> = {}): Services {
	return new Services({ platform: process.platform, tablesFolder, version: '0.0.0', ...options });
}

/** Starts the daemon, initialized. It uses the heuristic estimator unless the setup chooses another. */
export async function startTestApp(setup: AppSetup = {}): Promise<App> {
	const input = new PassThrough();
	const output = new PassThrough();
	const errors = new PassThrough();
	let logged = '';
	errors.on('data', (chunk) => {
		logged += chunk;
	});
	const services = setup.services ?? testServices();
	const conversation = new ClientConversation(services, {
		input,
		output,
		errors,
		flags: parseFlags(['--stdio', ...(setup.flags ?? [])]),
		...(setup.askProvider && { askProvider: setup.askProvider }),
		...(setup.cwd && { cwd: setup.cwd }),
		...(setup.settingsFile && { settingsFile: setup.settingsFile }),
		environment: {
			...(setup.home === undefined
				? { CONTEXTD_MEMORY_ENABLED: 'false', CONTEXTD_HOME: tmpdir() }
				: { CONTEXTD_HOME: setup.home }),
			...setup.environment,
		},
		home: setup.userHome ?? tmpdir(),
		...(!setup.services && { onShutdown: () => services.close() }),
	});
	const client = createClient(input, output);
	const initialized = await client.initialize({
		initializationOptions: { estimator: 'heuristic' },
		...setup.initialize,
	});
	return {
		...client,
		initialized,
		settings: () => conversation.getSettings(),
		errors: () => logged,
		stop() {
			client.end();
			return conversation.server.exitCode;
		},
	};
}

/** Declares a daemon for all tests of a file, at the top of the file. Its members may only be used in tests and hooks. */
export function sharedApp(): App {
	const app = {} as App;
	beforeAll(async () => void Object.assign(app, await startTestApp()));
	afterAll(() => app.stop());
	return app;
}

/**
 * Declares daemons for the tests of a file, at the top of the file. After each test, its daemons are stopped and its
 * folders removed; `stop` stops the daemons earlier.
 */
export function startingApps(): { start(setup?: AppSetup): Promise<App>; stop(): Promise<void> } {
	const apps: App[] = [];
	const stop = async (): Promise<void> => {
		await Promise.all(apps.splice(0).map((app) => app.stop()));
	};
	afterEach(async () => {
		await stop();
		await removeFolders();
	});
	return {
		stop,
		async start(setup = {}) {
			const app = await startTestApp(setup);
			apps.push(app);
			return app;
		},
	};
}
