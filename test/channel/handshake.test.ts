import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	createKeyText,
	createProofText,
	createRequestText,
	formatSealedRequest,
	parseSealedAnswer,
	parseSealedRequest,
} from '../../server/core/channel/texts.ts';
import { nonce, post, type ServedChannel, startingChannels } from '../support/channel.ts';
import { eventually } from '../support/eventually.ts';

const channels = startingChannels();
const session = 'claude:5f3a';

function mac(key: Buffer, text: string): string {
	return createHmac('sha256', key).update(text).digest('hex');
}

function secretOf({ key }: ServedChannel): Buffer {
	return Buffer.from(readFileSync(key, 'utf8').trim(), 'hex');
}

async function greeted({ socket }: ServedChannel, pluginNonce: string, of = session) {
	const { status, text } = await post(
		socket,
		'/hello',
		JSON.stringify({ version: 1, session: of, nonce: pluginNonce }),
	);
	expect(status).toBe(200);
	const { nonce: daemonNonce, proof } = JSON.parse(text) as { nonce: string; proof: string };
	return { handshake: { session: of, pluginNonce, daemonNonce }, proof };
}

/** Returns a function that sends calls under a new token. */
async function admitted(served: ServedChannel, of = session) {
	const secret = secretOf(served);
	const { handshake } = await greeted(served, nonce(), of);
	const proof = mac(secret, createProofText('plugin', handshake));
	const { text } = await post(
		served.socket,
		'/prove',
		JSON.stringify({ session: of, nonce: handshake.daemonNonce, proof }),
	);
	const { token } = JSON.parse(text) as { token: string };
	const key = Buffer.from(mac(secret, createKeyText(handshake, token)), 'hex');
	return (counter: number, payload: string, over: { mac?: string; token?: string } = {}) =>
		post(
			served.socket,
			'/call',
			formatSealedRequest({
				token,
				counter,
				mac: mac(key, createRequestText(counter, payload)),
				payload,
				...over,
			}),
		);
}

const open = JSON.stringify({ method: 'session/open', params: {} });

