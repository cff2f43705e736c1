/** The daemon as the front sees it: typed requests over one connection. */

import { type DaemonStreams, openConnection } from '../../client/connection.ts';
import { ConnectionError } from '../../client/errors.ts';
import type { RequestDeclaration, WorkDoneProgress } from '../../protocol/declaration.ts';
import { initialize, initialized, type ProgressParams, progress } from '../../protocol/lifecycle.ts';
import { workFailed } from './failure.ts';

export interface Daemon {
	/** Sends a request. Rejects with the daemon's `RequestError`, and with exit code 1 where the daemon is gone. */
	request<Params, Result>(declaration: RequestDeclaration<Params, Result>, params: Params): Promise<Result>;
	/** As `request`, for requests that report their progress under the token that they are given. */
	watch<Result>(
		request: (workDoneToken: string) => Promise<Result>,
		each: (progress: WorkDoneProgress) => void,
	): Promise<Result>;
	/** Lets the daemon end in an orderly way. */
	close(): Promise<void>;
}

/** A daemon that is gone fails the command. */
function failure(error: unknown): never {
	throw error instanceof ConnectionError ? workFailed(error.message) : error;
}

/**
 * Opens a conversation with a daemon, for no folder.
 * @param version the version that the client gives as its own
 */
export async function openDaemon(streams: DaemonStreams, version: string): Promise<Daemon> {
	const connection = openConnection(streams);
	const send = <Result>(method: string, params: unknown) =>
		connection.request<Result>(method, params).catch(failure);
	const clientInfo = { name: 'contextd', version };
	await send(initialize.method, { processId: process.pid, clientInfo, rootUri: null, capabilities: {} });
	await connection.notify(initialized.method, {}).catch(failure);
	let lastToken = 0;

	return {
		request: ({ method }, params) => send(method, params),
		async watch(request, each) {
			const own = `work-${++lastToken}`;
			const stop = connection.onNotification<ProgressParams>(progress.method, ({ token, value }) => {
				if (token === own) each(value);
			});
			try {
				return await request(own);
			} finally {
				stop();
			}
		},
		close: () => connection.close().catch(failure),
	};
}
