/** Methods by their names in the contract: what answers them is made when the first of them is called. */

import type { NotificationMethod, RequestMethod } from './call/method.ts';

/** Declarations of the contract, among whatever else stands beside them. */
type Contract = Readonly<Record<string, unknown>>;

interface Declared {
	kind: string;
	method: string;
	direction: string;
}

function isDeclared(one: unknown): one is Declared {
	return typeof one === 'object' && one !== null && 'kind' in one && 'method' in one && 'direction' in one;
}

/** The methods of a kind that the daemon is asked by. LSP's are not among them. */
function declaredIn(contract: Contract, kind: string, own: RegExp): string[] {
	return Object.values(contract).flatMap((one) =>
		isDeclared(one) && one.kind === kind && one.direction === 'to the daemon' && own.test(one.method)
			? [one.method]
			: [],
	);
}

/** Finds a method by its name; all are made when the first is looked for. */
function finding<Method extends { method: string }>(make: () => readonly Method[]): (name: string) => Method {
	let made: ReadonlyMap<string, Method> | undefined;
	return (name) => {
		made ??= new Map(make().map((one) => [one.method, one]));
		const found = made.get(name);
		if (found === undefined) throw new TypeError(`${name} is declared, and nobody answers it`);
		return found;
	};
}

/** The requests that a part of the contract declares. `make` must answer each of them. */
export function requestsOnCall(contract: Contract, make: () => readonly RequestMethod[]): RequestMethod[] {
	const find = finding(make);
	return declaredIn(contract, 'request', /^(context|session)\//).map((method) => ({
		method,
		handle: (params, context, root) => find(method).handle(params, context, root),
	}));
}

/** The notifications about files that a part of the contract declares. `make` must take each of them. */
export function notificationsOnCall(
	contract: Contract,
	make: () => readonly NotificationMethod[],
): NotificationMethod[] {
	const find = finding(make);
	return declaredIn(contract, 'notification', /^context\/|^workspace\/didChangeWatchedFiles$/).map(
		(method) => ({ method, handle: (params, log) => find(method).handle(params, log) }),
	);
}
