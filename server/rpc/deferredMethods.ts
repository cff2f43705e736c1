/** Declares the methods of the contract before their handlers are loaded. */

import * as contract from '../protocol/index.ts';
import { ownMethodPattern } from './call/commandNames.ts';
import type { NotificationMethod, RequestMethod } from './call/define.ts';

interface DeclaredMessage {
	kind: string;
	method: string;
	direction: string;
}

function isDeclared(one: unknown): one is DeclaredMessage {
	return typeof one === 'object' && one !== null && 'kind' in one && 'method' in one && 'direction' in one;
}

/** Lists the declared methods of one kind that clients send and whose names match `pattern`. */
function listDeclaredMethods(kind: string, pattern: RegExp): string[] {
	return Object.values<unknown>(contract).flatMap((one) =>
		isDeclared(one) && one.kind === kind && one.direction === 'to the daemon' && pattern.test(one.method)
			? [one.method]
			: [],
	);
}

/** Returns a function that finds a method by name. Calls `list` once, at the first use. */
function createMethodFinder<Method extends { method: string }>(
	list: () => readonly Method[],
): (name: string) => Method {
	let methods: ReadonlyMap<string, Method> | undefined;
	return (name) => {
		methods ??= new Map(list().map((one) => [one.method, one]));
		const method = methods.get(name);
		if (method === undefined) throw new TypeError(`${name} is declared but has no handler`);
		return method;
	};
}

/** Returns the names of the requests of the contract, without those of LSP. */
export function listDeclaredRequests(): string[] {
	return listDeclaredMethods('request', ownMethodPattern);
}

/**
 * Returns a method for each name. Its handler is found by the name in the result of `loadMethods`.
 * @param loadMethods called at the first request; throws if the handlers cannot be loaded
 */
export function deferRequests(
	names: readonly string[],
	loadMethods: () => readonly RequestMethod[],
): RequestMethod[] {
	const find = createMethodFinder(loadMethods);
	return names.map((method) => ({
		method,
		handle: (params, context, root) => find(method).handle(params, context, root),
	}));
}

/** Like `deferRequests`, but for notifications about files. */
export function deferNotifications(loadMethods: () => readonly NotificationMethod[]): NotificationMethod[] {
	const find = createMethodFinder(loadMethods);
	return listDeclaredMethods('notification', /^context\/|^workspace\/didChangeWatchedFiles$/).map(
		(method) => ({ method, handle: (params, log) => find(method).handle(params, log) }),
	);
}
