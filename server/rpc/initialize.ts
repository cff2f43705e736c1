import * as z from 'zod';
import * as protocol from '../protocol/lifecycle.ts';
import { answers, takes } from './call/define.ts';
import type { RequestMethod } from './call/method.ts';
import { object } from './call/object.ts';

/** Of clients that call something else by the product's name, nothing is believed and nothing refused. */
const flag = z.boolean().optional().catch(undefined);

const contextd = object({ notifications: flag, summarize: flag }).optional().catch(undefined);

/** The part of LSP's `InitializeParams` that the daemon relies on; all else passes unchecked. */
const paramsOf = takes(
	protocol.initialize,
	object({
		processId: z.number().int().optional(),
		clientInfo: object({ name: z.string(), version: z.string().optional() }).optional(),
		rootUri: z.string().optional(),
		workspaceFolders: z.array(object({ uri: z.string(), name: z.string().optional() })).optional(),
		capabilities: object({ experimental: object({ contextd }).optional().catch(undefined) }).optional(),
		initializationOptions: z.unknown().optional(),
	}),
);

/** LSP's `initialize`. */
export function initializeMethod(
	answer: (params: protocol.InitializeParams) => Promise<protocol.InitializeResult>,
): RequestMethod {
	return { method: protocol.initialize.method, handle: (params) => answer(paramsOf(params)) };
}

/** LSP's `shutdown`. */
export function shutdownMethod(shutDown: () => Promise<void>): RequestMethod {
	return answers(protocol.shutdown, z.unknown(), async () => {
		await shutDown();
		return null;
	});
}
