import { describe, expect, it } from 'vitest';
import { sessionAppend, sessionRewind } from '../../../server/protocol/session.ts';
import { sharedApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { begin, historyIn, nested, statsIn } from '../../support/talk.ts';

const app = sharedApp();
let last = 0;

async function fresh(): Promise<string> {
	const id = `append-${last++}`;
	await begin(app, id);
	return id;
}

const append = (sessionId: string, messages: unknown[], format?: 'anthropic') =>
	app.ask(sessionAppend, { sessionId, messages, ...(format && { format }) });

it('session/append answers with the stats if they are requested', async () => {
	const id = await fresh();
	const messages = [userSays('a'), assistantSays('b')];
	const { stats } = await app.ask(sessionAppend, { sessionId: id, messages, stats: true });
	expect(stats).toEqual(await statsIn(app, id));
	expect(await append(id, [userSays('c')])).not.toHaveProperty('stats');
});

it('session/append ignores the usage of an answer to an older revision', async () => {
	const id = await fresh();
	await append(id, [userSays('a', { id: 'first' }), assistantSays('b'), userSays('c')]);
	const before = await statsIn(app, id);
	await app.ask(sessionRewind, { sessionId: id, messageId: 'first' });
	const usage = { input: 90_000, output: 10 };
	const answer = assistantSays('d', { usage });
	const params = { sessionId: id, messages: [answer], stats: true };
	const { stats } = await app.ask(sessionAppend, { ...params, revision: before?.revision });
	expect(stats).toMatchObject({ source: 'estimated' });
	expect(stats?.estimatedInputTokens).toBeLessThan(1000);
});

describe('message ids', () => {
	it('message ids are kept if they are given and assigned if not', async () => {
		const id = await fresh();
		const { messageIds, messageCount } = await append(id, [
			userSays('a', { id: 'mine' }),
			assistantSays('b'),
		]);
		expect(messageIds[0]).toBe('mine');
		expect(messageIds[1]).toMatch(/./);
		expect(messageCount).toBe(2);
	});

	it('an assigned message id never equals a given one', async () => {
		const id = await fresh();
		const given = Array.from({ length: 20 }, (_, index) => userSays('x', { id: `m${index}` }));
		const { messageIds } = await append(id, [userSays('first'), ...given, userSays('last')]);
		await append(id, [userSays('later')]);
		expect(new Set(messageIds).size).toBe(22);
		expect((await historyIn(app, id)).length).toBe(23);
	});

	it.each(['__proto__', 'constructor', ' ', '\u0000', '\ud800', '../../x', '😀', 'x'.repeat(600)])(
		'a message id of any characters is kept: %j',
		async (odd) => {
			const id = await fresh();
			expect((await append(id, [userSays('a', { id: odd })])).messageIds).toEqual([odd]);
			expect((await append(id, [userSays('a', { id: odd })])).messageCount).toBe(1);
			expect(await historyIn(app, id)).toEqual([userSays('a', { id: odd })]);
		},
	);
});

describe('repeated message ids', () => {
	const call = (args: unknown) =>
		assistantSays('b', { id: 'x', toolCalls: [{ id: '1', name: 'run', args }] });

	it('a repeated id with equal role, content and calls adds nothing', async () => {
		const id = await fresh();
		await append(id, [userSays('a'), call({ a: 1, b: [2] })]);
		const again = await append(id, [call({ a: 1, b: [2] }), userSays('new')]);
		expect(again.messageCount).toBe(3);
		expect(again.messageIds[0]).toBe('x');
	});

	it('a repeated id is equal whatever the order of the keys in arguments', async () => {
		const id = await fresh();
		await append(id, [call({ a: 1, b: { c: 2, d: 3 } })]);
		expect((await append(id, [call({ b: { d: 3, c: 2 }, a: 1 })])).messageCount).toBe(1);
	});

	it.each([
		['content', userSays('other', { id: 'x' })],
		['role', assistantSays('a', { id: 'x' })],
		['calls', { ...userSays('a', { id: 'x' }), toolCalls: [{ id: '1', name: 'run', args: {} }] }],
	])('a repeated id with other %s is refused with the id', async (_, other) => {
		const id = await fresh();
		await append(id, [userSays('a', { id: 'x' })]);
		const refusal = await app.refusal('session/append', { sessionId: id, messages: [userSays('y'), other] });
		expect(refusal.code).toBe(-32602);
		expect(refusal.message).toContain('messages[1].id');
		expect(refusal.message).toContain('"x"');
		expect((await statsIn(app, id)).messageCount).toBe(1);
	});

	it('a repeated id within one batch is compared too', async () => {
		const id = await fresh();
		const twice = [userSays('a', { id: 'x' }), userSays('b', { id: 'x' })];
		expect((await app.refusal('session/append', { sessionId: id, messages: twice })).code).toBe(-32602);
		expect((await append(id, [userSays('a', { id: 'x' }), userSays('a', { id: 'x' })])).messageCount).toBe(1);
	});
});

describe('batches', () => {
	it('a batch of no messages is accepted', async () => {
		const id = await fresh();
		expect(await append(id, [])).toEqual({ messageIds: [], messageCount: 0 });
	});

	it.each([
		['a string', 'messages[2]: expected an object, got "x"', 'x'],
		['null', 'messages[2]: expected an object, got null', null],
		['no role', 'messages[2].role: expected', { content: 'x' }],
		['a role of its own', 'got "robot"', { role: 'robot', content: 'x' }],
		['no content', 'messages[2].content: expected', { role: 'user' }],
		['a number for content', 'messages[2].content: expected', { role: 'user', content: 5 }],
		['a number for a part', 'messages[2].content[0]: expected an object', { role: 'user', content: [5] }],
		['a part without text', 'messages[2].content[0].text', { role: 'user', content: [{ type: 'text' }] }],
		['a number for an id', 'messages[2].id: expected', { role: 'user', content: 'x', id: 5 }],
		['an empty id', 'messages[2].id: expected', { role: 'user', content: 'x', id: '' }],
		[
			'an object for calls',
			'messages[2].toolCalls: expected an array',
			assistantSays('x', { toolCalls: {} as never }),
		],
		[
			'a call without a name',
			'messages[2].toolCalls[0].name',
			{ ...assistantSays(''), toolCalls: [{ id: '1' }] },
		],
		[
			'words for usage',
			'messages[2].usage.input',
			{ ...assistantSays('x'), usage: { input: 'a', output: 1 } },
		],
		['negative usage', 'messages[2].usage.output', assistantSays('x', { usage: { input: 1, output: -1 } })],
		[
			'usage beyond reason',
			'messages[2].usage.cacheRead',
			assistantSays('x', { usage: { input: 1, output: 1, cacheRead: 1e300 } }),
		],
		['tokens beyond reason', 'messages[2].tokens', userSays('x', { tokens: 1e300 })],
		['a date for a timestamp', 'messages[2].timestamp', { ...userSays('x'), timestamp: '2026-01-01' }],
		['a word for pinned', 'messages[2].pinned', { ...userSays('x'), pinned: 'yes' }],
		['a number for metadata', 'messages[2].metadata', { ...userSays('x'), metadata: 5 }],
	])(
		'a batch with %s in its third message is refused as a whole, with the position',
		async (_, words, bad) => {
			const id = await fresh();
			const messages = [userSays('a'), assistantSays('b'), bad, userSays('c')];
			const refusal = await app.refusal('session/append', { sessionId: id, messages });
			expect(refusal.code).toBe(-32602);
			expect(refusal.message).toContain(words);
			expect(await historyIn(app, id)).toEqual([]);
		},
	);

	it('a refused batch is not logged as an error', async () => {
		const id = await fresh();
		await app.refusal('session/append', { sessionId: id, messages: ['x'] });
		expect(app.errors()).not.toContain('InvalidParams');
	});
});

describe('unusual content', () => {
	it.each([
		['lone surrogates', '\ud800 and \udc00 apart'],
		['line ends of all kinds', 'a\nb\r\nc\u2028d\u2029e\u0085f'],
		['control characters', '\u0000\u0001\u001b[31m'],
		['nothing', ''],
		['a byte order mark', '\ufeffx'],
	])('content with %s comes back unchanged', async (_, content) => {
		const id = await fresh();
		await append(id, [userSays(content)]);
		expect(await historyIn(app, id)).toEqual([userSays(content)]);
	});

	it('content with unknown members comes back with them', async () => {
		const id = await fresh();
		const message = { role: 'user', content: [{ type: 'text', text: 'x', hue: 1 }], mood: { a: [null] } };
		await append(id, [message]);
		expect(await historyIn(app, id)).toEqual([message]);
	});
});

describe('nested values', () => {
	const request = (sessionId: string, levels: number) => ({
		sessionId,
		messages: [{ role: 'user', content: 'x', metadata: { a: JSON.parse(nested(levels)) } }],
	});

	it('a message nested to some hundred levels is accepted', async () => {
		const id = await fresh();
		const { messages, ...rest } = request(id, 900);
		await append(rest.sessionId, messages);
		expect(JSON.stringify(await historyIn(app, id))).toBe(JSON.stringify(messages));
	});

	it('a message nested to more than a thousand levels is refused with its position', async () => {
		const id = await fresh();
		const refusal = await app.refusal('session/append', request(id, 1100));
		expect(refusal.code).toBe(-32602);
		expect(refusal.message).toContain('params.messages[0].metadata.a');
		expect(refusal.message).toContain('1000 levels');
	});

	it('a value nested to two hundred thousand levels is refused in every method', async () => {
		const id = await fresh();
		const deep = nested(200_000);
		const bodies = [
			`{"jsonrpc":"2.0","id":"d1","method":"session/append","params":{"sessionId":"${id}","messages":[{"role":"assistant","content":"","toolCalls":[{"id":"1","name":"x","args":${deep}}]}]}}`,
			`{"jsonrpc":"2.0","id":"d2","method":"context/count","params":{"request":{"toolDefinitions":[${deep}]}}}`,
			`{"jsonrpc":"2.0","id":"d3","method":"context/classifyError","params":{"error":${deep}}}`,
			`{"jsonrpc":"2.0","id":"d4","method":"workspace/executeCommand","params":{"command":"contextd.context.stats","arguments":[{"sessionId":"${id}","x":${deep}}]}}`,
		];
		for (const body of bodies) app.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
		await append(id, [userSays('still here')]);
		const codes = app.inbox.filter((one) => String(one.id).startsWith('d')).map((one) => one.error?.code);
		expect(codes).toEqual([-32602, -32602, -32602, -32602]);
	});
});

describe('unknown formats', () => {
	it('an unknown format is refused with the names of the known ones', async () => {
		const id = await fresh();
		for (const [method, more] of [
			['session/append', { messages: [] }],
			['context/history', {}],
			['context/prepare', {}],
			['context/compact', {}],
			['context/recover', { error: 'x' }],
		] as const) {
			const params = { sessionId: id, format: 'klingon', ...more };
			const { code, message, data } = await app.refusal(method, params);
			expect([method, code, data?.kind]).toEqual([method, -31989, 'UnsupportedFormat']);
			expect(message).toContain('"klingon"');
			expect(message).toContain('"anthropic"');
		}
	});

	it('an unknown format is refused before a compaction is made', async () => {
		const id = await fresh();
		await append(id, [
			userSays('a'),
			assistantSays('b '.repeat(500)),
			userSays('c'),
			assistantSays('d '.repeat(500)),
			userSays('e'),
		]);
		await app.refusal('context/compact', { sessionId: id, format: 'klingon' });
		expect((await statsIn(app, id)).lastCompaction).toBeUndefined();
	});
});

describe('concurrent requests', () => {
	it('each of many concurrent requests sees what came before it', async () => {
		const id = await fresh();
		const counts: Promise<unknown>[] = [];
		for (let turn = 1; turn <= 50; turn++) {
			const appended = append(id, [userSays(`turn ${turn}`)]);
			counts.push(
				appended.then(({ messageCount }) => expect(messageCount).toBe(turn)),
				statsIn(app, id).then((stats) => expect(stats.messageCount).toBe(turn)),
				historyIn(app, id).then((messages) => expect(messages).toHaveLength(turn)),
			);
		}
		await Promise.all(counts);
	});

	it('concurrent appends keep their order when a large batch comes first', async () => {
		const id = await fresh();
		const many = Array.from({ length: 5000 }, (_, index) => userSays(`message ${index} about a.ts`));
		const [large, small, stats] = await Promise.all([
			append(id, many),
			append(id, [userSays('last')]),
			statsIn(app, id),
		]);
		expect([large.messageCount, small.messageCount, stats.messageCount]).toEqual([5000, 5001, 5001]);
		expect(new Set([...large.messageIds, ...small.messageIds]).size).toBe(5001);
	});

	it('a request does not wait for a large batch of another session', async () => {
		const [busy, other] = [await fresh(), await fresh()];
		await append(other, [userSays('x')]);
		let isDone = false;
		const many = Array.from({ length: 20_000 }, (_, index) => userSays(`message ${index} about a.ts`));
		const large = append(busy, many).then(() => {
			isDone = true;
		});
		await statsIn(app, other);
		expect(isDone).toBe(false);
		await large;
	});

	it('an append that is cancelled before it is applied leaves nothing behind', async () => {
		const id = await fresh();
		const many = Array.from({ length: 20_000 }, (_, index) => userSays(`message ${index} about a.ts`));
		const { id: call, reply } = app.start('session/append', { sessionId: id, messages: many });
		app.cancel(call);
		expect((await reply).error?.code).toBe(-32800);
		expect(await historyIn(app, id)).toEqual([]);
		expect((await append(id, [userSays('next')])).messageCount).toBe(1);
	});
});

it('append keeps a message of ten megabytes', async () => {
	const id = await fresh();
	const content = 'lorem ipsum dolor sit amet '.repeat(400_000);
	await append(id, [userSays(content)]);
	const [message] = (await historyIn(app, id)) as { content: string }[];
	expect(message?.content === content).toBe(true);
});
