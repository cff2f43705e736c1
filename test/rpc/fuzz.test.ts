import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameDecoder } from '../../server/rpc/wire/decoder.ts';
import { converse, echo, framed, framedText } from './conversation.ts';

function cut(bytes: Buffer, places: number[]): Buffer[] {
	const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
	return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

describe.each(['content-length', 'ndjson'] as const)('random input over %s', (framing) => {
	it('decoding finds the same messages however the input is split', () => {
		fc.assert(
			fc.property(fc.array(fc.jsonValue()), fc.array(fc.nat()), (values, places) => {
				const seen: unknown[] = [];
				const decoder = createFrameDecoder(
					framing,
					{ headerBytes: 4096, bodyBytes: 1e6 },
					{
						receiveBody: (bytes) => seen.push(JSON.parse(bytes.toString())),
						reportSkipped: expect.unreachable,
						reportBroken: expect.unreachable,
					},
				);
				const bytes = Buffer.concat(values.map((value) => framed(value, framing)));
				for (const chunk of cut(bytes, places)) decoder.push(chunk);
				decoder.end();
				expect(seen).toEqual(JSON.parse(JSON.stringify(values)));
			}),
			{ numRuns: 300 },
		);
	});

	const call = fc.record(
		{
			jsonrpc: fc.constantFrom('2.0', '1.0', 2),
			id: fc.oneof(fc.nat(3), fc.constantFrom('1', null, {}, -0)),
			method: fc.constantFrom(
				'initialize',
				'shutdown',
				'context/echo',
				'context/hang',
				'x',
				'$/cancelRequest',
				'$/progress',
			),
			params: fc.oneof(fc.jsonValue(), fc.record({ id: fc.nat(3), workDoneToken: fc.nat() })),
			result: fc.jsonValue(),
			error: fc.jsonValue(),
		},
		{ requiredKeys: [] },
	);
	const piece = fc.oneof(
		call.map((value) => framed(value, framing)),
		fc.jsonValue().map((value) => framed(value, framing)),
		fc.string().map((text) => framedText(text, framing)),
		{ arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)), weight: 1 },
		{
			arbitrary: fc
				.constantFrom('Content-Length: 3\r\n\r\n', '\r\n', 'a: b\r\n', '{')
				.map((t) => Buffer.from(t)),
			weight: 1,
		},
	);

	it('garbage among messages never hangs the server, never throws, and gets well-formed replies', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat()), async (pieces, places) => {
				const talk = converse({ framing, requests: [echo] });
				for (const chunk of cut(Buffer.concat(pieces), places)) talk.input.write(chunk);
				const { messages, code } = await talk.finish();
				expect([0, 1]).toContain(code);
				for (const message of messages) {
					expect(message.jsonrpc).toBe('2.0');
					expect(message).toHaveProperty('id');
					expect('result' in message).not.toBe('error' in message);
				}
			}),
			{ numRuns: 200 },
		);
	});
});
