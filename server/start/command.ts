/** Runs terminal commands with the environment of the process. */

import { join, resolve } from 'node:path';
import type { CommandDaemon } from '../front/console/daemon.ts';
import { makePrintable } from '../front/output/printable.ts';
import { runFront } from '../front/run.ts';
import { getDefaultStateFolder } from '../node/stateFolder.ts';
import { listTranscriptFolders } from '../node/transcript/transcriptFolders.ts';
import type { InProcessOptions } from './inProcess.ts';

/** What a command gets from its process. */
type CommandContext = Pick<
	InProcessOptions,
	'environment' | 'platform' | 'home' | 'version' | 'tablesFolder' | 'askProvider'
>;

/** Runs a command; returns the exit code. The package's files are in the folder of its rank tables. */
export function runCommand(argv: readonly string[], context: CommandContext): Promise<number> {
	const { environment, platform, home, version, tablesFolder } = context;
	const warn = (message: string): void => void process.stderr.write(`contextd: ${makePrintable(message)}\n`);
	const connectDaemon = async (): Promise<CommandDaemon> =>
		(await import('./commandDaemon.ts')).connectCommandDaemon({
			program: [process.execPath, join(tablesFolder, 'contextd.cjs')],
			version,
			environment,
		});
	const inProcess = { ...context, warn, connectDaemon };
	return runFront(argv, {
		// Node creates this stream at first use, and most commands never use it.
		get stdin() {
			return process.stdin;
		},
		stdout: process.stdout,
		stderr: process.stderr,
		env: environment,
		transcriptFolders: listTranscriptFolders(context),
		version,
		peekSession: async (transcript) =>
			(await import('./inProcessDaemon.ts')).peekSession(transcript, context),
		collectCalls: async (query) =>
			(await import('./auditCalls.ts')).collectAllCalls(query, context, connectDaemon),
		openReplays: async (basis) =>
			(await import('../node/audit/replayCache.ts')).ReplayCache.open(
				await (await import('../relay/storageLocation.ts')).findUserStateFolder(context),
				basis,
			),
		findFolderNames: async (folder) =>
			(await import('../node/transcript/discover/listing.ts')).resolveFolderNames(folder),
		findSettingsFiles: async () =>
			(await import('../node/settings/findSettings.ts')).findSettings(context, process.cwd()),
		findDaemon: async (storage) =>
			(await import('../daemon/control.ts')).controlDaemon(
				storage === undefined
					? await (await import('../relay/storageLocation.ts')).findUserStateFolder(context)
					: resolve(storage),
			),
		serveMcp: async () =>
			(await import('../mcp/serveMcp.ts')).serveMcp({
				input: process.stdin,
				output: process.stdout,
				version,
				folder: process.cwd(),
				connect: connectDaemon,
				warn,
			}),
		startDaemon: async () => (await import('./inProcessDaemon.ts')).startInProcessDaemon(inProcess),
		startReader: async () =>
			(await import('./inProcessDaemon.ts')).startInProcessDaemon(inProcess, {
				shouldReadPluginSessions: true,
			}),
		connectDaemon,
		openWholeSession: async (...args) => (await import('./wholeSession.ts')).openWholeSession(...args),
		installMachine: {
			packageFolder: tablesFolder,
			stateFolder: getDefaultStateFolder(environment, platform, home),
			node: process.execPath,
			home,
			platform,
		},
	});
}
