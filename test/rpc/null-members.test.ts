import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { object } from '../../server/rpc/call/object.ts';
import { check } from '../../server/rpc/call/params.ts';

const schema = object({ count: z.optional(z.number()), note: z.optional(z.nullable(z.string())) });

it.each(['count', 'unknown', 'constructor', 'toString', '__proto__'])(
	'a null member %s counts as absent',
	(name) => {
		const params: unknown = JSON.parse(`{"note":"x",${JSON.stringify(name)}:null}`);
		expect(check(schema, params)).toEqual({ value: { note: 'x' } });
	},
);

it('a null member is kept if its schema allows null', () => {
	expect(check(schema, { note: null, count: null })).toEqual({ value: { note: null } });
});
