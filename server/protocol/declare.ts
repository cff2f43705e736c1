/** Creates the declarations of messages. Calls whose result is not used are left out of bundles. */

import type {
	Direction,
	NotificationDeclaration,
	NotificationSignature,
	RequestDeclaration,
	RequestSignature,
} from './declaration.ts';
import type { FailureKind } from './errors.ts';

/** Version of contextd that introduced all messages of the contract. */
const since = '0.1.0';

// @__NO_SIDE_EFFECTS__
/** Declares a request of LSP. */
export function declareLspRequest<Params, Result, Method extends string>(
	method: Method,
	direction: Direction,
): RequestSignature<Params, Result, Method> {
	return { kind: 'request', method, direction };
}

// @__NO_SIDE_EFFECTS__
/** Declares a notification of LSP. */
export function declareLspNotification<Params, Method extends string>(
	method: Method,
	direction: Direction,
): NotificationSignature<Params, Method> {
	return { kind: 'notification', method, direction };
}

// @__NO_SIDE_EFFECTS__
/** Declares a request of the contract; `errors` are the kinds of failures that may answer it. */
export function declareRequest<Params, Result, Method extends string>(
	method: Method,
	errors: readonly FailureKind[],
	direction: Direction = 'to the daemon',
): RequestDeclaration<Params, Result, Method> {
	return { kind: 'request', method, direction, since, errors };
}

// @__NO_SIDE_EFFECTS__
/** Declares a notification of the contract. */
export function declareNotification<Params, Method extends string>(
	method: Method,
	direction: Direction,
): NotificationDeclaration<Params, Method> {
	return { kind: 'notification', method, direction, since };
}
