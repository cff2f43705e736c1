/** Everything that exists once per state folder: sessions, followed transcripts, watched files. */

import type { Settings } from '../protocol/settings.ts';
import type { Logger } from '../session/ports.ts';
import type { WiredClient } from './clientWiring.ts';
import type { MachineOptions, ServedClient } from './readingWiring.ts';
import type { WiredServices } from './wiring.ts';

export interface ServicesOptions extends Omit<MachineOptions, 'stateFolder'> {
	/** State folder; by default that of the first client's settings. */
	stateFolder?: string;
	/** The folder of the rank tables. */
	tablesFolder: string;
	version: string;
	/**
	 * Takes the state folder; called before writes.
	 *
	 * Resolves with undefined if this process owns the folder, which is the default. If another process owns it,
	 * resolves with a clause that names that process; sessions are then read-only.
	 */
	findOtherOwner?(stateFolder: string): Promise<string | undefined>;
	/** Log for messages about all clients, in addition to the clients' own logs. */
	log?: Logger;
}

/** A client that has sent its settings, as its conversation introduces it. */
export interface IntroducedClient extends ServedClient {
	/** Returns the state folder that the client's settings name. */
	getStateFolder(): string;
	/** Milliseconds since the client last had an unfinished message; 0 while it has one. */
	getIdleMs(): number;
}

/** Milliseconds between removals of expired sessions and files. */
const expiryIntervalMs = 24 * 60 * 60 * 1000;

/**
 * The services of a state folder, whose code is loaded with the first client.
 *
 * The first introduced client determines the storage settings. The code is loaded once; if that fails, connecting
 * fails for every client.
 */
export class Services {
	readonly #options: ServicesOptions;
	/** Clients that are connected or wait for the code to load. */
	readonly #clients = new Set<IntroducedClient>();
	#firstClient: IntroducedClient | undefined;
	#loading: Promise<(client: ServedClient) => WiredClient> | undefined;
	#wired: WiredServices | undefined;
	#expiryTimer: NodeJS.Timeout | undefined;
	#lastLeftAt = Date.now();

	constructor(options: ServicesOptions) {
		this.#options = options;
	}

	get options(): Pick<ServicesOptions, 'platform' | 'version'> {
		return this.#options;
	}

	/**
	 * To be called when a client has sent its settings, before `connect`. The first client determines the storage
	 * settings; other storage settings of later clients are ignored, with a warning.
	 */
	introduce(client: IntroducedClient): void {
		this.#firstClient ??= client;
		const [used, requested] = [this.#getStorageSettings(), client.getSettings().storage];
		const names = Object.keys(used) as (keyof typeof used)[];
		const ignoredNames = names.filter((name) => name !== 'directory' && used[name] !== requested[name]);
		if (ignoredNames.length === 0) return;
		const settings = ignoredNames.map((name) => `storage.${name}`).join(', ');
		client.log.warn(`ignoring ${settings}: the daemon uses the settings of its first client`);
	}

	/** Connects an introduced client. Loads most of the program with the first one. */
	async connect(client: IntroducedClient): Promise<WiredClient> {
		this.#clients.add(client);
		try {
			this.#loading ??= this.#load();
			const connectLoaded = await this.#loading;
			const connection = connectLoaded(client);
			return {
				...connection,
				close: async () => {
					this.#removeClient(client);
					await connection.close();
				},
			};
		} catch (error) {
			this.#removeClient(client);
			throw error;
		}
	}

	/** Returns the state folder. Throws if the options do not name it and no client was introduced yet. */
	#getStateFolder(): string {
		const folder = this.#options.stateFolder ?? this.#firstClient?.getStateFolder();
		if (folder === undefined) throw new TypeError('no client was introduced yet');
		return folder;
	}

	/** Milliseconds since a client last had an unfinished message; 0 while one has. */
	getIdleMs(): number {
		return this.#clients.size === 0
			? Date.now() - this.#lastLeftAt
			: Math.min(...Array.from(this.#clients, (client) => client.getIdleMs()));
	}

	countOpenSessions(): number {
		return this.#wired?.store.listOpen().length ?? 0;
	}

	/** Closes up to `count` sessions that are not in use, least recently used first. */
	async closeIdleSessions(count: number): Promise<void> {
		await this.#wired?.store.closeIdle(count);
	}

	/** Flushes and closes everything. */
	async close(): Promise<void> {
		clearInterval(this.#expiryTimer);
		await this.#wired?.close();
	}

	/** Loads the code of the services; returns a function that connects a client to them. */
	async #load(): Promise<(client: ServedClient) => WiredClient> {
		const [{ wireServices }, { connectClient, createBackgroundReader }] = await Promise.all([
			import('./wiring.ts'),
			import('./clientWiring.ts'),
		]);
		const loaded = wireServices({
			...this.#options,
			stateFolder: this.#getStateFolder(),
			findOtherOwner: async () => this.#options.findOtherOwner?.(this.#getStateFolder()),
			getStorageSettings: () => this.#getStorageSettings(),
			getIdleMs: () => this.getIdleMs(),
			readAhead: createBackgroundReader,
			log: {
				error: (message) => this.#log('error', message),
				warn: (message) => this.#log('warn', message),
				info: (message) => this.#log('info', message),
				debug: (message) => this.#log('debug', message),
			},
		});
		this.#wired = loaded;
		loaded.removeExpiredData();
		this.#expiryTimer = setInterval(loaded.removeExpiredData, expiryIntervalMs).unref();
		return (client) => connectClient(loaded.shared, client);
	}

	#removeClient(client: IntroducedClient): void {
		this.#clients.delete(client);
		this.#lastLeftAt = Date.now();
	}

	#getStorageSettings(): Settings['storage'] {
		const settings = this.#firstClient?.getSettings().storage;
		if (settings === undefined) throw new TypeError('no client was introduced yet');
		return settings;
	}

	/** Logs a message for the process and to all clients. */
	#log(level: keyof Logger, message: string): void {
		this.#options.log?.[level](message);
		for (const { log } of this.#clients) log[level](message);
	}
}
