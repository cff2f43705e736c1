import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { RequestDeclaration } from '../../server/protocol/declaration.ts';
import { onRequest } from '../../server/rpc/call/define.ts';
import { validateParams } from '../../server/rpc/call/params.ts';
import { initialized } from './conversation.ts';

const part = z.discriminatedUnion('type', [
	z.object({ type: z.literal('text'), text: z.string() }),
	z.object({ type: z.literal('image'), width: z.number() }),
]);
const schema = z.object({
	messages: z.optional(
		z.array(
			z.object({
				role: z.enum(['system', 'user']),
				content: z.union([z.string(), z.array(part)]),
				metadata: z.optional(z.record(z.string(), z.number())),
			}),
		),
	),
	count: z.optional(z.int().check(z.minimum(0), z.maximum(10))),
	title: z.optional(z.string().check(z.minLength(1), z.maxLength(3))),
	ids: z.optional(z.array(z.string()).check(z.minLength(1))),
	uri: z.optional(z.url()),
	even: z.optional(z.number().check(z.multipleOf(2))),
	either: z.optional(z.union([z.string(), z.number()])),
	closed: z.optional(z.strictObject({ a: z.optional(z.string()) })),
	checked: z.optional(z.string().check(z.refine((text) => text === 'x', 'the letter x'))),
	maybe: z.nullish(z.string()),
});
const user = { role: 'user', content: '' };

it.each([
	[
		{ messages: [user, user, { role: 'robot', content: '' }] },
		'params.messages[2].role: expected "system" | "user", got "robot"',
	],
	[
		{ messages: [user], title: { length: { toString: 1 } } },
		'params.title.length: expected no "length" but a number, got object',
	],
	[
		{ ids: { length: { valueOf: 1, toString: 1 } } },
		'params.ids.length: expected no "length" but a number, got object',
	],
	[{ messages: [{ role: 'user' }] }, 'params.messages[0].content: expected string | array, got nothing'],
	[
		{ messages: [{ role: 'user', content: 5 }] },
		'params.messages[0].content: expected string | array, got 5',
	],
	[
		{ messages: [{ role: 'user', content: [{ type: 'text' }] }] },
		'params.messages[0].content[0].text: expected string, got nothing',
	],
	[
		{ messages: [{ role: 'user', content: [{ type: 'video' }] }] },
		'params.messages[0].content[0].type: expected "text" | "image", got "video"',
	],
	[
		{ messages: [{ ...user, metadata: { 'a key': null } }] },
		'params.messages[0].metadata["a key"]: expected number, got null',
	],
	[{ messages: {} }, 'params.messages: expected array, got object'],
	[{ count: -1 }, 'params.count: expected a number >= 0, got -1'],
	[{ count: 11 }, 'params.count: expected a number <= 10, got 11'],
	[{ count: 1.5 }, 'params.count: expected integer, got 1.5'],
	[{ title: '' }, 'params.title: expected at least 1 characters, got ""'],
	[{ ids: [] }, 'params.ids: expected at least 1 items, got array'],
	[{ even: 3 }, 'params.even: expected a multiple of 2, got 3'],
	[{ either: true }, 'params.either: expected string | number, got true'],
	[{ closed: { b: 1 } }, 'params.closed.b: expected no such field, got 1'],
	[{ checked: 'y' }, 'params.checked: expected the letter x, got "y"'],
	[{ maybe: [1] }, 'params.maybe: expected string, got array'],
	[{ uri: 'nowhere' }, 'params.uri: expected a string in the form "url", got "nowhere"'],
	[[], 'params: expected object, got array'],
	['text', 'params: expected object, got "text"'],
])('a problem of params names the field, the expected and the actual value: %j', (params, problem) => {
	expect(validateParams(schema, params).problem).toBe(problem);
});

it('a problem of params shortens long values', () => {
	const { problem } = validateParams(schema, { count: 'x'.repeat(100_000) });
	expect(problem).toBe(`params.count: expected number, got "${'x'.repeat(60)}…"`);
});

it('problems of params name the first three and count the others', () => {
	const { problem } = validateParams(schema, {
		messages: Array.from({ length: 10 }, () => ({ role: 'user' })),
	});
	expect(problem?.match(/expected/g)).toHaveLength(3);
	expect(problem).toMatch(/; and 7 more$/);
});

it('invalid params are answered with -32602, only declared members are passed, and missing params are accepted', async () => {
	const declared: RequestDeclaration<z.output<typeof schema>, object> = {
		kind: 'request',
		method: 'context/echo',
		direction: 'to the daemon',
		since: '0.1.0',
		errors: [],
	};
	const strict = onRequest(declared, schema, (params) => params);
	const talk = await initialized({ requests: [strict] });
	expect((await talk.ask('context/echo', { count: 'x' })).error).toEqual({
		code: -32602,
		message: 'params.count: expected number, got "x"',
	});
	expect(await talk.ask('context/echo', { unknown: 1, count: 2 })).toMatchObject({ result: { count: 2 } });
	expect(await talk.ask('context/echo')).toMatchObject({ result: {} });
	expect(await talk.ask('context/echo', null)).toMatchObject({ result: {} });
	expect((await talk.ask('context/echo', [1])).error?.message).toBe('params: expected object, got array');
});
