import type { ExecuteCommandParams } from 'vscode-languageserver-protocol';
import * as z from 'zod/mini';
import { executeCommand } from '../../protocol/lsp.ts';
import { takes } from './define.ts';
import type { RequestMethod } from './method.ts';
import { namedParams, object } from './object.ts';

const commandPrefix = 'contextd.';
const offeredMethods = /^(context|session)\//;

/** Reads the params of `workspace/executeCommand`: the params of the method stand in `arguments[0]`. */
export const commandOf = takes(
	executeCommand,
	object({
		command: z.string(),
		arguments: z.optional(z.array(z.any())),
		workDoneToken: z.optional(z.union([z.string(), z.number()])),
	}),
);

/** The name under which a method answers to `workspace/executeCommand`: `contextd.context.stats`. */
function commandName(method: string): string {
	return `${commandPrefix}${method.replaceAll('/', '.')}`;
}

/**
 * The commands that stand for methods, by name: everything under `context/` and `session/`. Its keys are
 * what the capabilities list.
 */
export function commandTable(methods: readonly RequestMethod[]): ReadonlyMap<string, RequestMethod> {
	const offered = methods.filter(({ method }) => offeredMethods.test(method));
	return new Map(offered.map((method) => [commandName(method.method), method]));
}

/** The params for the method behind a command; a progress token of the command itself is handed down. */
export function commandArguments(params: ExecuteCommandParams): unknown {
	const { arguments: [argument] = [], workDoneToken } = params;
	const named = namedParams(argument);
	if (typeof named !== 'object' || named === null || workDoneToken === undefined) return named;
	if ('workDoneToken' in named || (Array.isArray(named) && named.length > 0)) return named;
	return { ...named, workDoneToken };
}
