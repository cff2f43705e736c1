/** The user's daemon, for terminal commands on stored sessions. */

import { openConnection } from '../client/connection.ts';
import { type DaemonClient, openDaemonStreams } from '../client/daemonStreams.ts';
import { ConnectionError, RequestError } from '../client/errors.ts';
import type { CommandDaemon } from '../front/console/daemon.ts';
import { createWorkFailure } from '../front/console/failure.ts';
import type { RequestDeclaration } from '../protocol/declaration.ts';
import { initialize, initialized } from '../protocol/lifecycle.ts';
import { progress, type WorkDoneProgressValue } from '../protocol/lsp.ts';

/**
 * Connects to the daemon, and starts one if none runs.
 *
 * Requests reject with the daemon's `RequestError`, or with the failure of a command (exit code 1) if the daemon
 * cannot be used.
 */
export async function connectCommandDaemon(client: DaemonClient): Promise<CommandDaemon> {
	const connection = openConnection(await openDaemonStreams(client));
	let lastToken = 0;

	async function request<Params, Result>(
		{ method }: Pick<RequestDeclaration<Params, Result>, 'method'>,
		params: Params,
	): Promise<Result> {
		try {
			return await connection.request<Result>(method, params);
		} catch (error) {
			const isUnavailable =
				error instanceof ConnectionError ||
				(error instanceof RequestError && error.kind === 'DaemonSuspended');
			throw isUnavailable ? createWorkFailure(error.message) : error;
		}
	}

	await request(initialize, { processId: process.pid, rootUri: null, capabilities: {} });
	await connection.notify(initialized.method, {});
	return {
		request,
		async requestWithProgress(send, report) {
			const token = `work-${++lastToken}`;
			const onProgress = (params: { token: unknown; value: WorkDoneProgressValue }): void => {
				if (params.token === token) report(params.value);
			};
			const stop = connection.onNotification(progress.method, onProgress);
			try {
				return await send(token);
			} finally {
				stop();
			}
		},
		close: () => connection.close(),
	};
}
