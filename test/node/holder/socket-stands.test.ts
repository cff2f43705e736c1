import { lstat, mkdir, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OwnHolder } from '../../../server/node/holder/holderSocket.ts';
import { talkWith } from '../../../server/node/holder/holderTalk.ts';
import { type Holder, nameOfHolder, thisHolder } from '../../../server/node/journal/holder.ts';
import { eventually } from '../../support/eventually.ts';
import { needsPosix } from '../../support/needs.ts';
import { asker, handed, useHolder } from './here.ts';

const here = useHolder();
const hour = 60 * 60 * 1000;

/** A holder that looks at its socket often, and what an asker hears of it. */
async function watchful(directory: string) {
	const holder = here.another(directory, { lookInterval: 20 });
	const address = await addressOf(holder);
	const ask = async (): Promise<unknown> => {
		const talk = await talkWith({ ...here.asked, address }, asker);
		try {
			return await talk.call(handed());
		} finally {
			talk.close();
		}
	};
	return { holder, address, ask };
}

async function addressOf(holder: OwnHolder) {
	const address = await holder.address();
	if (!address) throw new Error('no socket could be had');
	return address;
}

describe.skipIf(process.platform === 'win32')('a socket of a holder that was removed', needsPosix, () => {
	it('is made anew, closed to others, with the same secret', async () => {
		const { holder, address, ask } = await watchful(join(here.directory, 'other'));
		await rm(address.socket);
		await expect(ask()).rejects.toMatchObject({ name: 'HolderGone' });
		await expect.poll(ask).toBe('done');
		expect((await lstat(address.socket)).mode & 0o777).toBe(0o600);
		await holder.close();
		await expect(lstat(dirname(address.socket))).rejects.toMatchObject({ code: 'ENOENT' });
	});

	it('is made anew with all that lay around it', async () => {
		for (const name of ['other', 'x'.repeat(120)]) {
			const { holder, address, ask } = await watchful(join(here.directory, name));
			// The holder may be making something anew in it.
			await eventually(() => rm(join(here.directory, name), { recursive: true, force: true }));
			await eventually(() => rm(dirname(address.socket), { recursive: true, force: true }));
			await expect.poll(ask).toBe('done');
			for (const path of [dirname(address.socket), dirname(address.secret)])
				expect((await lstat(path)).mode & 0o777).toBe(0o700);
			await holder.close();
		}
	});

	it('is there again for a session that is held from now on', async () => {
		await rm(dirname(here.asked.address.secret), { recursive: true });
		expect(await here.holder.address()).toEqual(here.asked.address);
		const talk = await talkWith(here.asked, asker);
		expect(await talk.call(handed())).toEqual({ done: 'session/append' });
		talk.close();
	});

	it('has its secret again where a full disk left a part of it', async () => {
		const { holder, address, ask } = await watchful(join(here.directory, 'other'));
		await truncate(address.secret, 7);
		await expect.poll(ask).toBe('done');
		expect((await lstat(address.secret)).mode & 0o777).toBe(0o600);
		await holder.close();
	});

	it('stays away once its holder was closed, though a session is still being opened', async () => {
		const { holder, address } = await watchful(join(here.directory, 'other'));
		await holder.close();
		await holder.address();
		await expect(lstat(dirname(address.secret))).rejects.toMatchObject({ code: 'ENOENT' });
	});

	it('stays away where its holder holds nothing', async () => {
		const directory = join(here.directory, 'other');
		const holder = here.another(directory, { lookInterval: 20, held: () => [] });
		await addressOf(holder);
		await rm(directory, { recursive: true });
		await new Promise((resolve) => setTimeout(resolve, 100));
		await expect(lstat(directory)).rejects.toMatchObject({ code: 'ENOENT' });
		await holder.close();
	});

	it('is left where something else stands in its place', async () => {
		const { holder, address } = await watchful(join(here.directory, 'other'));
		// The holder may make it anew between the two.
		await eventually(async () => {
			await rm(dirname(address.secret), { recursive: true, force: true });
			await writeFile(dirname(address.secret), 'no folder');
		});
		await expect.poll(() => here.logger.lines.join('\n')).toContain('is not what it should be');
		await holder.close();
	});
});

describe.skipIf(process.platform === 'win32')('the folder of a holder', needsPosix, () => {
	/** The room of a holder as it stands after so many milliseconds without a sign of life. */
	async function roomOf(name: string, owner: Holder | undefined, age: number, content = ''): Promise<void> {
		const room = join(here.directory, 'holders', name);
		await mkdir(room);
		const then = new Date(Date.now() - age);
		if (owner) {
			await writeFile(join(room, nameOfHolder(owner)), content);
			await utimes(join(room, nameOfHolder(owner)), then, then);
		}
		await utimes(room, then, then);
	}

	/** The rooms that are left once another holder has come. */
	async function left(): Promise<string[]> {
		const holder = here.another(here.directory);
		const own = [here.asked.address, await addressOf(holder)].map(({ secret }) => dirname(secret));
		const names = async () =>
			(await readdir(join(here.directory, 'holders'))).filter(
				(name) => !own.includes(join(here.directory, 'holders', name)),
			);
		await expect.poll(names).not.toContain('gone');
		const rooms = await names();
		await holder.close();
		return rooms;
	}

	it('goes after a day without a sign of life where its process is of another container', async () => {
		const afar = { ...(await thisHolder()), scope: '0'.repeat(12) };
		await roomOf('asleep', afar, 23 * hour);
		await roomOf('begun', undefined, hour);
		await roomOf('gone', afar, 25 * hour);
		await roomOf('broken', undefined, 25 * hour);
		expect((await left()).sort()).toEqual(['asleep', 'begun']);
	});

	it('goes with the folder of its socket that lies elsewhere, and with nothing else', async () => {
		const dead = { ...(await thisHolder()), start: '1' };
		const elsewhere = join(tmpdir(), `contextd-${dead.token}`);
		const foreign = join(here.directory, `contextd-${dead.token}`);
		for (const folder of [elsewhere, foreign]) await mkdir(folder, { mode: 0o700 });
		await roomOf('foreign', dead, 0, foreign);
		await roomOf('gone', dead, 0, elsewhere);
		expect(await left()).toEqual([]);
		expect((await lstat(foreign)).isDirectory()).toBe(true);
		await expect(lstat(elsewhere)).rejects.toMatchObject({ code: 'ENOENT' });
	});

	it('shows signs of life while its process holds a session', async () => {
		const { holder, address } = await watchful(join(here.directory, 'other'));
		const room = dirname(address.secret);
		const owner = (await readdir(room)).find((name) => name.includes('.')) ?? '';
		const long = new Date(Date.now() - hour);
		await utimes(join(room, owner), long, long);
		await expect
			.poll(async () => (await stat(join(room, owner))).mtimeMs)
			.toBeGreaterThan(Date.now() - hour / 2);
		await holder.close();
	});
});
