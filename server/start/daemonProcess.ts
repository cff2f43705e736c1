/** `contextd daemon serve`: the process that serves all clients of a state folder. */

import { existsSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseFlags } from '../core/settings/flags.ts';
import { defaultSettings } from '../core/settings/schema.ts';
import { asFields, firstText } from '../core/values.ts';
import type { ServeClient } from '../daemon/clientConnection.ts';
import { openDaemonLog } from '../daemon/daemonLog.ts';
import { type RunningDaemon, serveDaemon } from '../daemon/serveDaemon.ts';
import { FolderHeldError } from '../node/folderLock.ts';
import { LocationRefusedError } from '../node/ownFolder.ts';
import { getDefaultStateFolder } from '../node/stateFolder.ts';
import { inheritedFd, inheritFlag } from '../protocol/hello.ts';
import type { Settings } from '../protocol/settings.ts';
import { Recorder } from '../recorder/recorder.ts';
import { createLogger } from '../rpc/logMessage.ts';
import type { Logger } from '../session/ports.ts';
import { ClientConversation } from '../wiring/conversation.ts';
import { Services } from '../wiring/services.ts';
import { listenForEndSignals } from './endSignals.ts';
import { type ProcessContext, readClientEnvironment, startRecorder, startThread } from './serveProcess.ts';

/** Exit codes: `refused` if the state folder can hold no socket, `held` if another process serves the folder. */
const exitCodes = { refused: 2, held: 3 } as const;

/** Returns a function that returns whether this program's files were replaced since the call. */
function watchProgram(): () => boolean {
	const [, command = __filename] = process.argv;
	const identify = (): string => {
		const { dev, ino, size, mtimeMs } = statSync(command);
		return [dev, ino, size, mtimeMs].join();
	};
	const initialIdentity = identify();
	// The name of this file contains a hash of the program.
	return () => !existsSync(__filename) || !existsSync(command) || identify() !== initialIdentity;
}

/** Exits on unexpected errors, with a trace in the log; clients then connect to a new daemon. */
function exitOnErrors(log: Logger): void {
	const exit = (error: unknown): never => {
		log.error(error instanceof Error ? String(error.stack) : String(error));
		process.exit(1);
	};
	process.on('uncaughtException', exit);
	process.on('unhandledRejection', exit);
}

/** The settings of the daemon itself. Of the clients that changed them, the one that connected last decides. */
class NewestDaemonSettings {
	readonly #clients = new Set<ClientConversation>();
	#newest = defaultSettings.daemon;

	addClient(client: ClientConversation): void {
		this.#clients.add(client);
		void client.server.exitCode.then(() => this.#clients.delete(client));
	}

	getSettings(): Settings['daemon'] {
		for (const client of this.#clients) {
			const { daemon } = client.getSettings();
			if (!isDeepStrictEqual(daemon, defaultSettings.daemon)) this.#newest = daemon;
		}
		return this.#newest;
	}
}

/** Returns the connection that the parent process passed; undefined if there is none. */
function openInheritedConnection(argv: readonly string[]): Socket | undefined {
	if (!argv.includes(inheritFlag)) return undefined;
	return new Socket({ fd: inheritedFd, readable: true, writable: true, allowHalfOpen: true });
}

/** Stops on the first signal, and exits on the second. */
function stopOnSignals(daemon: RunningDaemon): void {
	let isStopping = false;
	listenForEndSignals(() => {
		if (isStopping) process.exit(1);
		isStopping = true;
		daemon.stop();
	});
}

/**
 * Serves the clients of a state folder until no client needs it. Returns the exit code.
 * @param argv arguments after `daemon serve`; `--storage` names the folder, by default that of the environment
 */
export async function runDaemon(argv: readonly string[], context: ProcessContext): Promise<number> {
	process.umask(0o077);
	const { environment, platform, home, version, tablesFolder } = context;
	const chosenFolder = firstText(asFields(parseFlags(argv).layer.storage).directory);
	const stateFolder =
		chosenFolder === undefined ? getDefaultStateFolder(environment, platform, home) : resolve(chosenFolder);
	// The client that starts a daemon creates the folder. If it is missing, it was removed: no daemon is wanted.
	if (!existsSync(stateFolder)) {
		process.stderr.write(`contextd: ${stateFolder} is gone\n`);
		return exitCodes.refused;
	}
	const log = createLogger(openDaemonLog(stateFolder));
	exitOnErrors(log);
	let daemon: RunningDaemon | undefined;
	const recorder = new Recorder({ stateFolder, home, platform, startThread: startRecorder, log });
	const services = new Services({
		stateFolder,
		platform,
		version,
		tablesFolder,
		startThread,
		recorder,
		log,
		// After a long suspension, a daemon on another machine may own the folder.
		findOtherOwner: async () =>
			daemon === undefined || (await daemon.isOwner()) ? undefined : 'another process has taken the folder',
	});
	const settings = new NewestDaemonSettings();
	const serveClient: ServeClient = async (hello, streams) => {
		const client = { ...(await readClientEnvironment(hello, platform)), cwd: hello.cwd };
		const conversation = new ClientConversation(services, {
			...streams,
			...client,
			flags: parseFlags(hello.flags),
		});
		settings.addClient(conversation);
		return conversation.server;
	};
	try {
		daemon = await serveDaemon({
			stateFolder,
			version,
			socketOptions: { runtimeFolder: environment.XDG_RUNTIME_DIR },
			starterConnection: openInheritedConnection(argv),
			serveClient,
			readSettings: () => settings.getSettings(),
			countOpenSessions: () => services.countOpenSessions(),
			closeIdleSessions: (count) => services.closeIdleSessions(count),
			isRecording: () => recorder.isRecording,
			close: async () => {
				await Promise.all([services.close(), recorder.stop()]);
			},
			isReplaced: watchProgram(),
			log,
		});
		stopOnSignals(daemon);
		recorder.start();
		return await daemon.exitCode;
	} catch (error) {
		if (!(error instanceof FolderHeldError) && !(error instanceof LocationRefusedError)) throw error;
		process.stderr.write(`contextd: ${error.message}\n`);
		return error instanceof FolderHeldError ? exitCodes.held : exitCodes.refused;
	}
}
