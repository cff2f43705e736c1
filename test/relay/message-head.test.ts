import { describe, expect, it } from 'vitest';
import { parseMessageHead, readDaemonHead } from '../../server/relay/messages.ts';

describe('the head of a message', () => {
	it.each([
		['a request', '{"jsonrpc":"2.0","id":1,"method":"context/stats","params":{}}'],
		['a request with spaces', '{"jsonrpc": "2.0", "id": 1, "method": "context/stats", "params": {}}'],
		['a request in several lines', '{\n\t"jsonrpc": "2.0",\n\t"id": 1,\n\t"method": "context/stats"\n}'],
		['a request without params', '{"jsonrpc":"2.0","id":1,"method":"context/stats"}'],
		['a request that names its method first', '{"method":"context/stats","id":1,"jsonrpc":"2.0"}'],
		[
			'a request that names its id after long params',
			`{"jsonrpc":"2.0","method":"context/stats","params":{"a":"${'a'.repeat(1000)}"},"id":1}`,
		],
	])('parseMessageHead reads id and method of %s', (_, text) => {
		expect(parseMessageHead(Buffer.from(text))).toEqual({ id: 1, method: 'context/stats' });
	});

	it.each([
		['a result', '{"jsonrpc":"2.0","id":"a\\"b","result":{}}'],
		['a result that is a text', '{"jsonrpc":"2.0","id":"a\\"b","result":"context/stats"}'],
		['a result that is a long text', `{"jsonrpc":"2.0","id":"a\\"b","result":"${'a'.repeat(1000)}"}`],
		['an error', '{"jsonrpc":"2.0","id":"a\\"b","error":{"code":1,"message":"method"}}'],
	])('parseMessageHead reads only the id of %s', (_, text) => {
		expect(parseMessageHead(Buffer.from(text))).toEqual({ id: 'a"b' });
		expect(readDaemonHead(Buffer.from(text))).toEqual({ id: 'a"b' });
	});

	it.each(['{"jsonrpc":"2.0","method":"exit"}', '{"jsonrpc":"2.0","method":"exit","params":{"id":1}}'])(
		'parseMessageHead reads only the method of a notification: %s',
		(text) => {
			expect(parseMessageHead(Buffer.from(text))).toEqual({ method: 'exit' });
			expect(readDaemonHead(Buffer.from(text))).toEqual({ method: 'exit' });
		},
	);

	it.each([
		'',
		'null',
		'[]',
		'{',
		'{"jsonrpc":"2.0","id":1,"method":"',
		'{"id":null,"error":{}}',
		'"method"',
	])('parseMessageHead is empty for %s', (text) => {
		expect(parseMessageHead(Buffer.from(text))).toEqual({});
	});
});
