import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { badInput } from '../../server/front/failure.ts';
import type { Fields } from '../../server/front/input/message.ts';
import type { Complain } from '../../server/front/input/splitter.ts';
import { readValues } from '../../server/front/input/values.ts';

const complain: Complain = (problem, line, column) =>
	badInput([line, column, problem].filter((part) => part !== undefined).join(':'));

async function* inChunks(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
	let at = 0;
	for (let turn = 0; at < bytes.length; turn++) {
		const size = sizes[turn % sizes.length] ?? bytes.length;
		yield bytes.subarray(at, at + size);
		at += size;
	}
}

async function read(text: string | Buffer, sizes: readonly number[] = [1 << 20]) {
	const found: { kind: string; fields: Fields; line: number }[] = [];
	for await (const values of readValues(inChunks(Buffer.from(text as string), sizes), complain)) {
		found.push(...values.map(({ kind, fields, line }) => ({ kind, fields, line })));
	}
	return found;
}

function linesOf(found: { line: number }[]): number[] {
	return found.map(({ line }) => line);
}

const user = { role: 'user', content: 'hi' };
const json = JSON.stringify(user);

describe('messages are read', () => {
	it('from JSON Lines, blank lines and Windows line ends included', async () => {
		const found = await read(`${json}\r\n\r\n  \n${json}\n${json}`);
		expect(linesOf(found)).toEqual([1, 4, 5]);
		expect(found[0]?.fields).toEqual(user);
	});

	it('from a JSON array over any number of lines', async () => {
		const found = await read(`\n[\n  ${json},\n  {\n "role": "user",\n "content": "[,]}\\""},${json}\n]\n`);
		expect(linesOf(found)).toEqual([3, 4, 6]);
		expect(found[1]?.fields.content).toBe('[,]}"');
	});

	it('behind a byte order mark', async () => {
		expect(await read(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(json)]))).toHaveLength(1);
	});

	it('from an empty array, a blank input and no input as none', async () => {
		for (const text of ['[]', ' [ \n ] ', '', ' \n\t\n', ' ']) expect(await read(text)).toEqual([]);
	});

	it('beside headers, which have no role', async () => {
		const found = await read(`{"session":"x","model":"m"}\n${json}`);
		expect(found.map(({ kind }) => kind)).toEqual(['header', 'message']);
	});

	it('with a time that is written as text turned into milliseconds', async () => {
		const [first, second] = await read(
			`${JSON.stringify({ ...user, timestamp: '2026-06-25T01:50:44.764Z' })}\n${JSON.stringify({ ...user, timestamp: 5 })}`,
		);
		expect(first?.fields.timestamp).toBe(Date.UTC(2026, 5, 25, 1, 50, 44, 764));
		expect(second?.fields.timestamp).toBe(5);
	});

	it('equally however the bytes come in', async () => {
		const message = fc.record({ role: fc.constant('user'), content: fc.string({ unit: 'binary' }) });
		const property = fc.asyncProperty(
			fc.array(message, { maxLength: 6 }),
			fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
			fc.constantFrom<(messages: unknown[]) => string>(
				(messages) => messages.map((one) => `${JSON.stringify(one)}\n`).join(''),
				(messages) => JSON.stringify(messages),
				(messages) => JSON.stringify(messages, null, 2),
			),
			async (messages, sizes, write) => {
				// What is no character of its own does not survive UTF-8, whoever reads it.
				const expected = JSON.parse(Buffer.from(JSON.stringify(messages)).toString());
				expect((await read(write(messages), sizes)).map(({ fields }) => fields)).toEqual(expected);
			},
		);
		await fc.assert(property, { numRuns: 200 });
	});
});

describe('what cannot be read is named with its line', () => {
	it.each([
		['a broken line', `${json}\n{"role": "user",}\n`, /^2:\d+:not valid JSON/],
		['a line that was cut off', `${json}\n{"role": "us`, /^2:\d+:not valid JSON: Unterminated string/],
		['text', 'hello', /^1:not valid JSON: Unexpected token 'h'$/],
		['a number', `${json}\n42`, /^2:expected a message as a JSON object, got a number$/],
		['null', 'null', /^1:expected a message as a JSON object, got null$/],
		['an array within JSON Lines', `${json}\n[1]`, /^2:expected a message as a JSON object, got an array$/],
		['an array that is not closed', `[\n${json}\n`, /^3:the array is not closed/],
		['a comma without a message', `[${json},\n,${json}]`, /^2:expected a message, got ","$/],
		['a comma at the end', `[${json},\n]`, /^2:expected a message, got "\]"$/],
		['something after the array', `[${json}]\nx`, /^2:expected nothing after the array$/],
		['a brace that closes the array', `[${json}}`, /^1:expected "," or "\]", got "}"$/],
		['a broken element', `[${json},\n\n{"role": "user",\n  "content": "x",}]`, /^4:\d+:not valid JSON/],
	])('%s', async (_, text, expected) => {
		await expect(read(text)).rejects.toMatchObject({
			exitCode: 2,
			message: expect.stringMatching(expected),
		});
	});

	it('garbage of any kind gives values or a failure, never anything else', async () => {
		const property = fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => {
			await read(Buffer.from(bytes)).catch((error) => expect(error).toMatchObject({ exitCode: 2 }));
		});
		await fc.assert(property, { numRuns: 300 });
	});
});
