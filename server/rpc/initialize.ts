import type { InitializeParams, InitializeResult } from 'vscode-languageserver-protocol';
import * as z from 'zod';
import type { RequestMethod } from './call/method.ts';

/** The part of LSP's `InitializeParams` that the daemon relies on; all else passes unchecked. */
const initializeParams = z.object({
	processId: z.number().int().nullish(),
	rootUri: z.string().nullish(),
	workspaceFolders: z.array(z.object({ uri: z.string(), name: z.string().optional() })).nullish(),
	capabilities: z.record(z.string(), z.unknown()).nullish(),
	clientInfo: z.object({ name: z.string(), version: z.string().optional() }).nullish(),
});

/** LSP's `initialize`; absent `capabilities` count as none. */
export function initializeMethod(
	answer: (params: InitializeParams) => Promise<InitializeResult>,
): RequestMethod {
	return {
		method: 'initialize',
		params: initializeParams,
		handle(params: InitializeParams) {
			return answer({ ...params, capabilities: params.capabilities ?? {} });
		},
	};
}

/** LSP's `shutdown`. */
export function shutdownMethod(shutDown: () => Promise<void>): RequestMethod {
	return {
		method: 'shutdown',
		params: z.unknown(),
		async handle() {
			await shutDown();
			return null;
		},
	};
}
