import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { talkWith } from '../../../server/node/holder/holderTalk.ts';
import { newNonce, proofOf, sessionDigest } from '../../../server/node/holder/proof.ts';
import { eventually } from '../../support/eventually.ts';
import { needsPosix } from '../../support/needs.ts';
import { asker, handed, hello, speak, useHolder } from './here.ts';

const here = useHolder();

/** What the holder said of strangers whom it cut off. */
const cutOff = () => here.logger.lines.filter((line) => line.includes('was cut off'));

describe.skipIf(process.platform === 'win32')('the socket of a holder', needsPosix, () => {
	it('takes writes of whoever knows its secret', async () => {
		const talk = await talkWith(here.asked, asker);
		expect(await talk.call(handed())).toEqual({ done: 'session/append' });
		expect(here.worked).toMatchObject([
			{ sessionId: 's', method: 'session/append', operation: { id: handed().operation } },
		]);
		talk.close();
	});

	it('lies in a folder that is closed to others, beside a secret that is', async () => {
		const { socket, secret } = here.asked.address;
		for (const [path, mode] of [
			[join(socket, '..'), 0o700],
			[socket, 0o600],
			[secret, 0o600],
		] as const) {
			expect([path, (await lstat(path)).mode & 0o777]).toEqual([path, mode]);
		}
	});

	it('goes with its holder, and what a dead one left goes with the next', async () => {
		const dead = join(here.directory, 'holders', 'dead');
		await mkdir(dead);
		await writeFile(join(dead, `${2 ** 30}.1.0.${'0'.repeat(12)}.${'0'.repeat(16)}`), '');
		const [own = ''] = (await readdir(join(here.directory, 'holders'))).filter((name) => name !== 'dead');
		const names = await readdir(join(here.directory, 'holders', own));
		const scope = names.find((name) => name.includes('.'))?.split('.')[3] ?? '';
		await rm(dead, { recursive: true });
		await mkdir(dead);
		await writeFile(join(dead, `${2 ** 30}.1.0.${scope}.${'0'.repeat(16)}`), '');
		const next = here.another(here.directory, { held: () => [] });
		await next.address();
		await expect.poll(() => readdir(join(here.directory, 'holders'))).toHaveLength(2);
		await next.close();
		await here.holder.close();
		expect(await readdir(join(here.directory, 'holders'))).toEqual([]);
	});

	it('ends without it where its folder cannot be removed', async () => {
		await rm(join(here.directory, 'holders'), { recursive: true });
		await writeFile(join(here.directory, 'holders'), '');
		await here.holder.close();
		expect(here.logger.lines.join('\n')).toContain("the holder's folder stays: ENOTDIR");
	});

	it('says nothing to whoever knows another secret, and hears nothing of him', async () => {
		const { heard } = await speak(here, async (socket, hear) => {
			const askerNonce = newNonce();
			socket.write(hello(askerNonce));
			const { nonce = '' } = await hear();
			const talk = { askerNonce, holderNonce: nonce, session: sessionDigest('s') };
			socket.write(`${JSON.stringify({ proof: proofOf(Buffer.alloc(32), 'asker', talk) })}\n`);
			socket.write('Content-Length: 2\r\n\r\n{}');
		});
		expect(heard.split('\n')).toHaveLength(2);
		expect(heard).not.toContain('ready');
		expect(here.worked).toEqual([]);
		expect(here.logger.lines.join('\n')).toContain('it does not know the secret');
	});

	it('takes no proof a second time, and not its own as one of the other end', async () => {
		const secret = await readFile(here.asked.address.secret);
		let spoken = '';
		const askerNonce = newNonce();
		await speak(here, async (socket, hear) => {
			socket.write(hello(askerNonce));
			const { nonce = '' } = await hear();
			const talk = { askerNonce, holderNonce: nonce, session: sessionDigest('s') };
			spoken = `${JSON.stringify({ proof: proofOf(secret, 'asker', talk) })}\n`;
			socket.write(spoken);
			expect(await hear()).toEqual({ ready: true });
			socket.end();
		});
		const replayed = await speak(here, async (socket, hear) => {
			socket.write(hello(askerNonce));
			await hear();
			socket.write(spoken);
		});
		expect(replayed.heard).not.toContain('ready');
		const reflected = await speak(here, async (socket, hear) => {
			socket.write(hello());
			const { proof } = await hear();
			socket.write(`${JSON.stringify({ proof })}\n`);
		});
		expect(reflected.heard).not.toContain('ready');
	});

	it('cuts off whoever is slow after a second, drop by drop as well', async () => {
		const silent = await speak(here, async () => undefined);
		expect(silent.heard).toBe('');
		expect(silent.ms).toBeGreaterThan(900);
		await speak(here, async (socket) => {
			const drip = setInterval(() => socket.write('{'), 100);
			socket.once('close', () => clearInterval(drip));
		});
		const slow = expect.stringContaining('it took too long');
		await eventually(() => expect(cutOff()).toEqual([slow, slow]));
	});

	it('cuts off whoever says more than 4 KiB at once', async () => {
		for (const long of [
			`{"contextd":1,"x":"${'x'.repeat(5000)}"}\n`,
			'x'.repeat(5000),
			`${'\n'.repeat(5000)}`,
		]) {
			const { heard } = await speak(here, async (socket) => void socket.write(long));
			expect(heard).toBe('');
		}
		await eventually(() => expect(cutOff()).toHaveLength(3));
		expect(cutOff().join('\n')).not.toContain('it took too long');
	});

	it('answers another version with its own, and nothing else', async () => {
		const { heard } = await speak(
			here,
			async (socket) => void socket.write('{"contextd":2,"session":"","nonce":""}\n'),
		);
		expect(heard).toBe('{"contextd":1}\n');
	});
});

describe.skipIf(process.platform === 'win32')('a state folder with a long path', needsPosix, () => {
	it('has its socket elsewhere, in a folder that is closed to others', async () => {
		const long = join(here.directory, 'x'.repeat(120));
		const other = here.another(long);
		const address = await other.address();
		expect(Buffer.byteLength(address?.socket ?? '')).toBeLessThanOrEqual(100);
		expect(address?.socket.startsWith(tmpdir())).toBe(true);
		expect((await lstat(join(address?.socket ?? '', '..'))).mode & 0o777).toBe(0o700);
		const talk = await talkWith({ ...here.asked, address: address ?? here.asked.address }, asker);
		expect(await talk.call(handed())).toBe('done');
		talk.close();
		await other.close();
		await expect(lstat(join(address?.socket ?? '', '..'))).rejects.toMatchObject({ code: 'ENOENT' });
	});
});
