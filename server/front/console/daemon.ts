/** The daemon, as terminal commands use it. */

import type { RequestDeclaration } from '../../protocol/declaration.ts';
import type { WorkDoneProgressValue } from '../../protocol/lsp.ts';

export interface CommandDaemon {
	/** Sends a request. Rejects with a `RequestError`, or with exit code 1 if the daemon has ended. */
	request<Params, Result>(declaration: RequestDeclaration<Params, Result>, params: Params): Promise<Result>;
	/** Like `request`, for requests that report progress under a given token. */
	watch<Result>(
		request: (workDoneToken: string) => Promise<Result>,
		each: (progress: WorkDoneProgressValue) => void,
	): Promise<Result>;
	/** Ends the daemon in an orderly way. */
	close(): Promise<void>;
}
