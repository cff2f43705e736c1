import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionAppend } from '../../server/protocol/session.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { cleanUp, type Daemon, type DaemonOptions, daemonFile, startDaemon } from '../support/daemon.ts';
import { userSays } from '../support/messages.ts';
import { needs } from '../support/needs.ts';
import { begin, historyIn } from '../support/talk.ts';

const isRoot = process.getuid?.() === 0;
/** The user of the clients. */
const user = { uid: 65_534, gid: 65_534 };

let root: string;
let home: string;

beforeEach(async () => {
	if (!isRoot) return;
	root = freshFolder();
	chmodSync(root, 0o755);
	const dist = join(root, 'dist');
	await cp(dirname(daemonFile), dist, { recursive: true });
	execFileSync('chmod', ['-R', 'a+rX', dist]);
	home = join(root, 'state');
	mkdirSync(home, { mode: 0o700 });
	chownSync(home, user.uid, user.gid);
});

afterEach(async () => {
	await cleanUp();
	await removeFolders();
});

function start(options: DaemonOptions = {}): Promise<Daemon> {
	return startDaemon({ home, file: join(root, 'dist', 'contextd.cjs'), user, ...options });
}

/** Removes the user's write permission by changing the owner. A changed mode would be corrected by the daemon. */
function protect(folder: string): void {
	chownSync(folder, 0, 0);
	chmodSync(folder, 0o755);
}

const needsRoot = needs('root, to have folders of two users');

describe.skipIf(!isRoot)('a state folder that becomes read-only', needsRoot, () => {
	it('a daemon in a read-only state folder refuses new sessions, serves open ones, and loses nothing', async () => {
		const client = await start();
		await begin(client, 's', [userSays('one')]);
		const pid = await client.writer();
		const sessions = join(home, 'sessions');
		protect(sessions);
		expect(await client.refusal('session/open', { sessionId: 'new' })).toMatchObject({
			data: { kind: 'StorageFailed' },
		});
		await client.ask(sessionAppend, { sessionId: 's', messages: [userSays('two')] });
		const other = await start();
		expect(await historyIn(other, 's')).toHaveLength(2);
		expect(await other.writer()).toBe(pid);
		chownSync(sessions, user.uid, user.gid);
		await begin(client, 'new', [userSays('three')]);
		await client.kill();
		const again = await start();
		expect(await historyIn(again, 's')).toEqual([userSays('one'), userSays('two')]);
		expect(await historyIn(again, 'new')).toHaveLength(1);
	});

	it('a read-only state folder is still served to connected clients, and read by later ones with one warning', async () => {
		const client = await start();
		await begin(client, 's', [userSays('one')]);
		const pid = await client.writer();
		protect(join(home, 'sessions'));
		protect(home);
		const alone = await start();
		expect(await historyIn(alone, 's')).toEqual([userSays('one')]);
		expect(alone.errors().trim().split('\n')).toEqual([
			expect.stringMatching(/EACCES.*; this process serves its client without the daemon$/),
		]);
		expect(await alone.refusal('session/open', { sessionId: 'new' })).toMatchObject({
			data: { kind: 'StorageFailed' },
		});
		await client.ask(sessionAppend, { sessionId: 's', messages: [userSays('two')] });
		expect(await client.writer()).toBe(pid);
	});
});

describe.skipIf(!isRoot)('a folder of another user', needsRoot, () => {
	it('a folder of another user is never used for the socket: the client serves itself, with one warning', async () => {
		const runtime = join(root, 'runtime');
		mkdirSync(runtime);
		chmodSync(runtime, 0o777);
		const state = join(home, 'x'.repeat(100));
		mkdirSync(state, { mode: 0o700 });
		chownSync(state, user.uid, user.gid);
		const environment = { XDG_RUNTIME_DIR: runtime };
		const first = await start({ home: state, environment });
		await begin(first, 's', [userSays('hi')]);
		await first.kill();
		const [folder = ''] = execFileSync('ls', [runtime], { encoding: 'utf8' }).split('\n');
		expect(folder).toMatch(/^contextd-/);
		chownSync(join(runtime, folder), 1, 1);
		const client = await start({ home: state, environment });
		expect(await historyIn(client, 's')).toHaveLength(1);
		expect(client.errors().trim().split('\n')).toEqual([
			expect.stringMatching(/belongs to another user; this process serves its client without the daemon$/),
		]);
	});

	it('a folder of another user is never used as a state folder, even if all users may write there', async () => {
		chownSync(home, 0, 0);
		chmodSync(home, 0o777);
		const client = await start();
		await begin(client, 's', [userSays('hi')]);
		expect(await client.writer()).toBe(client.process.pid);
		expect(client.errors().trim().split('\n')).toEqual([
			expect.stringMatching(/belongs to another user; this process serves its client without the daemon$/),
		]);
	});
});
