import { RequestError } from '../client/errors.ts';
import { Failure } from '../core/failure.ts';
import type { CommandDaemon } from '../front/console/daemon.ts';
import type { RequestDeclaration } from '../protocol/declaration.ts';
import { isFailureKind } from '../protocol/errors.ts';
import type { RecorderPort } from '../rpc/methods/recorder.ts';

/** The recorder of the daemon that all clients share. Connects to the daemon at the first call. */
export class RemoteRecorder implements RecorderPort {
	readonly #connect: () => Promise<CommandDaemon>;
	#daemon: Promise<CommandDaemon> | undefined;

	constructor(connect: () => Promise<CommandDaemon>) {
		this.#connect = connect;
	}

	/** Sends `recorder/METHOD` to the daemon; rejects with a `Failure` if that request fails. */
	async ask<Result>(method: string, params: object): Promise<Result> {
		this.#daemon ??= this.#connect();
		const daemon = await this.#daemon;
		try {
			const declaration = { method: `recorder/${method}` } as RequestDeclaration<object, Result>;
			return await daemon.request(declaration, params);
		} catch (error) {
			if (!(error instanceof RequestError) || !isFailureKind(error.kind)) throw error;
			throw new Failure(error.kind, error.message, {});
		}
	}

	/** Closes the connection to the daemon, if there is one. */
	async close(): Promise<void> {
		await (await this.#daemon)?.close();
	}
}
