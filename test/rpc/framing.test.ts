import { describe, expect, it, vi } from 'vitest';
import type { Framing } from '../../server/protocol/capabilities.ts';
import { createFrameDecoder } from '../../server/rpc/wire/decoder.ts';
import type { FrameLimits, FrameSink } from '../../server/rpc/wire/frames.ts';
import { machineSlowness, processorClock } from '../support/processorClock.ts';
import { converse, framed, framedText, initialized } from './conversation.ts';

const frameLimits: FrameLimits = { headerBytes: 4096, bodyBytes: 1_000_000 };
const echo = { jsonrpc: '2.0', id: 1, method: 'context/echo', params: {} };

function collect(framing: Framing, limits = frameLimits) {
	const seen: string[] = [];
	const sink: FrameSink = {
		receiveBody: (bytes) => seen.push(`body ${bytes.length > 40 ? bytes.length : bytes}`),
		reportSkipped: (reason) => seen.push(`skipped ${reason}`),
		reportBroken: (reason) => seen.push(`broken ${reason}`),
	};
	return { seen, decoder: createFrameDecoder(framing, limits, sink) };
}

describe('framing by Content-Length', () => {
	it.each([
		['header names in any case', 'content-LENGTH:2\r\n\r\n{}', ['body {}']],
		['other headers', 'X-A: b\r\nContent-Length: 2\r\n\r\n{}', ['body {}']],
		['lines that end with LF alone', 'Content-Length: 2\n\n{}', ['body {}']],
		['empty lines between messages', '\r\n\r\nContent-Length: 2\r\n\r\n{}\r\n\n', ['body {}']],
		[
			'a charset of utf8',
			'Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: 2\r\n\r\n{}',
			['body {}'],
		],
		['an empty body', 'Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}', ['body ', 'body {}']],
	])('framing by Content-Length accepts %s', (_, text, expected) => {
		const { seen, decoder } = collect('content-length');
		decoder.push(Buffer.from(text));
		expect(seen).toEqual(expected);
	});

	it('reading a message that arrives in one piece allocates no buffer', () => {
		const allocations = vi.spyOn(Buffer, 'allocUnsafeSlow');
		const { seen, decoder } = collect('content-length');
		decoder.push(Buffer.from('Content-Length: 2\r\n\r\n{}'));
		expect(seen).toEqual(['body {}']);
		expect(allocations).not.toHaveBeenCalled();
		allocations.mockRestore();
	});

	it.each([
		['a header without colon', 'hello\r\nContent-Length: 2\r\n\r\n{}'],
		['a charset that is not UTF-8', 'Content-Type: x; charset=utf-16\r\nContent-Length: 2\r\n\r\n{}'],
	])('framing by Content-Length skips one message at %s', (_, text) => {
		const { seen, decoder } = collect('content-length');
		decoder.push(Buffer.from(`${text}Content-Length: 4\r\n\r\nnull`));
		expect(seen).toEqual([expect.stringMatching(/^skipped .*expected/), 'body null']);
	});

	it.each([
		['letters after the digits', 'Content-Length: 10abc'],
		['a negative length', 'Content-Length: -5'],
		['a length that is no number', 'Content-Length: NaN'],
		['a fraction', 'Content-Length: 1.5'],
		['an exponent', 'Content-Length: 1e3'],
		['no length', 'Content-Length:'],
		['no Content-Length', 'Content-Type: x'],
		['two lengths', 'Content-Length: 2\r\nContent-Length: 2'],
		['a length over the limit', 'Content-Length: 1000001'],
		['an absurd length', 'Content-Length: 99999999999999999999999'],
	])('framing by Content-Length breaks at %s and reads nothing more', (_, header) => {
		const { seen, decoder } = collect('content-length');
		decoder.push(Buffer.from(`${header}\r\n\r\n{}Content-Length: 2\r\n\r\n{}`));
		decoder.push(Buffer.from('Content-Length: 2\r\n\r\n{}'));
		decoder.end();
		expect(seen).toEqual([expect.stringMatching(/^broken/)]);
	});

	it('framing by Content-Length breaks at a header over the limit, in one line or many, whole or in pieces', () => {
		for (const header of ['x'.repeat(5000), 'X: y\r\n'.repeat(900)]) {
			const whole = collect('content-length');
			whole.decoder.push(Buffer.from(header));
			const pieces = collect('content-length');
			for (const letter of header) pieces.decoder.push(Buffer.from(letter));
			expect(whole.seen).toEqual(['broken a header block exceeds the limit of 4096 bytes']);
			expect(pieces.seen).toEqual(whole.seen);
		}
	});

	it('framing by Content-Length reports an input that ends inside a message', () => {
		for (const text of ['Content-Le', 'Content-Length: 5\r\n', 'Content-Length: 5\r\n\r\n{']) {
			const { seen, decoder } = collect('content-length');
			decoder.push(Buffer.from(text));
			decoder.end();
			expect(seen).toEqual([expect.stringMatching(/^broken the input ended inside/)]);
		}
	});
});

