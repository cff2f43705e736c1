import * as z from 'zod';
import type { RequestMethod } from './method.ts';

const COMMAND_PREFIX = 'contextd.';
const OFFERED = /^(context|session)\//;

/** Params of `workspace/executeCommand`: the params of the method stand in `arguments[0]`. */
export const executeCommandParams = z.object({
	command: z.string(),
	arguments: z.array(z.unknown()).nullish(),
	workDoneToken: z.union([z.string(), z.number()]).nullish(),
});

export type ExecuteCommandParams = z.infer<typeof executeCommandParams>;

/** The name under which a method answers to `workspace/executeCommand`: `contextd.context.stats`. */
function commandName(method: string): string {
	return `${COMMAND_PREFIX}${method.replaceAll('/', '.')}`;
}

/**
 * The commands that stand for methods, by name: everything under `context/` and `session/`. Its keys are
 * what the capabilities list.
 */
export function commandTable(methods: readonly RequestMethod[]): ReadonlyMap<string, RequestMethod> {
	const offered = methods.filter(({ method }) => OFFERED.test(method));
	return new Map(offered.map((method) => [commandName(method.method), method]));
}

/** The params for the method behind a command; a progress token of the command itself is handed down. */
export function commandArguments(params: ExecuteCommandParams): unknown {
	const argument = params.arguments?.[0] ?? {};
	const token = params.workDoneToken;
	if (typeof argument !== 'object' || argument === null || Array.isArray(argument)) return argument;
	if (token === undefined || token === null || 'workDoneToken' in argument) return argument;
	return { ...argument, workDoneToken: token };
}
