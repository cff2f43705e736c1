import { describe, expect, it } from 'vitest';
import { framedText, initialized } from './conversation.ts';

const request = { jsonrpc: '2.0', id: 'ok', method: 'context/echo', params: { a: 1 } };

describe.each(['content-length', 'ndjson'] as const)('malformed messages over %s', (framing) => {
	it('the server answers malformed JSON with -32700 and serves the next message', async () => {
		const talk = await initialized({ framing });
		talk.input.write(framedText('{"jsonrpc": "2.0", oops', framing));
		talk.send(request);
		expect(await talk.next()).toMatchObject({ id: null, error: { code: -32700 } });
		expect(await talk.next()).toEqual({ jsonrpc: '2.0', id: 'ok', result: { a: 1 } });
	});

	it.each([
		['a batch', [request], null],
		['an empty batch', [], null],
		['null', null, null],
		['a number', 5, null],
		['a string', 'hello', null],
		['an empty object', {}, null],
		['a message with neither method nor result', { jsonrpc: '2.0', id: 7 }, 7],
		['a request with the id null', { ...request, id: null }, null],
		['a request with an object for its id', { ...request, id: {} }, null],
		['a method that is no string', { ...request, id: 8, method: 5 }, 8],
		['another version of the protocol', { ...request, id: 9, jsonrpc: '1.0' }, 9],
	])('the server refuses %s with -32600 and serves the next message', async (_, value, id) => {
		const talk = await initialized({ framing });
		talk.send(value, request);
		expect(await talk.next()).toMatchObject({ id, error: { code: -32600 } });
		expect(await talk.next()).toMatchObject({ id: 'ok' });
	});

	it('the server accepts a request without the jsonrpc member', async () => {
		const talk = await initialized({ framing });
		talk.send({ id: 1, method: 'context/echo', params: {} });
		expect(await talk.next()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
	});

	it('the server refuses a second request with the id of one that is unanswered, and answers the first', async () => {
		const talk = await initialized({ framing });
		talk.send({ ...request, id: 4 }, { ...request, id: 4 });
		const replies = [await talk.next(), await talk.next()];
		expect(replies).toContainEqual({ jsonrpc: '2.0', id: 4, result: { a: 1 } });
		expect(replies).toContainEqual(
			expect.objectContaining({ id: 4, error: expect.objectContaining({ code: -32600 }) }),
		);
		talk.send({ ...request, id: 4 });
		expect(await talk.next()).toEqual({ jsonrpc: '2.0', id: 4, result: { a: 1 } });
	});

	it('the server refuses ids that differ only in type while one is unanswered', async () => {
		const talk = await initialized({ framing });
		talk.send({ ...request, id: 4 }, { ...request, id: '4' });
		const replies = [await talk.next(), await talk.next()];
		expect(replies.map((reply) => [reply.id, reply.error?.code])).toEqual(
			expect.arrayContaining([
				[4, undefined],
				['4', -32600],
			]),
		);
	});

	it('the server ignores a cancellation without an id, and serves the next message', async () => {
		const talk = await initialized({ framing });
		talk.send({ method: '$/cancelRequest' }, { method: '$/cancelRequest', params: null }, request);
		expect(await talk.next()).toMatchObject({ id: 'ok', result: { a: 1 } });
	});

	it('the server drops a response to no request', async () => {
		const talk = await initialized({ framing });
		talk.send({ id: 99, result: 1 }, { id: null, error: { code: 1, message: 'x' } }, request);
		expect(await talk.next()).toMatchObject({ id: 'ok', result: { a: 1 } });
	});

	it('the server reads invalid UTF-8 with replacement characters', async () => {
		const talk = await initialized({ framing });
		const text = JSON.stringify({ ...request, params: { a: 'x?y' } });
		const bytes = framedText(text, framing);
		bytes[bytes.indexOf('?')] = 0xff;
		talk.input.write(bytes);
		expect(await talk.next()).toMatchObject({ result: { a: 'x\ufffdy' } });
	});

	it('the server answers an unknown method with -32601 and ignores an unknown notification', async () => {
		const talk = await initialized({ framing });
		talk.send({ method: 'context/none', params: {} }, { method: '$/setTrace', params: { value: 'off' } });
		expect(await talk.ask('__proto__')).toMatchObject({
			error: { code: -32601, message: 'unknown method "__proto__"' },
		});
	});
});
