/** What exists once per state folder, for all clients: sessions, followed transcripts, watched files. */

import type { Connection, ServedClient } from './clientWiring.ts';
import type { StartThread } from './node/transcript/thread/openInThread.ts';
import type { Settings } from './protocol/settings.ts';
import type { Logger } from './session/ports.ts';
import type { WiredServices } from './wiring.ts';

export interface ServicesOptions {
	/** By default the one that the first client's settings name. */
	stateFolder?: string;
	platform: NodeJS.Platform;
	/** The folder of the rank tables. */
	tables: string;
	version: string;
	/**
	 * Called before writes: takes the state folder. Resolves with a clause that names the other process that has it, and
	 * then sessions can only be read; with undefined if this process has it, as it does by default.
	 */
	otherOwner?(stateFolder: string): Promise<string | undefined>;
	/** Starts a thread that reads a long transcript; absent: all transcripts are read in this one. */
	startThread?: StartThread;
	/** Called when the program behind the services is loaded. */
	onLoad?(): void;
	/** Receives what concerns all clients, next to their own logs. */
	log?: Logger;
}

/** A client as its conversation introduces it. */
export interface IntroducedClient extends ServedClient {
	/** The state folder that its settings name. */
	stateFolder(): string;
	/** Milliseconds since the client last waited for anything; 0 while it does. */
	idleFor(): number;
}

export interface Services {
	readonly options: Pick<ServicesOptions, 'platform' | 'version'>;
	/**
	 * To be called when a client has sent its settings, before `connect`: the first one decides about storage. Another
	 * one's different settings of storage are ignored, with a warning in its log.
	 */
	introduce(client: IntroducedClient): void;
	/** Connects a client that was introduced. Loads most of the program with the first one. */
	connect(client: IntroducedClient): Promise<Connection>;
	/** The state folder. Throws before the first client was introduced, unless the options name it. */
	stateFolder(): string;
	/** Milliseconds since a client last waited for anything; 0 while one does. */
	idleFor(): number;
	openSessions(): number;
	/** Closes up to `count` sessions that are not in use, least recently used first. */
	closeIdle(count: number): Promise<void>;
	/** Flushes and closes everything. */
	close(): Promise<void>;
}

/** Milliseconds between two looks for sessions and files that have expired. */
const expiryInterval = 24 * 60 * 60 * 1000;

/** Creates the services of a state folder. The program behind them is loaded with the first client. */
export function createServices(options: ServicesOptions): Services {
	const clients = new Set<IntroducedClient>();
	let first: IntroducedClient | undefined;
	let loading: Promise<WiredServices> | undefined;
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

	async function load(): Promise<WiredServices> {
		const { wireServices } = await import('./wiring.ts');
		wired = wireServices({
			...options,
			stateFolder: stateFolder(),
			otherOwner: async () => options.otherOwner?.(stateFolder()),
			storage,
			idleFor,
			log: {
				error: (message) => logToAll('error', message),
				warn: (message) => logToAll('warn', message),
				info: (message) => logToAll('info', message),
				debug: (message) => logToAll('debug', message),
			},
		});
		wired.expire();
		options.onLoad?.();
		expiry = setInterval(wired.expire, expiryInterval).unref();
		return wired;
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
			client.log.warn(`${settings} ignored: the daemon runs with the settings of its first client`);
		},
		async connect(client) {
			clients.add(client);
			const leave = (): void => {
				clients.delete(client);
				lastLeft = Date.now();
			};
			try {
				loading ??= load();
				const connection = (await loading).connect(client);
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