describe('handshake of a channel', () => {
	it('the daemon proves itself first, with a new proof for each nonce and session', async () => {
		const served = await channels.start();
		const pluginNonce = nonce();
		const { handshake, proof } = await greeted(served, pluginNonce);
		expect(proof).toBe(mac(secretOf(served), createProofText('daemon', handshake)));
		const again = await greeted(served, pluginNonce);
		expect(again.proof).not.toBe(proof);
		expect((await greeted(served, pluginNonce, 'claude:other')).proof).not.toBe(proof);
	});

	it('a valid proof gets a token once, and only for its session', async () => {
		const served = await channels.start();
		const secret = secretOf(served);
		const prove = (fields: object) => post(served.socket, '/prove', JSON.stringify(fields));
		const { handshake, proof: own } = await greeted(served, nonce());
		const right = {
			session,
			nonce: handshake.daemonNonce,
			proof: mac(secret, createProofText('plugin', handshake)),
		};
		expect((await prove({ ...right, proof: own })).status).toBe(401);
		// The first attempt ends the handshake.
		expect((await prove(right)).status).toBe(401);
		const next = (await greeted(served, nonce())).handshake;
		const fits = { session, nonce: next.daemonNonce, proof: mac(secret, createProofText('plugin', next)) };
		expect((await prove({ ...fits, session: 'claude:other' })).status).toBe(401);
		const last = (await greeted(served, nonce())).handshake;
		const ok = { session, nonce: last.daemonNonce, proof: mac(secret, createProofText('plugin', last)) };
		expect((await prove(ok)).status).toBe(200);
		expect((await prove(ok)).status).toBe(401);
	});

	it('each counter is accepted once and in order, also after a refusal', async () => {
		const say = await admitted(await channels.start());
		expect((await say(1, open)).status).toBe(200);
		expect(await say(1, open)).toMatchObject({ status: 409, text: expect.stringContaining('the next is 2') });
		expect((await say(5, open)).status).toBe(200);
		expect((await say(4, open)).status).toBe(409);
		expect((await say(6, open)).status).toBe(200);
	});

	it('a changed request is refused without using up a counter', async () => {
		const say = await admitted(await channels.start());
		const [good, other] = [open, open.replace('open', 'list')];
		const sealed = await say(1, good);
		expect(sealed.status).toBe(200);
		expect((await say(2, other, { mac: 'a'.repeat(64) })).status).toBe(401);
		expect((await say(2, good, { token: 'a'.repeat(64) })).status).toBe(401);
		expect((await say(2, good)).status).toBe(200);
	});

	it('a handshake for another session ends earlier tokens', async () => {
		const served = await channels.start();
		const before = await admitted(served);
		const after = await admitted(served, 'claude:next');
		expect((await before(1, open)).status).toBe(401);
		expect((await after(1, open)).status).toBe(200);
	});

	it.each([
		['/hello', 400, ''],
		['/hello', 400, 'GET / HTTP/1.1'],
		['/hello', 400, '[]'],
		['/hello', 400, '{"version":2}'],
		['/hello', 400, JSON.stringify({ version: 1, session: 'mine', nonce: 'a'.repeat(64) })],
		['/hello', 400, JSON.stringify({ version: 1, session, nonce: 'short' })],
		['/hello', 400, JSON.stringify({ version: 1, session: `claude:\n`, nonce: 'a'.repeat(64) })],
		['/hello', 413, 'x'.repeat(5000)],
		['/prove', 400, '{}'],
		['/prove', 401, JSON.stringify({ session, nonce: 'a'.repeat(64), proof: 'b'.repeat(64) })],
		['/prove', 413, 'x'.repeat(5000)],
		['/call', 401, ''],
		['/call', 401, 'x'.repeat(5000)],
		['/', 404, ''],
		['/../hello', 404, ''],
		['/toString', 404, ''],
	])('an invalid request to %s is answered with %i and a message (case %#)', async (path, status, body) => {
		const { socket } = await channels.start();
		const answer = await post(socket, path, body);
		expect(answer.status).toBe(status);
		expect(answer.text).toMatch(/^[\w“"].*\n$/);
	});

	it('a channel accepts only POST', async () => {
		const { socket } = await channels.start();
		expect((await post(socket, '/hello', '', { method: 'GET' })).status).toBe(405);
	});

	it('a refused body is not read to its end', async () => {
		const { socket } = await channels.start();
		for (const [path, length] of [
			['/hello', 100_000],
			['/call', 70 << 20],
		] as const) {
			const answer = await new Promise<string>((resolve, reject) => {
				const connection = createConnection(socket);
				let told = '';
				connection.on('data', (chunk) => {
					told += chunk;
				});
				connection.on('close', () => resolve(told));
				connection.on('error', reject);
				connection.write(
					`POST ${path} HTTP/1.1\r\nhost: d\r\ncontent-length: ${length}\r\n\r\n${'x'.repeat(300)}`,
				);
			});
			expect(answer).toMatch(/^HTTP\/1.1 (413|401) /);
		}
	});

	it('unfinished requests do not block others', async () => {
		const served = await channels.start();
		const slow = Array.from({ length: 20 }, () => {
			const connection = createConnection(served.socket);
			connection.on('error', () => {});
			connection.write('POST /hello HTTP/1.1\r\nhost: d\r\ncontent-length: 500\r\n\r\n{');
			return connection;
		});
		const say = await admitted(served);
		expect((await say(1, open)).status).toBe(200);
		for (const connection of slow) connection.destroy();
	});

	it('idle connections that fill all places are closed soon', async () => {
		const served = await channels.start();
		const silent = Array.from({ length: 64 }, () => createConnection(served.socket).on('error', () => {}));
		await Promise.all(silent.map((connection) => new Promise((done) => connection.once('connect', done))));
		const hello = JSON.stringify({ version: 1, session, nonce: nonce() });
		await expect(post(served.socket, '/hello', hello)).rejects.toThrow();
		await eventually(async () => expect((await post(served.socket, '/hello', hello)).status).toBe(200));
		for (const connection of silent) connection.destroy();
	});

	it('connections that only send slowly are closed after 2 s', async () => {
		const served = await channels.start();
		const drips = Array.from({ length: 64 }, (_, index) => {
			const connection = createConnection(served.socket).on('error', () => {});
			const path = index % 2 ? '/hello' : '/call';
			connection.write(`POST ${path} HTTP/1.1\r\nhost: d\r\ncontent-length: 4000\r\n\r\n{`);
			const timer = setInterval(() => connection.write(' '), 100);
			return { connection, timer };
		});
		await Promise.all(drips.map(({ connection }) => new Promise((done) => connection.once('connect', done))));
		const hello = JSON.stringify({ version: 1, session, nonce: nonce() });
		await expect(post(served.socket, '/hello', hello)).rejects.toThrow();
		await Promise.all(drips.map(({ connection }) => new Promise((done) => connection.once('close', done))));
		expect((await post(served.socket, '/hello', hello)).status).toBe(200);
		for (const { timer } of drips) clearInterval(timer);
	});

	it('too many handshakes are refused, and calls continue', async () => {
		const served = await channels.start();
		const say = await admitted(served);
		const statuses: number[] = [];
		for (let turn = 0; turn < 40; turn++) {
			const body = JSON.stringify({ version: 1, session, nonce: nonce() });
			statuses.push((await post(served.socket, '/hello', body)).status);
		}
		expect(statuses.slice(-5)).toEqual([429, 429, 429, 429, 429]);
		expect((await say(1, open)).status).toBe(200);
	});

	it('garbage is answered with an error, and calls continue', async () => {
		const served = await channels.start();
		const path = fc.constantFrom('/hello', '/prove', '/call');
		await fc.assert(
			fc.asyncProperty(path, fc.uint8Array({ maxLength: 400 }), async (to, bytes) => {
				const { status } = await post(served.socket, to, Buffer.from(bytes));
				expect([400, 401]).toContain(status);
			}),
			{ numRuns: 60 },
		);
		const say = await admitted(served);
		expect((await say(1, open)).status).toBe(200);
	});

	it('a payload that is not a request is answered with a sealed error', async () => {
		const say = await admitted(await channels.start());
		let counter = 0;
		for (const payload of [
			'',
			'5',
			'null',
			'[]',
			'{}',
			'{"method":5}',
			'{"method":"context/stats","params":[]}',
		]) {
			const { status, text } = await say(++counter, payload);
			expect(status).toBe(200);
			expect(JSON.parse(parseSealedAnswer(text)?.payload ?? '')).toHaveProperty('error.code');
		}
	});
});

describe('deeply nested requests', () => {
	it('a deeply nested request is an error, and the next one is answered', async () => {
		const say = await admitted(await channels.start());
		for (const [turn, levels] of [2_000, 200_000].entries()) {
			const deep = '['.repeat(levels) + ']'.repeat(levels);
			const messages = `[{"role":"user","content":"x","metadata":{"a":${deep}}}]`;
			const payload = `{"method":"session/append","params":{"messages":${messages}}}`;
			const { status, text } = await say(turn + 1, payload);
			expect(status).toBe(200);
			expect(JSON.parse(parseSealedAnswer(text)?.payload ?? '')).toMatchObject({ error: { code: -32602 } });
		}
		expect((await say(3, open)).status).toBe(200);
	});
});

describe('encoding of requests', () => {
	it('requestBody and readRequest round-trip any payload', () => {
		const hex = fc.stringMatching(/^[0-9a-f]{64}$/);
		fc.assert(
			fc.property(
				hex,
				hex,
				fc.integer({ min: 1, max: 999_999_999_999_999 }),
				fc.string(),
				(token, seal, counter, payload) => {
					const request = { token, counter, mac: seal, payload };
					expect(parseSealedRequest(formatSealedRequest(request))).toEqual(request);
				},
			),
		);
	});

	it.each([
		'',
		'\n',
		`${'a'.repeat(64)} 0 ${'b'.repeat(64)}\n{}`,
		`${'a'.repeat(64)} 1 ${'b'.repeat(63)}\n{}`,
	])('readRequest refuses %j', (text) => {
		expect(parseSealedRequest(text)).toBeUndefined();
	});
});
