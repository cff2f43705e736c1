/** The interface through which terminal commands use the daemon. */

import type { RequestDeclaration } from '../../protocol/declaration.ts';
import type { WorkDoneProgressValue } from '../../protocol/lsp.ts';
import { contextStats } from '../../protocol/stats.ts';
import { createWorkFailure } from './failure.ts';

export interface CommandDaemon {
	/** Sends a request. Rejects with a `RequestError`, or with a `CommandFailure` of exit code 1 if the daemon has ended. */
	request<Params, Result>(declaration: RequestDeclaration<Params, Result>, params: Params): Promise<Result>;
	/** Calls `request` with a token for its progress, and `onProgress` for each report under that token. */
	requestWithProgress<Result>(
		request: (workDoneToken: string) => Promise<Result>,
		onProgress: (progress: WorkDoneProgressValue) => void,
	): Promise<Result>;
	/** Closes the connection, or ends a daemon that runs in this process. */
	close(): Promise<void>;
}

/** Starts, or connects to, the daemon that a command uses. */
export type OpenDaemon = () => Promise<CommandDaemon>;

/** The daemons that a command may use. */
export interface CommandDaemons {
	/** Starts a daemon in this process that keeps sessions in memory, for commands on transcripts. */
	startDaemon: OpenDaemon;
	/** Connects to the daemon that all clients of the user share, and starts it if none runs. */
	connectDaemon: OpenDaemon;
}

/** Runs a task with a daemon, and closes the daemon when the task ends. */
export async function useDaemon<Result>(
	start: OpenDaemon,
	task: (daemon: CommandDaemon) => Promise<Result>,
): Promise<Result> {
	const daemon = await start();
	try {
		return await task(daemon);
	} finally {
		await daemon.close();
	}
}

/** Requests the stats of a session; throws with exit code 1 if the session has no message. */
export async function requestStats(daemon: CommandDaemon, sessionId: string) {
	const stats = await daemon.request(contextStats, { sessionId });
	if (!stats) throw createWorkFailure('the daemon accepted the messages but returned no stats');
	return stats;
}
