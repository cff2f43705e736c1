/** The user's daemon, connected when it is first needed. */

import { RequestError } from '../client/errors.ts';
import type { CommandDaemon } from '../front/console/daemon.ts';
import type { RequestDeclaration } from '../protocol/declaration.ts';

export type DaemonLink = Pick<CommandDaemon, 'request' | 'close'>;

/** A daemon whose connection is opened at the first request, and again after it was lost. */
export class SharedDaemon {
	readonly #connect: () => Promise<DaemonLink>;
	#link: Promise<DaemonLink> | undefined;

	constructor(connect: () => Promise<DaemonLink>) {
		this.#connect = connect;
	}

	/** Sends a request. Rejects like `CommandDaemon.request`, and if no daemon can be started. */
	async request<Params, Result>(
		declaration: RequestDeclaration<Params, Result>,
		params: Params,
	): Promise<Result> {
		this.#link ??= this.#connect();
		const link = this.#link;
		try {
			return await (await link).request(declaration, params);
		} catch (error) {
			if (!(error instanceof RequestError) && this.#link === link) this.#link = undefined;
			throw error;
		}
	}

	/** Closes the connection, if there is one. */
	async close(): Promise<void> {
		const link = await this.#link?.catch(() => undefined);
		await link?.close();
	}
}
