import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	chmod,
	lstat,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	rename,
	rm,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultSettings } from '../../server/core/settings/layers.ts';
import { askHolders } from '../../server/node/holder/askHolder.ts';
import { createHolder, type OwnHolder } from '../../server/node/holder/holderSocket.ts';
import { type AskedHolder, talkWith } from '../../server/node/holder/holderTalk.ts';
import { newNonce, proofOf, sessionDigest } from '../../server/node/holder/proof.ts';
import type { HandedCall, HandedWork } from '../../server/session/holders.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLogger } from '../support/logger.ts';
import { needsPosix } from '../support/needs.ts';

let directory: string;
let holder: OwnHolder;
let asked: AskedHolder;
let worked: HandedWork[];
let logger: ReturnType<typeof listeningLogger>;

/** Bytes that a call may have here. */
const mostBytes = 2 ** 21;

const asker = {
	settings: () => defaultSettings,
	offersModel: () => false,
	askModel: () => Promise.reject(new Error('nobody is asked here')),
};

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'holder-'));
	worked = [];
	logger = listeningLogger();
	holder = createHolder({
		stateDirectory: () => directory,
		held: () => ['s'],
		async work(work) {
			worked.push(work);
			return { done: work.method };
		},
		log: logger,
		mostBytes,
	});
	const address = await holder.address();
	if (!address) throw new Error('no socket could be had');
	asked = { sessionId: 's', pid: process.pid, address };
});

afterEach(async () => {
	await holder.close();
	await rm(directory, { recursive: true, force: true });
});

const handed = (): HandedCall => ({
	operation: '00000000-0000-4000-8000-000000000001',
	method: 'session/append',
	params: { messages: [] },
	signal: new AbortController().signal,
});

/** What a stranger gets to read who sends these lines, until he is cut off; with the milliseconds that it took. */
async function speak(
	say: (socket: Socket, hear: () => Promise<Record<string, string>>) => Promise<void>,
): Promise<{ heard: string; ms: number }> {
	const begun = performance.now();
	const socket = connect(asked.address.socket);
	let heard = '';
	let wake: () => void = () => undefined;
	socket.on('data', (chunk) => {
		heard += chunk;
		wake();
	});
	socket.on('error', () => undefined);
	const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
	let read = 0;
	const hear = async (): Promise<Record<string, string>> => {
		while (heard.indexOf('\n', read) < 0) {
			await new Promise<void>((resolve) => {
				wake = resolve;
			});
		}
		const end = heard.indexOf('\n', read);
		const line = heard.slice(read, end);
		read = end + 1;
		return JSON.parse(line);
	};
	await say(socket, hear);
	await closed;
	return { heard, ms: performance.now() - begun };
}

/** How many were cut off for such a reason. */
const cutOff = (reason: string) =>
	logger.lines.filter((line) => line.includes(`holder's socket: ${reason}`)).length;

const hello = (nonce = newNonce()) =>
	`${JSON.stringify({ contextd: 1, session: sessionDigest('s'), nonce })}\n`;

