import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { objectSchema } from '../../server/rpc/call/object.ts';
import { validateParams } from '../../server/rpc/call/params.ts';

const schema = objectSchema({ count: z.optional(z.number()), note: z.optional(z.nullable(z.string())) });

it.each(['count', 'unknown', 'constructor', 'toString', '__proto__'])(
	'a null member %s counts as absent',
	(name) => {
		const params: unknown = JSON.parse(`{"note":"x",${JSON.stringify(name)}:null}`);
		expect(validateParams(schema, params)).toEqual({ value: { note: 'x' } });
	},
);

it('a null member is kept if its schema allows null', () => {
	expect(validateParams(schema, { note: null, count: null })).toEqual({ value: { note: null } });
});
