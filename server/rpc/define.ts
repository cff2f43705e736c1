/** Joins a declared message with the check of its params and the work that answers it. */

import type { ZodType } from 'zod';
import type { NotificationDeclaration, RequestDeclaration } from '../protocol/message.ts';
import type { NotificationMethod, RequestContext, RequestMethod } from './method.ts';

/** A request method. Null members of the params count as absent. */
export function answers<Params extends object, Result>(
	declaration: RequestDeclaration<Params, Result>,
	params: ZodType,
	handle: (params: Params, context: RequestContext) => Promise<Result> | Result,
): RequestMethod {
	return {
		method: declaration.method,
		params,
		handle: (given, context) => handle(withoutNulls(given as Params), context),
	};
}

/** A notification method. */
export function listens<Params extends object>(
	declaration: NotificationDeclaration<Params>,
	params: ZodType,
	handle: (params: Params) => Promise<void> | void,
): NotificationMethod {
	return { method: declaration.method, params, handle: (given) => handle(withoutNulls(given as Params)) };
}

function withoutNulls<T extends object>(params: T): T {
	if (!Object.values(params).some((value) => value === null)) return params;
	return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) as T;
}
