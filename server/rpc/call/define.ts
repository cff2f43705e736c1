/** Combines a declared message with the validation of its params and its handler. */

import type * as z from 'zod/mini';
import { isFields } from '../../core/shape.ts';
import type { NotificationSignature, RequestSignature } from '../../protocol/declaration.ts';
import type { Logger } from '../../session/ports.ts';
import type { ConnectedClient } from './client.ts';
import { invalidParams } from './errors.ts';
import { ignoredText, lookalikeProblem, schemaShapeOf, unknownMembers } from './members.ts';
import type { CallContext, NotificationMethod, RequestMethod } from './method.ts';
import { type CheckResult, depthProblem, validateParams } from './params.ts';

/** Whether two types are identical, including optional members. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Rejects, at compile time, a schema whose output differs from the declared type. */
type Tied<Schema extends z.ZodMiniType, Declared> =
	Same<z.output<Schema>, Declared> extends true ? unknown : { checked: z.output<Schema>; declared: Declared };

function requireValid<Params>(schema: z.ZodMiniType<Params>, given: unknown, root?: string): Params {
	const checked = validateParams(schema, given, root);
	if (checked.problem !== undefined) throw invalidParams(checked.problem);
	return checked.value;
}

type ReadParams<Params> = (given: unknown, log: Logger, root?: string) => Params;

/** Our own methods; LSP methods may have any member that LSP defines. */
const ownMethods = /^(context|recorder|session)\//;

function paramsOf<Params>(method: string, schema: z.ZodMiniType<Params>): ReadParams<Params> {
	const knownMembers = ownMethods.test(method) ? schemaShapeOf(schema) : undefined;
	return (given, log, root) => {
		const unknown = knownMembers !== undefined && isFields(given) ? unknownMembers(knownMembers, given) : [];
		const lookalike = lookalikeProblem(unknown, root);
		if (lookalike !== undefined) throw invalidParams(lookalike);
		const params = requireValid(schema, given, root);
		const problem = depthProblem(given, root);
		if (problem !== undefined) throw invalidParams(problem);
		if (unknown.length > 0) log.warn(`${method}: ${ignoredText(unknown, root)}`);
		return params;
	};
}

/**
 * Returns a function that validates a message's params.
 *
 * It throws -32602 if they do not match the schema. The nesting depth of free-form members is not checked.
 */
export function parseParams<Params, Schema extends z.ZodMiniType<Params>>(
	_: { types?: { params: Params } },
	schema: Schema & Tied<Schema, Params>,
): (given: unknown) => Params {
	return (given) => requireValid<Params>(schema, given);
}

/**
 * Defines a request method.
 *
 * The handler receives only the declared members; null ones are absent. For our own methods, a member that resembles a
 * declared one is refused, and any other unknown member is logged.
 */
export function onRequest<Params, Result, Schema extends z.ZodMiniType<Params>>(
	{ method }: RequestSignature<Params, Result>,
	schema: Schema & Tied<Schema, Params>,
	handle: (params: Params, context: CallContext) => Promise<Result> | Result,
): RequestMethod {
	const read = paramsOf<Params>(method, schema);
	return { method, handle: (given, context, root) => handle(read(given, context.log, root), context) };
}

/** Defines a notification method, with params handled like those of a request. */
export function onNotification<Params, Schema extends z.ZodMiniType<Params>>(
	{ method }: NotificationSignature<Params>,
	schema: Schema & Tied<Schema, Params>,
	handle: (params: Params) => Promise<void> | void,
): NotificationMethod {
	const read = paramsOf<Params>(method, schema);
	return { method, handle: (given, log) => handle(read(given, log)) };
}

/** Defines a request to the client; returns its validated result, or what is wrong with it. */
export function requestClient<Params, Result, Schema extends z.ZodMiniType<Result>>(
	{ method }: RequestSignature<Params, Result>,
	schema: Schema & Tied<Schema, Result>,
): (client: ConnectedClient, params: Params, signal?: AbortSignal) => Promise<CheckResult<Result>> {
	return async (client, params, signal) =>
		validateParams<Result>(schema, await client.request(method, params, signal), 'result');
}
