import type { ExecuteCommandParams } from 'vscode-languageserver-protocol';
import * as z from 'zod/mini';
import { executeCommand } from '../../protocol/lsp.ts';
import { commandName } from './commandNames.ts';
import { parseParams } from './define.ts';
import type { RequestMethod } from './method.ts';
import { namedParams, objectSchema } from './object.ts';

const offeredMethods = /^(context|recorder|session)\//;

/** Parses the params of `workspace/executeCommand`; those of the method are in `arguments[0]`. */
export const parseExecuteCommand = parseParams(
	executeCommand,
	objectSchema({
		command: z.string(),
		arguments: z.optional(z.array(z.any())),
		workDoneToken: z.optional(z.union([z.string(), z.number()])),
	}),
);

/**
 * The methods under `context/` and `session/`, by command name.
 * The keys are listed in the server's capabilities.
 */
export function commandTable(methods: readonly RequestMethod[]): ReadonlyMap<string, RequestMethod> {
	const offered = methods.filter(({ method }) => offeredMethods.test(method));
	return new Map(offered.map((method) => [commandName(method.method), method]));
}

/** The params for the method of a command, with the command's own progress token. */
export function commandArguments(params: ExecuteCommandParams): unknown {
	const { arguments: [argument] = [], workDoneToken } = params;
	const named = namedParams(argument);
	if (typeof named !== 'object' || named === null || workDoneToken === undefined) return named;
	if ('workDoneToken' in named || (Array.isArray(named) && named.length > 0)) return named;
	return { ...named, workDoneToken };
}
