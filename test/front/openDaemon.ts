import { type DaemonStreams, openConnection } from '../../server/client/connection.ts';
import { ConnectionError } from '../../server/client/errors.ts';
import type { CommandDaemon } from '../../server/front/console/daemon.ts';
import { createWorkFailure } from '../../server/front/console/failure.ts';
import { initialize, initialized } from '../../server/protocol/lifecycle.ts';
import { progress, type WorkDoneProgressValue } from '../../server/protocol/lsp.ts';

/** Turns a lost connection into a failure of the command. */
function failure(error: unknown): never {
	throw error instanceof ConnectionError ? createWorkFailure(error.message) : error;
}

/**
 * Opens a conversation with a daemon, without a folder.
 * @param version the version that the client reports
 */
export async function openDaemon(streams: DaemonStreams, version: string): Promise<CommandDaemon> {
	const connection = openConnection(streams);
	const send = <Result>(method: string, params: unknown) =>
		connection.request<Result>(method, params).catch(failure);
	const clientInfo = { name: 'contextd', version };
	await send(initialize.method, { processId: process.pid, clientInfo, rootUri: null, capabilities: {} });
	await connection.notify(initialized.method, {}).catch(failure);
	let lastToken = 0;

	return {
		request: ({ method }, params) => send(method, params),
		async requestWithProgress(request, each) {
			const own = `work-${++lastToken}`;
			const stop = connection.onNotification<{ token: unknown; value: WorkDoneProgressValue }>(
				progress.method,
				({ token, value }) => {
					if (token === own) each(value);
				},
			);
			try {
				return await request(own);
			} finally {
				stop();
			}
		},
		close: () => connection.close().catch(failure),
	};
}
