import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { Message } from 'vscode-jsonrpc/node';
import { OutputWriter } from '../../server/rpc/wire/writer.ts';
import { silentLogger } from '../support/logger.ts';

function response(id: number, result: unknown): Message {
	return { jsonrpc: '2.0', id, result } as Message;
}

function writerTo(output: PassThrough) {
	const lost: string[] = [];
	const writer = new OutputWriter({
		output,
		framing: 'ndjson',
		logger: silentLogger,
		onLost: (reason) => lost.push(reason),
	});
	return { writer, lost };
}

/** A result that takes many slices to write. */
const long = Array.from({ length: 40_000 }, (_, index) => ({ content: `message ${index} `.repeat(10) }));

it('messages are sent in the order of their calls, long ones among short ones', async () => {
	const output = new PassThrough({ highWaterMark: 2 ** 30 });
	const { writer } = writerTo(output);
	const results = [long, 'short', long.slice(0, 20_000), 'another', 'last'];
	const writes = results.map((result, id) => writer.write(response(id, result)));
	await writer.waitUntilFlushed();
	await Promise.all(writes);
	output.end();
	const lines = (await output.toArray()).join('').trimEnd().split('\n');
	expect(lines.map((line) => JSON.parse(line))).toEqual(results.map((result, id) => response(id, result)));
});

it('writing a long message does not block other work', async () => {
	const output = new PassThrough({ highWaterMark: 2 ** 30 });
	const { writer } = writerTo(output);
	let turns = 0;
	const count = setInterval(() => turns++, 0);
	await writer.write(response(1, long));
	clearInterval(count);
	expect(turns).toBeGreaterThan(1);
});

it('waiting messages are rejected when the output is lost', async () => {
	const output = new PassThrough();
	const { writer, lost } = writerTo(output);
	const writes = [long, 'short', long].map((result, id) => writer.write(response(id, result)));
	const ends = Promise.allSettled(writes);
	output.destroy();
	expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
	expect(lost).toHaveLength(1);
	await writer.waitUntilFlushed();
});
