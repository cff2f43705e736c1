/** Everything that exists once per state folder, for all clients: sessions, followed transcripts, watched files. */

import type { Connection } from './clientWiring.ts';
import type { StartThread } from './node/transcript/thread/openInThread.ts';
import type { Settings } from './protocol/settings.ts';
import type { ServedClient } from './readingWiring.ts';
import type { Logger } from './session/ports.ts';
import type { WiredServices } from './wiring.ts';

export interface ServicesOptions {
	/** By default the folder of the first client's settings. */
	stateFolder?: string;
	platform: NodeJS.Platform;
	/** The folder of the rank tables. */
	tables: string;
	version: string;
	/**
	 * Takes the state folder; called before writes.
	 *
	 * Resolves with undefined if this process has it, which is the default. Resolves with a clause that names the other
	 * process that has it; sessions are read-only then.
	 */
	otherOwner?(stateFolder: string): Promise<string | undefined>;
	/** Starts a thread that reads a long transcript; absent: this thread reads all of them. */
	startThread?: StartThread;
	/** Log for what concerns all clients, in addition to their own logs. */
	log?: Logger;
}

/** A client as introduced by its conversation. */
export interface IntroducedClient extends ServedClient {
	/** The state folder that its settings name. */
	stateFolder(): string;
	/** Milliseconds since the client last had an unfinished message; 0 while it has one. */
	idleFor(): number;
}

export interface Services {
	readonly options: Pick<ServicesOptions, 'platform' | 'version'>;
	/**
	 * Call when a client has sent its settings, before `connect`.
	 * The first client decides about storage; different storage settings of later ones are ignored, with a warning.
	 */
	introduce(client: IntroducedClient): void;
	/** Connects an introduced client. Loads most of the program with the first one. */
	connect(client: IntroducedClient): Promise<Connection>;
	/** The state folder. Throws before the first client was introduced, unless the options name it. */
	stateFolder(): string;
	/** Milliseconds since a client last had an unfinished message; 0 while one has. */
	idleFor(): number;
	openSessions(): number;
	/** Closes up to `count` sessions that are not in use, least recently used first. */
	closeIdle(count: number): Promise<void>;
	/** Flushes and closes everything. */
	close(): Promise<void>;
}

/** Milliseconds between searches for expired sessions and files. */
const expiryIntervalMs = 24 * 60 * 60 * 1000;

/** Creates the services of a state folder. Their code is loaded with the first client. */
export function createServices(options: ServicesOptions): Services {
	const clients = new Set<IntroducedClient>();
	let first: IntroducedClient | undefined;
	let loading: Promise<(client: ServedClient) => Connection> | undefined;
	let wired: WiredServices | undefined;
	let expiry: NodeJS.Timeout | undefined;
	let lastLeft = Date.now();

	function stateFolder(): string {
		const folder = options.stateFolder ?? first?.stateFolder();
		if (folder === undefined) throw new TypeError('no client was introduced yet');
		return folder;
	}

	function storage(): Settings['storage'] {
		const settings = first?.settings().storage;
		if (settings === undefined) throw new TypeError('no client was introduced yet');
		return settings;
	}

	function idleFor(): number {
		return clients.size === 0
			? Date.now() - lastLeft
			: Math.min(...Array.from(clients, (client) => client.idleFor()));
	}

	function logToAll(level: keyof Logger, message: string): void {
		options.log?.[level](message);
		for (const { log } of clients) log[level](message);
	}

	/** Loads the code behind the services; returns what connects a client to them. */
	async function load(): Promise<(client: ServedClient) => Connection> {
		const [{ wireServices }, { connectClient, createAheadReader }] = await Promise.all([
			import('./wiring.ts'),
			import('./clientWiring.ts'),
		]);
		const loaded = wireServices({
			...options,
			stateFolder: stateFolder(),
			otherOwner: async () => options.otherOwner?.(stateFolder()),
			storage,
			idleFor,
			readAhead: createAheadReader,
			log: {
				error: (message) => logToAll('error', message),
				warn: (message) => logToAll('warn', message),
				info: (message) => logToAll('info', message),
				debug: (message) => logToAll('debug', message),
			},
		});
		wired = loaded;
		loaded.expire();
		expiry = setInterval(loaded.expire, expiryIntervalMs).unref();
		return (client) => connectClient(loaded.shared, client);
	}

	return {
		options,
		introduce(client) {
			first ??= client;
			const [own, theirs] = [storage(), client.settings().storage];
			const names = Object.keys(own) as (keyof typeof own)[];
			const ignored = names.filter((name) => name !== 'directory' && own[name] !== theirs[name]);
			if (ignored.length === 0) return;
			const settings = ignored.map((name) => `storage.${name}`).join(', ');
			client.log.warn(`ignoring ${settings}: the daemon uses the settings of its first client`);
		},
		async connect(client) {
			clients.add(client);
			const leave = (): void => {
				clients.delete(client);
				lastLeft = Date.now();
			};
			try {
				loading ??= load();
				const connectLoaded = await loading;
				const connection = connectLoaded(client);
				return {
					...connection,
					async close() {
						leave();
						await connection.close();
					},
				};
			} catch (error) {
				leave();
				throw error;
			}
		},
		stateFolder,
		idleFor,
		openSessions: () => wired?.store.open().length ?? 0,
		closeIdle: async (count) => wired?.store.closeIdle(count),
		async close() {
			clearInterval(expiry);
			await wired?.close();
		},
	};
}
