import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
	createStateFolder,
	findSocket,
	planSocket,
	prepareAddress,
} from '../../server/daemon/socketAddress.ts';
import { LocationRefusedError } from '../../server/node/ownFolder.ts';
import { needs, needsPosix } from '../support/needs.ts';

const otherUser = 12_345;

let root: string;
let state: string;
let runtimeFolder: string;
let server: Server | undefined;

beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), 'contextd-place-'));
	state = join(root, 'state');
	runtimeFolder = join(root, 'run');
	mkdirSync(runtimeFolder);
});

afterEach(async () => {
	server?.close();
	server = undefined;
	chmodSync(root, 0o700);
	await rm(root, { recursive: true, force: true });
});

async function listenAt(path: string): Promise<void> {
	server = createServer().listen(path);
	await new Promise((done) => server?.once('listening', done));
}

const refusal = (work: Promise<unknown>): Promise<string> =>
	work.then(
		() => 'not refused',
		(error) => (error instanceof LocationRefusedError ? error.message : String(error)),
	);

describe.skipIf(process.platform === 'win32')('the place of a daemon’s socket', needsPosix, () => {
	it('the socket is in the state folder, which only its user may enter', async () => {
		await createStateFolder(state);
		const place = await prepareAddress(state, { runtimeFolder });
		expect(place.path).toBe(join(state, 'daemon.sock'));
		expect(lstatSync(state).mode & 0o777).toBe(0o700);
		expect(await findSocket(state)).toBeUndefined();
		await listenAt(place.path);
		expect(await findSocket(state)).toEqual({ path: place.path });
		expect(await findSocket(state, otherUser)).toBeUndefined();
	});

	it.each([
		['the path is too long', 'x'.repeat(120), 0o700],
		['others may enter the state folder', 'open', 0o755],
	])('the socket is in a private folder that clients find, if %s', async (_, name, mode) => {
		const folder = join(root, name);
		mkdirSync(folder, { mode });
		chmodSync(folder, mode);
		const place = await prepareAddress(folder, { runtimeFolder });
		expect(dirname(dirname(place.path))).toBe(runtimeFolder);
		expect(lstatSync(dirname(place.path)).mode & 0o777).toBe(0o700);
		expect(await findSocket(folder)).toBeUndefined();
		await listenAt(place.path);
		expect(await place.exists()).toBe(true);
		expect(await findSocket(folder)).toEqual({ path: place.path });
		expect(await planSocket(folder, { runtimeFolder })).toBe(place.path);
		await place.clear();
		expect(existsSync(dirname(place.path))).toBe(false);
		expect(await findSocket(folder)).toBeUndefined();
	});

	it('the place of the socket is the same for every path to the state folder', async () => {
		const link = join(root, 'x'.repeat(120));
		mkdirSync(state, { mode: 0o700 });
		symlinkSync(state, link);
		const place = await prepareAddress(link, { runtimeFolder });
		expect(place.path).toBe(join(state, 'daemon.sock'));
		await listenAt(place.path);
		expect(await findSocket(link)).toEqual({ path: place.path });
	});

	it('the private folder of the socket falls back to the folder for temporary files', async () => {
		const folder = join(root, 'x'.repeat(120));
		await createStateFolder(folder);
		const path = await planSocket(folder, { runtimeFolder: join(root, 'missing') });
		expect(dirname(dirname(path))).toBe(tmpdir());
		await rm(dirname(path), { recursive: true });
	});

	it('a place for the socket is refused if every path is too long', async () => {
		const long = join(runtimeFolder, 'y'.repeat(120));
		mkdirSync(long);
		const folder = join(root, 'x'.repeat(120));
		await createStateFolder(folder);
		expect(await refusal(planSocket(folder, { runtimeFolder: long }))).toMatch(/is too long for a socket$/);
	});

	it('a place for the socket is refused in a state folder of another user', async () => {
		await createStateFolder(state);
		expect(await refusal(planSocket(state, { uid: otherUser }))).toBe(`${state} belongs to another user`);
	});

	it('a place for the socket is refused if its private folder is a link or open to others', async () => {
		const folder = join(root, 'x'.repeat(120));
		await createStateFolder(folder);
		const privateFolder = dirname(await planSocket(folder, { runtimeFolder }));
		chmodSync(privateFolder, 0o755);
		expect(await refusal(planSocket(folder, { runtimeFolder }))).toMatch(/is open to other users$/);
		await rm(privateFolder, { recursive: true });
		symlinkSync(root, privateFolder);
		expect(await refusal(planSocket(folder, { runtimeFolder }))).toMatch(/is not a folder$/);
	});

	it('a client refuses a socket whose private folder belongs to another user', async () => {
		const folder = join(root, 'x'.repeat(120));
		await createStateFolder(folder);
		const place = await prepareAddress(folder, { runtimeFolder });
		await listenAt(place.path);
		expect(await refusal(findSocket(folder, otherUser))).toMatch(/belongs to another user$/);
	});

	it.skipIf(process.getuid?.() === 0)(
		'a place for the socket is refused in a read-only state folder',
		needs('another user than root'),
		async () => {
			mkdirSync(state, { mode: 0o500 });
			expect(await refusal(planSocket(state))).toMatch(/^no socket can be used: EACCES/);
		},
	);

	it('a place for the socket is refused if another file has its name, which is kept', async () => {
		mkdirSync(state, { mode: 0o700 });
		writeFileSync(join(state, 'daemon.sock'), 'mine');
		expect(await refusal(prepareAddress(state, {}))).toMatch(/exists and is not a socket$/);
		expect(readFileSync(join(state, 'daemon.sock'), 'utf8')).toBe('mine');
	});

	it('a place for the socket is refused if the state folder is gone, without creating it', async () => {
		expect(await refusal(prepareAddress(state))).toMatch(/^no socket can be used: ENOENT/);
		expect(existsSync(state)).toBe(false);
	});

	it('a place notices that its socket is gone', async () => {
		await createStateFolder(state);
		const place = await prepareAddress(state, {});
		await listenAt(place.path);
		expect(await place.exists()).toBe(true);
		await rm(place.path);
		expect(await place.exists()).toBe(false);
	});
});
