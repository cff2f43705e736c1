import type { ExecuteCommandParams } from 'vscode-languageserver-protocol';
import * as z from 'zod/mini';
import { executeCommand } from '../../protocol/lsp.ts';
import { ownMethodPattern, toCommandName } from './commandNames.ts';
import { parseParams, type RequestMethod } from './define.ts';
import { normalizeParams, objectSchema } from './object.ts';

/** Parses the params of `workspace/executeCommand`; `arguments[0]` contains the params of the method. */
export const parseExecuteCommand = parseParams(
	executeCommand,
	objectSchema({
		command: z.string(),
		arguments: z.optional(z.array(z.any())),
		workDoneToken: z.optional(z.union([z.string(), z.number()])),
	}),
);

/** Returns the methods under `context/`, `recorder/` and `session/`, by command name. */
export function createCommandTable(methods: readonly RequestMethod[]): ReadonlyMap<string, RequestMethod> {
	const ownMethods = methods.filter(({ method }) => ownMethodPattern.test(method));
	return new Map(ownMethods.map((method) => [toCommandName(method.method), method]));
}

/** Returns the params for a command's method, with the progress token of the command unless they have their own. */
export function readCommandArguments(params: ExecuteCommandParams): unknown {
	const { arguments: [argument] = [], workDoneToken } = params;
	const value = normalizeParams(argument);
	if (typeof value !== 'object' || value === null || workDoneToken === undefined) return value;
	if ('workDoneToken' in value || (Array.isArray(value) && value.length > 0)) return value;
	return { ...value, workDoneToken };
}
