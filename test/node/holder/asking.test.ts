import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../server/core/settings/layers.ts';
import { askHolders } from '../../../server/node/holder/askHolder.ts';
import { talkWith } from '../../../server/node/holder/holderTalk.ts';
import { newNonce } from '../../../server/node/holder/proof.ts';
import { needsPosix } from '../../support/needs.ts';
import { asker, handed, useHolder } from './here.ts';

const here = useHolder();

describe.skipIf(process.platform === 'win32')('whoever asks a holder', needsPosix, () => {
	it('does not wait for a secret that is a pipe, and follows no link to one', async () => {
		const { secret } = here.asked.address;
		const kept = `${secret}.kept`;
		await rename(secret, kept);
		await promisify(execFile)('mkfifo', ['-m', '600', secret]);
		const refused = { kind: 'SessionLocked', message: expect.stringContaining('is not what it should be') };
		await expect(talkWith(here.asked, asker)).rejects.toMatchObject(refused);
		await rm(secret);
		await symlink(kept, secret);
		await expect(talkWith(here.asked, asker)).rejects.toMatchObject(refused);
	});

	it('says that the storage failed where the lock cannot be looked at', async () => {
		const sessions = join(here.directory, 'sessions');
		await mkdir(sessions);
		await symlink('s.lock', join(sessions, 's.lock'));
		await expect(askHolders(() => here.directory, asker).call('s', handed())).rejects.toMatchObject({
			kind: 'StorageFailed',
			data: { code: 'ELOOP' },
		});
	});

	it('is refused where more wait at the socket of a holder that sleeps than the system lets', async () => {
		const folder = join(here.directory, 'full');
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
		const full = { ...here.asked, address: { ...here.asked.address, socket: path } };
		await expect(talkWith(full, asker)).rejects.toMatchObject({ kind: 'SessionLocked' });
		for (const one of waiting) one.destroy();
		asleep.kill('SIGKILL');
	});

	it('speaks to none whose folder, socket or secret is open to others', async () => {
		for (const [path, mode] of [
			[join(here.asked.address.socket, '..'), 0o711],
			[here.asked.address.socket, 0o660],
			[here.asked.address.secret, 0o640],
		] as const) {
			const before = (await lstat(path)).mode;
			await chmod(path, mode);
			await expect(talkWith(here.asked, asker)).rejects.toMatchObject({
				kind: 'SessionLocked',
				message: expect.stringContaining('open to other users'),
			});
			await chmod(path, before);
		}
	});

	it.skipIf(process.getuid?.() !== 0)('speaks to none whose socket belongs to another user', async () => {
		const { chown } = await import('node:fs/promises');
		for (const path of [
			join(here.asked.address.socket, '..'),
			here.asked.address.socket,
			here.asked.address.secret,
		]) {
			await chown(path, 65534, 65534);
			await expect(talkWith(here.asked, asker)).rejects.toMatchObject({
				kind: 'SessionLocked',
				message: expect.stringContaining('belongs to another user'),
			});
			await chown(path, 0, 0);
		}
	});

	it('tells no content to a socket that does not know the secret', async () => {
		const heard: string[] = [];
		const folder = join(here.directory, 'impostor');
		await mkdir(folder, { mode: 0o700 });
		const socket = join(folder, 'socket');
		const server = createServer((stream) => {
			stream.on('data', (chunk) => heard.push(chunk.toString()));
			stream.write(`${JSON.stringify({ contextd: 1, nonce: newNonce(), proof: '0'.repeat(64) })}\n`);
		});
		await new Promise<void>((resolve) => server.listen(socket, resolve));
		await chmod(socket, 0o600);
		const impostor = { ...here.asked, address: { ...here.asked.address, socket } };
		await expect(talkWith(impostor, asker)).rejects.toMatchObject({
			message: expect.stringContaining('does not know the secret'),
		});
		await new Promise((resolve) => server.close(resolve));
		expect(heard.join('')).toMatch(/^\{"contextd":1,"session":"[0-9a-f]{64}","nonce":"[0-9a-f]{64}"\}\n$/);
	});

	it('hears that a holder is gone where nobody listens any more', async () => {
		await here.holder.close();
		await expect(talkWith(here.asked, asker)).rejects.toMatchObject({ name: 'HolderGone' });
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
		await here.holder.close();
		const holder = here.another(here.directory, {
			async work({ settings: theirs, askModel, signal }) {
				const [link] = theirs.summarization.chain;
				if (!link) throw new Error('no link came');
				const question = { system: '', prompt: 'sum up', maxTokens: 10, sessionId: 's' };
				return { theirs, reply: await askModel(link, question, signal) };
			},
		});
		const address = await holder.address();
		const other = await talkWith(
			{ ...here.asked, address: address ?? here.asked.address },
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
		await holder.close();
	});
});
