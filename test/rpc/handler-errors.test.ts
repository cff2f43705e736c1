import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Failure } from '../../server/core/failure.ts';
import type { NotificationDeclaration } from '../../server/protocol/declaration.ts';
import type { FailureKind } from '../../server/protocol/errors.ts';
import { onNotification, type RequestMethod } from '../../server/rpc/call/define.ts';
import { initialized } from './conversation.ts';

function method(handle: RequestMethod['handle']): RequestMethod {
	return { method: 'context/test', handle };
}

it.each([
	['SessionNotFound', -31999],
	['SessionLocked', -31998],
	['MessageNotFound', -31997],
	['CompactionNotFound', -31996],
	['CheckpointNotFound', -31995],
	['OutsideWorkspace', -31994],
	['FileUnreadable', -31993],
	['StorageFailed', -31992],
	['SummarizerFailed', -31991],
	['CompactionFailed', -31986],
	['SessionClosed', -31985],
	['TooLarge', -31990],
	['UnsupportedFormat', -31989],
	['ContextBudgetExceeded', -31988],
	['ReadOnlySession', -31987],
	['InvalidParams', -32602],
] satisfies [FailureKind, number][])(
	'the failure %s is answered with the code %d, its kind and its data',
	async (kind, code) => {
		const fail = method(async () => {
			throw new Failure(kind, 'what went wrong', { available: 5 });
		});
		const talk = await initialized({ requests: [fail] });
		const { error } = await talk.ask('context/test');
		expect(error).toEqual({ code, message: 'what went wrong', data: { kind, available: 5 } });
	},
);

it.each([
	[
		'thrown at once',
		() => {
			throw new TypeError('secret /home/me');
		},
	],
	['rejected', () => Promise.reject(new TypeError('secret /home/me'))],
	['that is no Error', () => Promise.reject('secret /home/me')],
	['that is nothing', () => Promise.reject()],
] as [string, RequestMethod['handle']][])(
	'an unexpected error %s is answered with -32603 and named only in the log',
	async (_, handle) => {
		const talk = await initialized({ requests: [method(handle)] });
		const { error } = await talk.ask('context/test');
		expect(error).toEqual({
			code: -32603,
			message: 'context/test failed with an internal error; see the log',
		});
		expect(talk.log.join('\n')).toMatch(/error context\/test failed: (TypeError: secret|secret|undefined)/);
	},
);

const circular: Record<string, unknown> = {};
circular.self = circular;

it.each([
	['is circular', circular],
	['holds a bigint', { n: 1n }],
	['is a function', () => 1],
	[
		'throws as it is written',
		{
			toJSON() {
				throw new Error('no');
			},
		},
	],
])('a request is answered with -32603 if the result %s, and the next one is served', async (_, result) => {
	const talk = await initialized({ requests: [method(() => result)] });
	expect(await talk.ask('context/test')).toMatchObject({
		error: { code: -32603, message: 'the result cannot be written as JSON' },
	});
	expect(talk.log.join('\n')).toContain('could not write a response as JSON');
	expect(await talk.ask('context/none')).toMatchObject({ error: { code: -32601 } });
});

it('error data that cannot be serialized is left out', async () => {
	const fail = method(() => {
		throw new Failure('TooLarge', 'too large', { circular });
	});
	const talk = await initialized({ requests: [fail] });
	expect((await talk.ask('context/test')).error).toEqual({ code: -31990, message: 'too large' });
});

it('a result of undefined is written as null', async () => {
	const talk = await initialized({ requests: [method(() => undefined)] });
	expect(await talk.ask('context/test')).toMatchObject({ result: null });
});

it('logs a notification handler that fails, and continues', async () => {
	const declared: NotificationDeclaration<{ n: number }> = {
		kind: 'notification',
		method: 'context/told',
		direction: 'to the daemon',
		since: '0.1.0',
	};
	const told = onNotification(declared, z.object({ n: z.number() }), () => {
		throw new Error('oh');
	});
	const talk = await initialized({ notifications: [told] });
	talk.send({ method: 'context/told', params: { n: 'x' } }, { method: 'context/told', params: { n: 1 } });
	await talk.ask('context/none');
	expect(talk.log).toContain('warn context/told ignored: params.n: expected number, got "x"');
	expect(talk.log.join('\n')).toContain('error context/told failed: Error: oh');
});

it('handlers start in the order of arrival, each up to its first await', async () => {
	const order: string[] = [];
	let startLast = () => {};
	const lastStarted = new Promise<void>((resolve) => {
		startLast = resolve;
	});
	const slow = method(async (params) => {
		const { n } = params as { n: number };
		order.push(`start ${n}`);
		if (n === 2) startLast();
		await lastStarted;
		order.push(`end ${n}`);
	});
	const told = { method: 'context/told', handle: () => order.push('told') };
	const talk = await initialized({ requests: [slow], notifications: [told] });
	talk.send(
		{ id: 1, method: 'context/test', params: { n: 1 } },
		{ method: 'context/told' },
		{ id: 2, method: 'context/test', params: { n: 2 } },
	);
	await talk.finish();
	expect(order).toEqual(['start 1', 'told', 'start 2', 'end 1', 'end 2']);
});