describe('framing by lines', () => {
	it('framing by lines accepts CRLF, skips blank lines, and needs no line end after the last message', () => {
		const { seen, decoder } = collect('ndjson');
		decoder.push(Buffer.from('\n\r\n  \n{}\r\n\n[1]'));
		decoder.end();
		expect(seen).toEqual(['body {}\r', 'body [1]']);
	});

	it('framing by lines breaks at a line over the limit before it is complete', () => {
		const { seen, decoder } = collect('ndjson', { headerBytes: 10, bodyBytes: 10 });
		decoder.push(Buffer.from('12345\n123456'));
		decoder.push(Buffer.from('78901'));
		decoder.push(Buffer.from('\n{}\n'));
		decoder.end();
		expect(seen).toEqual(['body 12345', 'broken a line exceeds the limit of 10 bytes']);
	});
});

describe('broken streams', () => {
	it.each([
		['a bad length', Buffer.from('Content-Length: 10abc\r\n\r\n{}')],
		['no length', Buffer.from('X: y\r\n\r\n{}')],
		['a huge length', Buffer.from('Content-Length: 99999999999\r\n\r\n{}')],
		['an endless header', Buffer.alloc(100_000, 'x')],
	])('a stream that breaks at %s is answered up to there, and ends with exit code 1', async (_, bytes) => {
		const talk = await initialized();
		talk.input.write(Buffer.concat([framed(echo), bytes, framed({ ...echo, id: 2 })]));
		expect(await talk.server.exitCode).toBe(1);
		const { messages } = await talk.finish();
		expect(messages).toHaveLength(2);
		expect(messages).toContainEqual({ jsonrpc: '2.0', id: 1, result: {} });
		expect(messages).toContainEqual(
			expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
		);
	});

	it('a broken ndjson stream ends with exit code 1', async () => {
		const talk = await initialized({ framing: 'ndjson', limits: { bodyBytes: 1000 } });
		talk.input.write('x'.repeat(1001));
		expect(await talk.next()).toMatchObject({ id: null, error: { code: -32700 } });
		expect(await talk.server.exitCode).toBe(1);
	});

	it('a failing input ends with exit code 1', async () => {
		const talk = await initialized();
		talk.input.destroy(new Error('reset'));
		expect(await talk.server.exitCode).toBe(1);
	});
});

it('a byte order mark before a message is ignored', async () => {
	const talk = converse({ framing: 'ndjson' });
	talk.input.write(framedText('\ufeff{"id":1,"method":"initialize"}', 'ndjson'));
	expect(await talk.next()).toMatchObject({ id: 1, result: {} });
});

it.each(['content-length', 'ndjson'] as const)(
	'a body of 64 MB is read over %s in linear time, in chunks of any size',
	(framing) => {
		const bytes = framedText('x'.repeat(64_000_000), framing);
		const limits = { headerBytes: 4096, bodyBytes: 256 * 1024 * 1024 };
		const { seen, decoder } = collect(framing, limits);
		const spent = processorClock();
		for (let index = 0; index < bytes.length; index += 65_536)
			decoder.push(bytes.subarray(index, index + 65_536));
		expect(seen).toEqual(['body 64000000']);
		expect(spent()).toBeLessThan(2000 * machineSlowness());
	},
);

it('a body that arrives byte by byte is read in proportional memory', () => {
	const { seen, decoder } = collect('content-length');
	const bytes = framedText('x'.repeat(500_000));
	for (let index = 0; index < bytes.length; index++) decoder.push(bytes.subarray(index, index + 1));
	expect(seen).toEqual(['body 500000']);
});
