import { RequestError } from '../client/errors.ts';
import { Failure } from '../core/failure.ts';
import type { CommandDaemon } from '../front/console/daemon.ts';
import { SharedDaemon } from '../mcp/sharedDaemon.ts';
import type { RequestDeclaration } from '../protocol/declaration.ts';
import { isFailureKind } from '../protocol/errors.ts';
import type { RecorderPort } from '../rpc/methods/recorder.ts';

/** The recorder of the daemon that all clients share. Connects at the first call, and again after a connection was lost. */
export class RemoteRecorder implements RecorderPort {
	readonly #daemon: SharedDaemon;

	constructor(connect: () => Promise<CommandDaemon>) {
		this.#daemon = new SharedDaemon(connect);
	}

	/** Sends `recorder/METHOD` to the daemon; rejects with a `Failure` if that request fails. */
	async ask<Result>(method: string, params: object): Promise<Result> {
		try {
			const declaration = { method: `recorder/${method}` } as RequestDeclaration<object, Result>;
			return await this.#daemon.request(declaration, params);
		} catch (error) {
			if (!(error instanceof RequestError) || !isFailureKind(error.kind)) throw error;
			throw new Failure(error.kind, error.message, {});
		}
	}

	/** Closes the connection to the daemon, if there is one. */
	close(): Promise<void> {
		return this.#daemon.close();
	}
}