describe.skipIf(process.platform === 'win32')('the socket of a holder', needsPosix, () => {
	it('takes writes of whoever knows its secret', async () => {
		const talk = await talkWith(asked, asker);
		expect(await talk.call(handed())).toEqual({ done: 'session/append' });
		expect(worked).toMatchObject([
			{ sessionId: 's', method: 'session/append', operation: { id: handed().operation } },
		]);
		talk.close();
	});

	it('lies in a folder that is closed to others, beside a secret that is', async () => {
		const { socket, secret } = asked.address;
		for (const [path, mode] of [
			[join(socket, '..'), 0o700],
			[socket, 0o600],
			[secret, 0o600],
		] as const) {
			expect([path, (await lstat(path)).mode & 0o777]).toEqual([path, mode]);
		}
	});

	it('goes with its holder, and what a dead one left goes with the next', async () => {
		const dead = join(directory, 'holders', 'dead');
		await mkdir(dead);
		await writeFile(join(dead, `${2 ** 30}.1.0.${'0'.repeat(12)}.${'0'.repeat(16)}`), '');
		const [own = ''] = (await readdir(join(directory, 'holders'))).filter((name) => name !== 'dead');
		const names = await readdir(join(directory, 'holders', own));
		const scope = names.find((name) => name.includes('.'))?.split('.')[3] ?? '';
		await rm(dead, { recursive: true });
		await mkdir(dead);
		await writeFile(join(dead, `${2 ** 30}.1.0.${scope}.${'0'.repeat(16)}`), '');
		const next = createHolder({
			stateDirectory: () => directory,
			held: () => [],
			work: async () => null,
			log: logger,
		});
		await next.address();
		await expect.poll(() => readdir(join(directory, 'holders'))).toHaveLength(2);
		await next.close();
		await holder.close();
		expect(await readdir(join(directory, 'holders'))).toEqual([]);
	});

	it('ends without it where its folder cannot be removed', async () => {
		await rm(join(directory, 'holders'), { recursive: true });
		await writeFile(join(directory, 'holders'), '');
		await holder.close();
		expect(logger.lines.join('\n')).toContain("the holder's folder stays: ENOTDIR");
	});

	it('says nothing to whoever knows another secret, and hears nothing of him', async () => {
		const { heard } = await speak(async (socket, hear) => {
			const askerNonce = newNonce();
			socket.write(hello(askerNonce));
			const { nonce = '' } = await hear();
			const talk = { askerNonce, holderNonce: nonce, session: sessionDigest('s') };
			socket.write(`${JSON.stringify({ proof: proofOf(Buffer.alloc(32), 'asker', talk) })}\n`);
			socket.write('Content-Length: 2\r\n\r\n{}');
		});
		expect(heard.split('\n')).toHaveLength(2);
		expect(heard).not.toContain('ready');
		expect(worked).toEqual([]);
		expect(logger.lines.join('\n')).toContain('it does not know the secret');
	});

	it('takes no proof a second time, and not its own as one of the other end', async () => {
		const secret = await readFile(asked.address.secret);
		let spoken = '';
		const askerNonce = newNonce();
		await speak(async (socket, hear) => {
			socket.write(hello(askerNonce));
			const { nonce = '' } = await hear();
			const talk = { askerNonce, holderNonce: nonce, session: sessionDigest('s') };
			spoken = `${JSON.stringify({ proof: proofOf(secret, 'asker', talk) })}\n`;
			socket.write(spoken);
			expect(await hear()).toEqual({ ready: true });
			socket.end();
		});
		const replayed = await speak(async (socket, hear) => {
			socket.write(hello(askerNonce));
			await hear();
			socket.write(spoken);
		});
		expect(replayed.heard).not.toContain('ready');
		const reflected = await speak(async (socket, hear) => {
			socket.write(hello());
			const { proof } = await hear();
			socket.write(`${JSON.stringify({ proof })}\n`);
		});
		expect(reflected.heard).not.toContain('ready');
	});

	it('cuts off whoever is slow after a second, drop by drop as well', async () => {
		const silent = await speak(async () => undefined);
		expect(silent.heard).toBe('');
		expect(silent.ms).toBeGreaterThan(900);
		const dripping = await speak(async (socket) => {
			const drip = setInterval(() => socket.write('{'), 100);
			socket.once('close', () => clearInterval(drip));
		});
		expect(dripping.heard).toBe('');
		await eventually(() => expect(cutOff('it took too long')).toBe(2));
	});

	it('cuts off whoever says more than 4 KiB at once', async () => {
		for (const long of [
			`{"contextd":1,"x":"${'x'.repeat(5000)}"}\n`,
			'x'.repeat(5000),
			`${'\n'.repeat(5000)}`,
		]) {
			const { heard } = await speak(async (socket) => void socket.write(long));
			expect(heard).toBe('');
		}
		await eventually(() => expect(cutOff('it s')).toBe(3));
	});

	it('answers another version with its own, and nothing else', async () => {
		const { heard } = await speak(
			async (socket) => void socket.write('{"contextd":2,"session":"","nonce":""}\n'),
		);
		expect(heard).toBe('{"contextd":1}\n');
	});
});

/** A connection whose two ends have proven themselves. */
async function provenTalk(): Promise<Socket> {
	const secret = await readFile(asked.address.secret);
	const socket = connect(asked.address.socket);
	const next = async (): Promise<Record<string, string>> => {
		const [chunk] = await once(socket, 'data');
		return JSON.parse(`${chunk}`);
	};
	const askerNonce = newNonce();
	socket.write(hello(askerNonce));
	const { nonce = '' } = await next();
	const talk = { askerNonce, holderNonce: nonce, session: sessionDigest('s') };
	socket.write(`${JSON.stringify({ proof: proofOf(secret, 'asker', talk) })}\n`);
	expect(await next()).toEqual({ ready: true });
	return socket;
}

