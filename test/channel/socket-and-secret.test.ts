import { spawn } from 'node:child_process';
import {
	chmodSync,
	chownSync,
	existsSync,
	mkdirSync,
	readdirSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { freshFolder, removeFolders } from '../support/app.ts';
import { startChannel, startingChannels, whyNotStarted } from '../support/channel.ts';
import { eventually } from '../support/eventually.ts';

const channels = startingChannels();

afterEach(removeFolders);

async function refused(socket: string, state = freshFolder()): Promise<string> {
	expect(await startChannel({ socket, state })).toBe(2);
	return whyNotStarted();
}

describe('socket and secret of a channel', () => {
	it('a channel refuses a folder that is open to others, a link, or not a folder', async () => {
		const folder = freshFolder();
		const open = join(folder, 'open');
		mkdirSync(open);
		chmodSync(open, 0o755);
		expect(await refused(join(open, 'x.sock'))).toMatch(/is open to other users/);
		mkdirSync(join(folder, 'own'), { mode: 0o700 });
		symlinkSync(join(folder, 'own'), join(folder, 'link'));
		expect(await refused(join(folder, 'link', 'x.sock'))).toMatch(/is not a folder/);
		writeFileSync(join(folder, 'file'), '');
		expect(await refused(join(folder, 'file', 'x.sock'))).toMatch(/ENOTDIR|EEXIST|is no folder/);
	});

	it.skipIf(process.getuid?.() !== 0)('a channel refuses a folder of another user', async () => {
		const folder = join(freshFolder(), 'other');
		mkdirSync(folder, { mode: 0o700 });
		chownSync(folder, 12_345, 12_345);
		expect(await refused(join(folder, 'x.sock'))).toMatch(/belongs to another user/);
	});

	it('a channel refuses a secret folder that is open to others', async () => {
		const state = freshFolder();
		mkdirSync(join(state, 'channel'));
		chmodSync(join(state, 'channel'), 0o777);
		expect(await refused(join(state, 's', 'x.sock'), state)).toMatch(/is open to other users/);
	});

	it('a channel refuses a relative path, and one that is too long for a socket', async () => {
		expect(await refused('x.sock')).toMatch(/expected an absolute path/);
		expect(await refused(join(freshFolder(), 'x'.repeat(100)))).toMatch(/at most 100 bytes/);
	});

	it('a channel refuses a path with another listener or another file', async () => {
		const folder = freshFolder();
		const socket = join(folder, 'x.sock');
		writeFileSync(socket, '');
		expect(await refused(socket)).toMatch(/exists and is not a socket/);
		const other = createServer().listen(join(folder, 'y.sock'));
		await new Promise((done) => other.once('listening', done));
		expect(await refused(join(folder, 'y.sock'))).toMatch(/another process listens/);
		other.close();
	});

	it('a channel replaces the socket of a killed daemon, and removes what others left', async () => {
		const state = freshFolder();
		const program = `
			const { createServer } = require('node:net');
			let left = 2;
			for (const name of ['x', 'y']) createServer().listen('${state}/s/' + name + '.sock', () => --left || process.send('ready'));
		`;
		mkdirSync(join(state, 's'), { mode: 0o700 });
		mkdirSync(join(state, 'channel'), { mode: 0o700 });
		writeFileSync(join(state, 'channel', 'y.key'), 'old');
		const child = spawn(process.execPath, ['-e', program], {
			stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
		});
		await new Promise((done) => child.once('message', done));
		child.kill('SIGKILL');
		await new Promise((done) => child.once('exit', done));
		expect(existsSync(join(state, 's', 'x.sock'))).toBe(true);
		await channels.start({ state, socket: join(state, 's', 'x.sock') });
		expect(existsSync(join(state, 's', 'y.sock'))).toBe(false);
		expect(existsSync(join(state, 'channel', 'y.key'))).toBe(false);
	});

	it('a channel starts while others remove the sockets of many killed daemons', async () => {
		const state = freshFolder();
		const folder = join(state, 's');
		mkdirSync(folder, { mode: 0o700 });
		const program = `
			const { createServer } = require('node:net');
			let left = 300;
			for (let no = 0; no < 300; no++) createServer().listen('${folder}/' + no + '.sock', () => --left || process.send('ready'));
		`;
		const child = spawn(process.execPath, ['-e', program], {
			stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
		});
		await new Promise((done) => child.once('message', done));
		child.kill('SIGKILL');
		await new Promise((done) => child.once('exit', done));
		const dead = readdirSync(folder).reverse();
		const others = (async () => {
			for (const name of dead) {
				rmSync(join(folder, name), { force: true });
				await setTimeout(1);
			}
		})();
		const served = await channels.start({ state, socket: join(folder, 'own.sock') });
		await others;
		expect(existsSync(served.socket)).toBe(true);
		expect(readdirSync(folder)).toEqual(['own.sock']);
	});

	it('a channel ends with the process for which the daemon was started', async () => {
		const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
		const served = await channels.start({ clientProcessId: child.pid ?? 0 });
		child.kill('SIGKILL');
		await eventually(() => expect(existsSync(served.socket) || existsSync(served.key)).toBe(false));
	});
});
