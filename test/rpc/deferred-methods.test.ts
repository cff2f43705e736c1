import { expect, it } from 'vitest';
import type { CallContext, RequestMethod } from '../../server/rpc/call/define.ts';
import { deferRequests, listDeclaredRequests } from '../../server/rpc/deferredMethods.ts';

const context = {} as CallContext;

function method(name: string): RequestMethod {
	return { method: name, handle: (params) => ({ name, params }) };
}

it('deferRequests names every request of the contract, and creates the methods at the first call', () => {
	let made = 0;
	const requests = deferRequests(listDeclaredRequests(), () => {
		made++;
		return requests.map((one) => method(one.method));
	});
	const names = requests.map((one) => one.method);
	expect(names).toEqual(expect.arrayContaining(['session/open', 'context/stats', 'context/compact']));
	expect(names.filter((name) => !/^(context|recorder|session)\//.test(name))).toEqual([]);
	expect(made).toBe(0);
	expect(requests[1]?.handle({ a: 1 }, context)).toEqual({ name: names[1], params: { a: 1 } });
	expect(requests[2]?.handle({}, context)).toEqual({ name: names[2], params: {} });
	expect(made).toBe(1);
});

it('deferRequests starts calls synchronously, in the order of arrival', () => {
	const started: string[] = [];
	const requests = deferRequests(listDeclaredRequests(), () =>
		requests.map(({ method }) => ({ method, handle: () => void started.push(method) })),
	);
	for (const one of requests) void one.handle({}, context);
	expect(started).toEqual(requests.map((one) => one.method));
});
