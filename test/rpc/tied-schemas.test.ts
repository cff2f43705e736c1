import { expect, it } from 'vitest';
import * as z from 'zod';
import type { RequestDeclaration } from '../../server/protocol/declaration.ts';
import { answers } from '../../server/rpc/call/define.ts';
import { object } from '../../server/rpc/call/object.ts';

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

const inner = object({ flag: z.boolean().optional() }).optional();
const nullable = object({ flag: z.boolean().nullish() }).optional();
const kind = z.enum(['a', 'b']).optional();
const members = { id: z.string(), count: z.number().optional(), kind, inner };
const echo = (params: Params) => params;

it('a schema that gives anything else than what is declared does not compile', () => {
	const { count: _, ...without } = members;
	const methods = [
		answers(declared, object(members), echo),
		// @ts-expect-error a member is missing
		answers(declared, object(without), echo),
		// @ts-expect-error a member is not declared
		answers(declared, object({ ...members, more: z.string().optional() }), echo),
		// @ts-expect-error a member may be null
		answers(declared, object({ ...members, count: z.number().nullish() }), echo),
		// @ts-expect-error a member must be there
		answers(declared, object({ ...members, count: z.number() }), echo),
		// @ts-expect-error a member need not be there
		answers(declared, object({ ...members, id: z.string().optional() }), echo),
		// @ts-expect-error a member is any text
		answers(declared, object({ ...members, kind: z.string().optional() }), echo),
		// @ts-expect-error a member is fewer words
		answers(declared, object({ ...members, kind: z.enum(['a']).optional() }), echo),
		// @ts-expect-error a member of a member may be null
		answers(declared, object({ ...members, inner: nullable }), echo),
		// @ts-expect-error a member of a member is missing
		answers(declared, object({ ...members, inner: object({}).optional() }), echo),
	];
	expect(new Set(methods.map(({ method }) => method))).toEqual(new Set(['context/test']));
});
