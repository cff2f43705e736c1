import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { RequestDeclaration } from '../../server/protocol/declaration.ts';
import { onRequest, type RequestMethod } from '../../server/rpc/call/define.ts';
import { objectSchema } from '../../server/rpc/call/object.ts';
import { createCommandTable } from '../../server/rpc/call/router.ts';
import { echo, initialized } from './conversation.ts';

const command = 'workspace/executeCommand';
const titled: RequestDeclaration<{ title: string }, { title: string }> = {
	kind: 'request',
	method: 'session/open',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [],
};
const open = onRequest(titled, objectSchema({ title: z.string() }), (params) => params);
const status: RequestMethod = { ...echo, method: 'recorder/status' };
const other: RequestMethod = { ...echo, method: 'workspace/other' };

it('offers every method under context/, session/ and recorder/ as a command', () => {
	expect([...createCommandTable([echo, open, status, other]).keys()]).toEqual([
		'contextd.context.echo',
		'contextd.session.open',
		'contextd.recorder.status',
	]);
});

it('a command runs its method with the first argument as its params', async () => {
	const talk = await initialized({ requests: [echo, open] });
	const ask = (params: unknown) => talk.ask(command, params);
	expect(await ask({ command: 'contextd.session.open', arguments: [{ title: 'a', more: 1 }] })).toMatchObject(
		{
			result: { title: 'a' },
		},
	);
	expect(await ask({ command: 'contextd.context.echo' })).toMatchObject({ result: {} });
	expect(await ask({ command: 'contextd.context.echo', arguments: [null] })).toMatchObject({ result: {} });
	expect(await ask({ command: 'contextd.context.echo', workDoneToken: 7 })).toMatchObject({
		result: { workDoneToken: 7 },
	});
});

it.each([
	[{ command: 'contextd.context.none' }, 'params.command: unknown command "contextd.context.none"'],
	[{ command: 'contextd.workspace.other' }, 'params.command: unknown command "contextd.workspace.other"'],
	[{ command: 5 }, 'params.command: expected string, got 5'],
	[undefined, 'params.command: expected string, got nothing'],
	[{ command: 'contextd.session.open', arguments: {} }, 'params.arguments: expected array, got object'],
	[{ command: 'contextd.session.open', arguments: [{}] }, 'arguments[0].title: expected string, got nothing'],
	[{ command: 'contextd.session.open', arguments: [5] }, 'arguments[0]: expected object, got 5'],
])('the invalid command %j is answered with -32602', async (params, message) => {
	const talk = await initialized({ requests: [echo, open, other] });
	expect((await talk.ask(command, params)).error).toEqual({ code: -32602, message });
});