describe.skipIf(process.platform === 'win32')('a holder that is talked to', needsPosix, () => {
	it('ends a talk whose words it cannot read, so that whoever asked can ask anew', async () => {
		for (const odd of [
			'Content-Length: -5\r\n\r\nhello',
			'X: 1\r\n\r\nhello',
			'Content-Length: 2\r\n\r\n{{',
		]) {
			const socket = await provenTalk();
			socket.write(odd);
			await once(socket, 'close');
		}
		const talk = await talkWith(asked, asker);
		expect(await talk.call(handed())).toEqual({ done: 'session/append' });
		talk.close();
	});

	it('ends a talk in which a call has no end, in bounded memory; longer talks of short calls go on', async () => {
		const socket = await provenTalk();
		socket.write(`Content-Length: ${2 ** 40}\r\n\r\n`);
		const chunk = Buffer.alloc(2 ** 14);
		const more = setInterval(() => socket.write(chunk), 1);
		await new Promise<void>((resolve) => socket.on('error', () => undefined).once('close', () => resolve()));
		clearInterval(more);
		expect(logger.lines.join('\n')).toContain(`a call of more than ${mostBytes} bytes`);
		const talk = await talkWith(asked, asker);
		const padding = 'x'.repeat(mostBytes / 4);
		for (let turn = 0; turn < 8; turn++) {
			const call = { ...handed(), params: { messages: [{ role: 'user', content: padding }] } };
			expect(await talk.call(call)).toEqual({ done: 'session/append' });
		}
		talk.close();
	});

	it('takes no call whose operation is no id, or without an end', async () => {
		const talk = await talkWith(asked, asker);
		for (const operation of ['', 'x', '__proto__', 'x'.repeat(1_000_000), 5, { a: 1 }]) {
			const call = { ...handed(), operation } as HandedCall;
			await expect(talk.call(call)).rejects.toMatchObject({ code: -32602 });
		}
		expect(worked).toEqual([]);
		talk.close();
	});

	it('goes by the defaults where settings of another version lack or misuse a member', async () => {
		const own = { ...defaultSettings, reserve: 'table' as const, tokenThreshold: 5000 };
		const { compaction: _, ...older } = own;
		const { summarization } = own;
		for (const given of [older, { ...own, compaction: 5, storage: null }, own, { summarization }]) {
			const talk = await talkWith(asked, { ...asker, settings: () => given as typeof own });
			await talk.call(handed());
			talk.close();
			expect(worked.at(-1)?.settings).toEqual('reserve' in given ? own : defaultSettings);
		}
	});

	it('has no socket where the folder of holders is a link', async () => {
		const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
		await chmod(elsewhere, 0o755);
		const linked = join(directory, 'linked');
		await mkdir(linked);
		await symlink(elsewhere, join(linked, 'holders'));
		const other = createHolder({
			stateDirectory: () => linked,
			held: () => ['s'],
			work: async () => 'done',
			log: logger,
		});
		expect(await other.address()).toBeUndefined();
		expect((await lstat(elsewhere)).mode & 0o777).toBe(0o755);
		expect(await readdir(elsewhere)).toEqual([]);
		await rm(elsewhere, { recursive: true });
	});
});

