/** Joins a declared message with the check of its params and the work that answers it. */

import type { ZodType } from 'zod';
import type { NotificationDeclaration, RequestDeclaration } from '../../protocol/declaration.ts';
import { depthProblem } from './depth.ts';
import { invalidParams } from './errors.ts';
import type { NotificationMethod, RequestContext, RequestMethod } from './method.ts';

/** A request method. Null members of the params count as absent; params nested too deep are refused. */
export function answers<Params extends object, Result>(
	declaration: RequestDeclaration<Params, Result>,
	params: ZodType,
	handle: (params: Params, context: RequestContext) => Promise<Result> | Result,
): RequestMethod {
	return {
		method: declaration.method,
		params,
		handle: (given, context) => handle(usable(given as Params), context),
	};
}

/** A notification method; params as those of a request. */
export function listens<Params extends object>(
	declaration: NotificationDeclaration<Params>,
	params: ZodType,
	handle: (params: Params) => Promise<void> | void,
): NotificationMethod {
	return { method: declaration.method, params, handle: (given) => handle(usable(given as Params)) };
}

function usable<T extends object>(params: T): T {
	const problem = depthProblem(params);
	if (problem !== undefined) throw invalidParams(problem);
	if (!Object.values(params).some((value) => value === null)) return params;
	return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) as T;
}
