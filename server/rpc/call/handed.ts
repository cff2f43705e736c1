/** A write, as it is handed to the process that holds its session. */

import type { RequestDeclaration } from '../../protocol/declaration.ts';
import type { Call } from '../../session/holders.ts';
import type { RequestContext } from './method.ts';

/** A request that writes, done in an instant. */
export function clientCall<Params, Result>(
	{ method }: RequestDeclaration<Params, Result>,
	params: unknown,
	context: RequestContext,
): Call {
	return {
		method,
		params,
		get signal() {
			return context.signal;
		},
	};
}

/** A request that writes and may take long: its client hears how far it is. */
export function longCallOf<Params, Result>(
	declaration: RequestDeclaration<Params, Result>,
	params: unknown,
	context: RequestContext,
): Call {
	return { ...clientCall(declaration, params, context), progress: context.progress };
}
