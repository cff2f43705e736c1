/** Joins a declared message with the check of what it carries and the work that it asks for. */

import type * as z from 'zod/mini';
import { isFields } from '../../core/shape.ts';
import type { NotificationSignature, RequestSignature } from '../../protocol/declaration.ts';
import type { Logger } from '../../session/ports.ts';
import type { ClientConnection } from './client.ts';
import { depthProblem } from './depth.ts';
import { invalidParams } from './errors.ts';
import { ignoredText, lookalikeProblem, memberPlaceOf, unknownMembers } from './members.ts';
import type { NotificationMethod, RequestContext, RequestMethod } from './method.ts';
import { type Checked, check } from './params.ts';

/** Whether two types are one and the same, optional members and all. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Refuses a schema that gives anything else than what is declared, be it more, less or looser. */
type Tied<Schema extends z.ZodMiniType, Declared> =
	Same<z.output<Schema>, Declared> extends true ? unknown : { checked: z.output<Schema>; declared: Declared };

function fitting<Params>(schema: z.ZodMiniType<Params>, given: unknown, root?: string): Params {
	const checked = check(schema, given, root);
	if (checked.problem !== undefined) throw invalidParams(checked.problem);
	return checked.value;
}

type ReadParams<Params> = (given: unknown, log: Logger, root?: string) => Params;

/** The methods that are ours alone; LSP's may carry whatever LSP has. */
const own = /^(context|session)\//;

function paramsOf<Params>(method: string, schema: z.ZodMiniType<Params>): ReadParams<Params> {
	const place = own.test(method) ? memberPlaceOf(schema) : undefined;
	return (given, log, root) => {
		const unknown = place !== undefined && isFields(given) ? unknownMembers(place, given) : [];
		const lookalike = lookalikeProblem(unknown, root);
		if (lookalike !== undefined) throw invalidParams(lookalike);
		const params = fitting(schema, given, root);
		const problem = depthProblem(given, root);
		if (problem !== undefined) throw invalidParams(problem);
		if (unknown.length > 0) log.warn(`${method}: ${ignoredText(unknown, root)}`);
		return params;
	};
}

/**
 * Gives the params of a message as they are declared. Throws -32602 where they do not fit; how deep its free members
 * are nested is for whoever looks into them.
 */
export function takes<Params, Schema extends z.ZodMiniType<Params>>(
	_: { types?: { params: Params } },
	schema: Schema & Tied<Schema, Params>,
): (given: unknown) => Params {
	return (given) => fitting<Params>(schema, given);
}

/**
 * A request method. The handler gets the members that are declared, and no others; null ones are absent. Of a method of
 * ours, a member that looks like a declared one is refused, and any other is told to the log.
 */
export function answers<Params, Result, Schema extends z.ZodMiniType<Params>>(
	{ method }: RequestSignature<Params, Result>,
	schema: Schema & Tied<Schema, Params>,
	handle: (params: Params, context: RequestContext) => Promise<Result> | Result,
): RequestMethod {
	const read = paramsOf<Params>(method, schema);
	return { method, handle: (given, context, root) => handle(read(given, context.log, root), context) };
}

/** A notification method; params as those of a request. */
export function listens<Params, Schema extends z.ZodMiniType<Params>>(
	{ method }: NotificationSignature<Params>,
	schema: Schema & Tied<Schema, Params>,
	handle: (params: Params) => Promise<void> | void,
): NotificationMethod {
	const read = paramsOf<Params>(method, schema);
	return { method, handle: (given, log) => handle(read(given, log)) };
}

/** A request to the client; gives its result as it is declared, or what is wrong with it. */
export function asks<Params, Result, Schema extends z.ZodMiniType<Result>>(
	{ method }: RequestSignature<Params, Result>,
	schema: Schema & Tied<Schema, Result>,
): (client: ClientConnection, params: Params, signal?: AbortSignal) => Promise<Checked<Result>> {
	return async (client, params, signal) =>
		check<Result>(schema, await client.request(method, params, signal), 'result');
}
