/** The daemon as the front sees it. */

import type { RequestDeclaration } from '../../protocol/declaration.ts';
import type { WorkDoneProgressValue } from '../../protocol/lsp.ts';

export interface Daemon {
	/** Sends a request. Rejects with the daemon's `RequestError`, and with exit code 1 where the daemon is gone. */
	request<Params, Result>(declaration: RequestDeclaration<Params, Result>, params: Params): Promise<Result>;
	/** As `request`, for requests that report their progress under the token that they are given. */
	watch<Result>(
		request: (workDoneToken: string) => Promise<Result>,
		each: (progress: WorkDoneProgressValue) => void,
	): Promise<Result>;
	/** Lets the daemon end in an orderly way. */
	close(): Promise<void>;
}
