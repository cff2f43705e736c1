/** The methods of the contract, declared before their handlers are loaded. */

import { newestCommandNames } from './call/commandNames.ts';
import type { NotificationMethod, RequestMethod } from './call/method.ts';

/** The exports of the contract, including its declarations. */
type Contract = Readonly<Record<string, unknown>>;

interface Declared {
	kind: string;
	method: string;
	direction: string;
}

function isDeclared(one: unknown): one is Declared {
	return typeof one === 'object' && one !== null && 'kind' in one && 'method' in one && 'direction' in one;
}

/** Returns the names of all messages of a kind that clients send, if they match `own`. */
function declaredIn(contract: Contract, kind: string, own: RegExp): string[] {
	return Object.values(contract).flatMap((one) =>
		isDeclared(one) && one.kind === kind && one.direction === 'to the daemon' && own.test(one.method)
			? [one.method]
			: [],
	);
}

/** Returns a lookup by name; `list` is called once, at the first lookup. */
function lookup<Method extends { method: string }>(list: () => readonly Method[]): (name: string) => Method {
	let methods: ReadonlyMap<string, Method> | undefined;
	return (name) => {
		methods ??= new Map(list().map((one) => [one.method, one]));
		const found = methods.get(name);
		if (found === undefined) throw new TypeError(`${name} is declared but has no handler`);
		return found;
	};
}

/** Returns the names of the requests of the contract, without those of LSP. */
export function declaredRequests(contract: Contract): string[] {
	return declaredIn(contract, 'request', /^(context|recorder|session)\//);
}

/**
 * Returns a method for every request of the contract, handled by the method of that name in `loaded`.
 * @param loaded called at the first request; throws if the handlers cannot be loaded
 */
export function deferredRequests(
	contract: Contract,
	loaded: () => readonly RequestMethod[],
): RequestMethod[] {
	const find = lookup(loaded);
	return declaredRequests(contract).map((method) => ({
		method,
		handle: (params, context, root) => find(method).handle(params, context, root),
	}));
}

/** Like `deferredRequests`, for the commands that need no argument. */
export function deferredCommands(loaded: () => readonly RequestMethod[]): RequestMethod[] {
	const find = lookup(loaded);
	return newestCommandNames.map((method) => ({
		method,
		handle: (params, context) => find(method).handle(params, context),
	}));
}

/** Like `deferredRequests`, for notifications about files. */
export function deferredNotifications(
	contract: Contract,
	loaded: () => readonly NotificationMethod[],
): NotificationMethod[] {
	const find = lookup(loaded);
	return declaredIn(contract, 'notification', /^context\/|^workspace\/didChangeWatchedFiles$/).map(
		(method) => ({ method, handle: (params, log) => find(method).handle(params, log) }),
	);
}