describe.skipIf(process.platform === 'win32')('whoever asks a holder', needsPosix, () => {
	it('does not wait for a secret that is a pipe, and follows no link to one', async () => {
		const { secret } = asked.address;
		const kept = `${secret}.kept`;
		await rename(secret, kept);
		await promisify(execFile)('mkfifo', ['-m', '600', secret]);
		const refused = { kind: 'SessionLocked', message: expect.stringContaining('is not what it should be') };
		await expect(talkWith(asked, asker)).rejects.toMatchObject(refused);
		await rm(secret);
		await symlink(kept, secret);
		await expect(talkWith(asked, asker)).rejects.toMatchObject(refused);
	});

	it('says that the storage failed where the lock cannot be looked at', async () => {
		const sessions = join(directory, 'sessions');
		await mkdir(sessions);
		await symlink('s.lock', join(sessions, 's.lock'));
		await expect(askHolders(() => directory, asker).call('s', handed())).rejects.toMatchObject({
			kind: 'StorageFailed',
			data: { code: 'ELOOP' },
		});
	});

	it('is refused where more wait at the socket of a holder that sleeps than the system lets', async () => {
		const folder = join(directory, 'full');
		await mkdir(folder, { mode: 0o700 });
		const path = join(folder, 'socket');
		const asleep = spawn(process.execPath, [
			'-e',
			'require("net").createServer().listen({ path: process.argv[1], backlog: 1 }, () => console.log("up"))',
			path,
		]);
		await once(asleep.stdout, 'data');
		asleep.kill('SIGSTOP');
		await chmod(path, 0o600);
		const waiting = Array.from({ length: 10 }, () => connect(path).on('error', () => undefined));
		await expect.poll(() => waiting.some((one) => one.destroyed)).toBe(true);
		const full = { ...asked, address: { ...asked.address, socket: path } };
		await expect(talkWith(full, asker)).rejects.toMatchObject({ kind: 'SessionLocked' });
		for (const one of waiting) one.destroy();
		asleep.kill('SIGKILL');
	});

	it('speaks to none whose folder, socket or secret is open to others', async () => {
		for (const [path, mode] of [
			[join(asked.address.socket, '..'), 0o711],
			[asked.address.socket, 0o660],
			[asked.address.secret, 0o640],
		] as const) {
			const before = (await lstat(path)).mode;
			await chmod(path, mode);
			await expect(talkWith(asked, asker)).rejects.toMatchObject({
				kind: 'SessionLocked',
				message: expect.stringContaining('open to other users'),
			});
			await chmod(path, before);
		}
	});

	it.skipIf(process.getuid?.() !== 0)('speaks to none whose socket belongs to another user', async () => {
		const { chown } = await import('node:fs/promises');
		for (const path of [join(asked.address.socket, '..'), asked.address.socket, asked.address.secret]) {
			await chown(path, 65534, 65534);
			await expect(talkWith(asked, asker)).rejects.toMatchObject({
				kind: 'SessionLocked',
				message: expect.stringContaining('belongs to another user'),
			});
			await chown(path, 0, 0);
		}
	});

	it('tells no content to a socket that does not know the secret', async () => {
		const heard: string[] = [];
		const folder = join(directory, 'impostor');
		await mkdir(folder, { mode: 0o700 });
		const socket = join(folder, 'socket');
		const server = createServer((stream) => {
			stream.on('data', (chunk) => heard.push(chunk.toString()));
			stream.write(`${JSON.stringify({ contextd: 1, nonce: newNonce(), proof: '0'.repeat(64) })}\n`);
		});
		await new Promise<void>((resolve) => server.listen(socket, resolve));
		await chmod(socket, 0o600);
		const impostor = { ...asked, address: { ...asked.address, socket } };
		await expect(talkWith(impostor, asker)).rejects.toMatchObject({
			message: expect.stringContaining('does not know the secret'),
		});
		await new Promise((resolve) => server.close(resolve));
		expect(heard.join('')).toMatch(/^\{"contextd":1,"session":"[0-9a-f]{64}","nonce":"[0-9a-f]{64}"\}\n$/);
	});

	it('hears that a holder is gone where nobody listens any more', async () => {
		await holder.close();
		await expect(talkWith(asked, asker)).rejects.toMatchObject({ name: 'HolderGone' });
	});

	it('hands over its settings without any key, and asks its models itself', async () => {
		const own = {
			provider: 'openai' as const,
			model: 'gpt-5',
			apiKey: 'sk-secret',
			headers: { authorization: 'secret' },
			baseURL: 'https://secret.example',
		};
		const settings = {
			...defaultSettings,
			summarization: { ...defaultSettings.summarization, chain: [own] },
		};
		const links: unknown[] = [];
		await holder.close();
		holder = createHolder({
			stateDirectory: () => directory,
			held: () => ['s'],
			async work({ settings: theirs, askModel, signal }) {
				const [link] = theirs.summarization.chain;
				if (!link) throw new Error('no link came');
				const question = { system: '', prompt: 'sum up', maxTokens: 10, sessionId: 's' };
				return { theirs, reply: await askModel(link, question, signal) };
			},
			log: logger,
		});
		const address = await holder.address();
		const other = await talkWith(
			{ ...asked, address: address ?? asked.address },
			{
				...asker,
				settings: () => settings,
				async askModel(link) {
					links.push(link);
					return { text: 'a summary', stopReason: 'stop' };
				},
			},
		);
		const answer = await other.call(handed());
		expect(answer).toMatchObject({ reply: { text: 'a summary' } });
		expect(JSON.stringify(answer)).not.toContain('secret');
		expect(links).toEqual([own]);
		other.close();
	});
});

describe.skipIf(process.platform === 'win32')('a state folder with a long path', needsPosix, () => {
	it('has its socket elsewhere, in a folder that is closed to others', async () => {
		const long = join(directory, 'x'.repeat(120));
		const other = createHolder({
			stateDirectory: () => long,
			held: () => ['s'],
			work: async () => 'done',
			log: logger,
		});
		const address = await other.address();
		expect(Buffer.byteLength(address?.socket ?? '')).toBeLessThanOrEqual(100);
		expect(address?.socket.startsWith(tmpdir())).toBe(true);
		expect((await lstat(join(address?.socket ?? '', '..'))).mode & 0o777).toBe(0o700);
		const talk = await talkWith({ ...asked, address: address ?? asked.address }, asker);
		expect(await talk.call(handed())).toBe('done');
		talk.close();
		await other.close();
		await expect(lstat(join(address?.socket ?? '', '..'))).rejects.toMatchObject({ code: 'ENOENT' });
	});
});
