import { once } from 'node:events';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../server/core/settings/layers.ts';
import { talkWith } from '../../../server/node/holder/holderTalk.ts';
import { newNonce, proofOf, sessionDigest } from '../../../server/node/holder/proof.ts';
import type { HandedCall } from '../../../server/session/holders.ts';
import { needsPosix } from '../../support/needs.ts';
import { asker, handed, hello, mostBytes, useHolder } from './here.ts';

const here = useHolder();

/** A connection whose two ends have proven themselves. */
async function provenTalk(): Promise<Socket> {
	const secret = await readFile(here.asked.address.secret);
	const socket = connect(here.asked.address.socket);
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
		const talk = await talkWith(here.asked, asker);
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
		expect(here.logger.lines.join('\n')).toContain(`a call of more than ${mostBytes} bytes`);
		const talk = await talkWith(here.asked, asker);
		const padding = 'x'.repeat(mostBytes / 4);
		for (let turn = 0; turn < 8; turn++) {
			const call = { ...handed(), params: { messages: [{ role: 'user', content: padding }] } };
			expect(await talk.call(call)).toEqual({ done: 'session/append' });
		}
		talk.close();
	});

	it('takes no call whose operation is no id, or without an end', async () => {
		const talk = await talkWith(here.asked, asker);
		for (const operation of ['', 'x', '__proto__', 'x'.repeat(1_000_000), 5, { a: 1 }]) {
			const call = { ...handed(), operation } as HandedCall;
			await expect(talk.call(call)).rejects.toMatchObject({ code: -32602 });
		}
		expect(here.worked).toEqual([]);
		talk.close();
	});

	it('goes by the defaults where settings of another version lack or misuse a member', async () => {
		const own = { ...defaultSettings, reserve: 'table' as const, tokenThreshold: 5000 };
		const { compaction: _, ...older } = own;
		const { summarization } = own;
		for (const given of [older, { ...own, compaction: 5, storage: null }, own, { summarization }]) {
			const talk = await talkWith(here.asked, { ...asker, settings: () => given as typeof own });
			await talk.call(handed());
			talk.close();
			expect(here.worked.at(-1)?.settings).toEqual('reserve' in given ? own : defaultSettings);
		}
	});

	it('has no socket where the folder of holders is a link', async () => {
		const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
		await chmod(elsewhere, 0o755);
		const linked = join(here.directory, 'linked');
		await mkdir(linked);
		await symlink(elsewhere, join(linked, 'holders'));
		const other = here.another(linked);
		expect(await other.address()).toBeUndefined();
		expect((await lstat(elsewhere)).mode & 0o777).toBe(0o755);
		expect(await readdir(elsewhere)).toEqual([]);
		await rm(elsewhere, { recursive: true });
	});
});
