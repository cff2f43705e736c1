import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { RequestDeclaration } from '../../server/protocol/declaration.ts';
import { onRequest } from '../../server/rpc/call/define.ts';
import { objectSchema } from '../../server/rpc/call/object.ts';

interface Params {
	id: string;
	count?: number;
	kind?: 'a' | 'b';
	inner?: { flag?: boolean };
}

const declared: RequestDeclaration<Params, Params> = {
	kind: 'request',
	method: 'context/test',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [],
};

const inner = z.optional(objectSchema({ flag: z.optional(z.boolean()) }));
const nullable = z.optional(objectSchema({ flag: z.nullish(z.boolean()) }));
const kind = z.optional(z.enum(['a', 'b']));
const members = { id: z.string(), count: z.optional(z.number()), kind, inner };
const echo = (params: Params) => params;

it('a schema that differs from the declared type does not compile', () => {
	const { count: _, ...without } = members;
	const methods = [
		onRequest(declared, objectSchema(members), echo),
		// @ts-expect-error a member is missing
		onRequest(declared, objectSchema(without), echo),
		// @ts-expect-error a member is not declared
		onRequest(declared, objectSchema({ ...members, more: z.optional(z.string()) }), echo),
		// @ts-expect-error a member may be null
		onRequest(declared, objectSchema({ ...members, count: z.nullish(z.number()) }), echo),
		// @ts-expect-error an optional member is required
		onRequest(declared, objectSchema({ ...members, count: z.number() }), echo),
		// @ts-expect-error a required member is optional
		onRequest(declared, objectSchema({ ...members, id: z.optional(z.string()) }), echo),
		// @ts-expect-error a member accepts any text instead of certain words
		onRequest(declared, objectSchema({ ...members, kind: z.optional(z.string()) }), echo),
		// @ts-expect-error a member accepts too few words
		onRequest(declared, objectSchema({ ...members, kind: z.optional(z.enum(['a'])) }), echo),
		// @ts-expect-error a member of a member may be null
		onRequest(declared, objectSchema({ ...members, inner: nullable }), echo),
		// @ts-expect-error a member of a member is missing
		onRequest(declared, objectSchema({ ...members, inner: z.optional(objectSchema({})) }), echo),
	];
	expect(new Set(methods.map(({ method }) => method))).toEqual(new Set(['context/test']));
});
