/** Combines a declared message with the validation of its params and its handler. */

import type * as z from 'zod/mini';
import { isFields } from '../../core/shape.ts';
import type { NotificationSignature, RequestSignature, SessionParams } from '../../protocol/declaration.ts';
import type { ClientContext } from '../../session/clientContext.ts';
import type { CallLane } from '../../session/order.ts';
import type { Logger } from '../../session/ports.ts';
import type { Session } from '../../session/session.ts';
import type { SessionStore } from '../../session/store/store.ts';
import type { ConnectedClient } from './client.ts';
import { ownMethodPattern } from './commandNames.ts';
import { createInvalidParamsError } from './errors.ts';
import { describeIgnored, describeLookalikes, findUnknownMembers, readSchemaShape } from './members.ts';
import { type CheckResult, describeExcessiveDepth, validateParams } from './params.ts';
import type { ProgressReporter } from './progress.ts';

/** What a request handler gets besides the params. */
export interface CallContext {
	/** Aborted when the client cancels the request, or when the daemon stops. */
	signal: AbortSignal;
	client: ConnectedClient;
	/** Reports progress under the request's `workDoneToken`, if there is one. The progress ends with the handler. */
	progress: ProgressReporter;
	/** The daemon's log, which also goes to the client. */
	log: Logger;
}

/** A method with a response. */
export interface RequestMethod {
	method: string;
	/**
	 * Validates the params (absent or null params count as `{}`) and handles the request.
	 *
	 * Runs up to its first `await` in the order in which requests arrive. Throws -32602 for invalid params.
	 * @param root name of the params in error messages; by default `params`
	 */
	handle(params: unknown, context: CallContext, root?: string): unknown;
}

/** A method without a response. */
export interface NotificationMethod {
	method: string;
	/** Validates the params and handles the notification. Throws -32602 for invalid params. */
	handle(params: unknown, log: Logger): unknown;
}

/** Whether two types are identical, including optional members. */
type AreIdentical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Rejects, at compile time, a schema whose output differs from the declared type. */
export type MatchesDeclared<Schema extends z.ZodMiniType, Declared> =
	AreIdentical<z.output<Schema>, Declared> extends true
		? unknown
		: { checked: z.output<Schema>; declared: Declared };

/** Returns the validated value. Throws -32602 if the value does not match the schema. */
export function requireValid<Params>(schema: z.ZodMiniType<Params>, value: unknown, root?: string): Params {
	const checkResult = validateParams(schema, value, root);
	if (checkResult.problem !== undefined) throw createInvalidParamsError(checkResult.problem);
	return checkResult.value;
}

type ReadParams<Params> = (value: unknown, log: Logger, root?: string) => Params;

function createParamsReader<Params>(method: string, schema: z.ZodMiniType<Params>): ReadParams<Params> {
	// LSP methods may have any member that LSP defines.
	const knownMembers = ownMethodPattern.test(method) ? readSchemaShape(schema) : undefined;
	return (value, log, root) => {
		const unknown =
			knownMembers !== undefined && isFields(value) ? findUnknownMembers(knownMembers, value) : [];
		const lookalike = describeLookalikes(unknown, root);
		if (lookalike !== undefined) throw createInvalidParamsError(lookalike);
		const params = requireValid(schema, value, root);
		const problem = describeExcessiveDepth(value, root);
		if (problem !== undefined) throw createInvalidParamsError(problem);
		if (unknown.length > 0) log.warn(`${method}: ${describeIgnored(unknown, root)}`);
		return params;
	};
}

/**
 * Returns a function that validates a message's params.
 *
 * It throws -32602 if the params do not match the schema. The nesting depth of free-form members is not checked.
 */
export function parseParams<Params, Schema extends z.ZodMiniType<Params>>(
	_: { types?: { params: Params } },
	schema: Schema & MatchesDeclared<Schema, Params>,
): (value: unknown) => Params {
	return (value) => requireValid<Params>(schema, value);
}

/**
 * Defines a request method.
 *
 * The handler receives only the declared members, without null ones. For contextd's own methods, a member that
 * resembles a declared one is refused, and any other unknown member is logged.
 */
export function onRequest<Params, Result, Schema extends z.ZodMiniType<Params>>(
	{ method }: RequestSignature<Params, Result>,
	schema: Schema & MatchesDeclared<Schema, Params>,
	handle: (params: Params, context: CallContext) => Promise<Result> | Result,
): RequestMethod {
	const readParams = createParamsReader<Params>(method, schema);
	return { method, handle: (value, context, root) => handle(readParams(value, context.log, root), context) };
}

/** Defines a notification method, with params handled like those of a request. */
export function onNotification<Params, Schema extends z.ZodMiniType<Params>>(
	{ method }: NotificationSignature<Params>,
	schema: Schema & MatchesDeclared<Schema, Params>,
	handle: (params: Params) => Promise<void> | void,
): NotificationMethod {
	const readParams = createParamsReader<Params>(method, schema);
	return { method, handle: (value, log) => handle(readParams(value, log)) };
}

/**
 * Defines a request to the client. The returned function resolves with the validated result, or with a
 * description of what is wrong with the result.
 */
export function requestClient<Params, Result, Schema extends z.ZodMiniType<Result>>(
	{ method }: RequestSignature<Params, Result>,
	schema: Schema & MatchesDeclared<Schema, Result>,
): (client: ConnectedClient, params: Params, signal?: AbortSignal) => Promise<CheckResult<Result>> {
	return async (client, params, signal) =>
		validateParams<Result>(schema, await client.request(method, params, signal), 'result');
}

/** Returns a function like `onRequest`, for requests on a session. It opens the session and passes it to the handler. */
export function createSessionDefiner(store: SessionStore, client: ClientContext) {
	return <Params extends SessionParams, Result, Schema extends z.ZodMiniType<Params>>(
		declaration: RequestSignature<Params, Result>,
		schema: Schema & MatchesDeclared<Schema, Params>,
		handle: (
			session: Session,
			params: Omit<Params, 'sessionId'>,
			context: CallContext,
			lane: CallLane,
		) => Promise<Result> | Result,
	): RequestMethod =>
		onRequest<Params, Result, Schema>(declaration, schema, ({ sessionId, ...params }, context) =>
			store.run(sessionId, client, (session, lane) => handle(session, params, context, lane)),
		);
}
