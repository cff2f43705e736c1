/** A daemon in this process, whose clients have an echo and a request that hangs. */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DaemonOptions, type RunningDaemon, serveDaemon } from '../../server/daemon/serveDaemon.ts';
import type { Hello } from '../../server/protocol/hello.ts';
import type { ConnectedClient } from '../../server/rpc/call/client.ts';
import { createLogger } from '../../server/rpc/logMessage.ts';
import { Server } from '../../server/rpc/serve.ts';
import { echo, hang, introduction } from '../rpc/conversation.ts';
import { removeFolder } from '../support/removeFolder.ts';

export interface DaemonHere extends RunningDaemon {
	stateFolder: string;
	/** The daemon's clients in the order of their connections: hello, connection, and number of messages read. */
	clients: { hello: Hello; connection: ConnectedClient; received(): number }[];
	/** The daemon's log, each line with its level. */
	log: string[];
	settings: { idleMinutes: number; memoryMb: number };
}

const daemons = new Set<RunningDaemon>();
const folders = new Set<string>();

/** Returns a new state folder, which is removed at the end. */
export async function freshStateFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'contextd-daemon-'));
	folders.add(folder);
	return folder;
}

/** Serves a state folder in this process. */
export async function serveHere({
	beforeClient = async () => {},
	...options
}: Partial<DaemonOptions> & { beforeClient?(): Promise<void> } = {}): Promise<DaemonHere> {
	const stateFolder = options.stateFolder ?? (await freshStateFolder());
	const clients: DaemonHere['clients'] = [];
	const log: string[] = [];
	const settings = { idleMinutes: 10, memoryMb: 100_000 };
	const write = (level: string) => (message: string) => void log.push(`${level} ${message}`);
	const daemon = await serveDaemon({
		stateFolder,
		version: '0.1.0',
		async serveClient(hello, { input, output, errors }) {
			await beforeClient();
			const logger = createLogger(errors);
			const server = new Server({
				input,
				output,
				framing: 'ndjson',
				logger,
				requests: [echo, hang],
				notifications: [],
				onInitialize: () => introduction,
				onShutdown: () => logger.info('goodbye'),
			});
			clients.push({ hello, connection: server.client, received: () => server.getReceivedCount() });
			return server;
		},
		readSettings: () => settings,
		countOpenSessions: () => 0,
		closeIdleSessions: async () => {},
		close: async () => {},
		isReplaced: () => false,
		log: { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') },
		watchIntervalMs: 20,
		...options,
	});
	daemons.add(daemon);
	const { exitCode } = daemon;
	return {
		exitCode,
		stop: () => daemon.stop(),
		isOwner: () => daemon.isOwner(),
		stateFolder,
		clients,
		log,
		settings,
	};
}

/** Ends all daemons and removes their folders; for `afterEach`. */
export async function endDaemons(): Promise<void> {
	for (const daemon of daemons) daemon.stop();
	await Promise.all(Array.from(daemons, ({ exitCode }) => exitCode));
	daemons.clear();
	for (const folder of folders) await removeFolder(folder);
	folders.clear();
}
