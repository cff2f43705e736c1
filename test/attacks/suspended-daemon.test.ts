import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { failureCodes } from '../../server/protocol/errors.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { cleanUp, type Daemon, daemonFile, startDaemon } from '../support/daemon.ts';
import { type IdleTimer, idleTimer } from '../support/idleTime.ts';
import { userSays } from '../support/messages.ts';
import { needsLinux, needsPosix } from '../support/needs.ts';
import { begin, historyIn } from '../support/talk.ts';

/** Maximum milliseconds that a command may wait. */
const maxIdleMs = 3_000;

let timer: IdleTimer;

beforeEach(() => {
	timer = idleTimer(freshFolder());
});

afterEach(async () => {
	await cleanUp();
	await removeFolders();
});

function run({ home }: Daemon, ...args: string[]): { code: number | null; text: string; idleMs: number } {
	const argv = ['--require', timer.file, daemonFile, ...args];
	const { pid, status, stdout, stderr } = spawnSync(process.execPath, argv, {
		encoding: 'utf8',
		env: { PATH: process.env.PATH, CONTEXTD_HOME: home },
	});
	return { code: status, text: stdout + stderr, idleMs: timer.of(pid) };
}

it.skipIf(process.platform === 'win32')(
	'a suspended daemon is reported by one line within 3 s, and clients continue once it was killed',
	needsPosix,
	async () => {
		const client = await startDaemon();
		await begin(client, 's', [userSays('hi')]);
		const pid = await client.writer();
		process.kill(pid, 'SIGSTOP');
		const pending = client.start('context/stats', { sessionId: 's' });
		const commands = [
			run(client, 'daemon', 'status'),
			run(client, 'history', '--session', 's'),
			run(client, 'compact', '--session', 's'),
		];
		for (const { code, text, idleMs } of commands) {
			expect(code).toBe(1);
			expect(text.trim().split('\n')).toEqual([
				expect.stringMatching(
					new RegExp(`^contextd: .*process ${pid}\\) does not answer.*contextd daemon stop`),
				),
			]);
			expect(idleMs).toBeLessThan(maxIdleMs);
		}
		const environment = { NODE_OPTIONS: `--require=${timer.file}` };
		const other = await startDaemon({ home: client.home, initialize: null, environment });
		await expect(other.initialize()).rejects.toThrow(`process ${pid}`);
		expect(await other.exited).toBe(1);
		expect(timer.of(other.process.pid)).toBeLessThan(maxIdleMs);
		if (process.platform === 'linux')
			expect((await pending.reply).error?.data).toMatchObject({ kind: 'DaemonSuspended' });
		const stop = run(client, 'daemon', 'stop');
		expect(stop).toMatchObject({ code: 0, text: expect.stringMatching(/it was killed\n$/) });
		expect(stop.idleMs).toBeLessThan(maxIdleMs);
		expect(await client.ask(contextStats, { sessionId: 's' })).toMatchObject({ messageCount: 1 });
		expect(await historyIn(await startDaemon({ home: client.home }), 's')).toHaveLength(1);
	},
);

it.skipIf(process.platform !== 'linux')(
	'requests to a suspended daemon fail with one line in the log, and later ones are answered when it continues',
	needsLinux,
	async () => {
		const client = await startDaemon();
		await begin(client, 's', [userSays('hi')]);
		const pid = await client.writer();
		const line = `contextd: the daemon (process ${pid}) is suspended and does not answer; resume it, or end it with "contextd daemon stop"\n`;
		process.kill(pid, 'SIGSTOP');
		const append = client.start('session/append', { sessionId: 's', messages: [userSays('late')] });
		for (const { reply } of [append, client.start('context/stats', { sessionId: 's' })]) {
			expect((await reply).error).toMatchObject({
				code: failureCodes.DaemonSuspended,
				message: expect.stringContaining(`process ${pid}`),
			});
		}
		expect(client.errors()).toBe(line);
		process.kill(pid, 'SIGCONT');
		expect(await client.ask(contextStats, { sessionId: 's' })).toMatchObject({ messageCount: 2 });
		process.kill(pid, 'SIGSTOP');
		client.end();
		expect(await client.exited).toBe(0);
		process.kill(pid, 'SIGCONT');
	},
);

it.skipIf(process.platform !== 'linux')(
	'a client that sends a suspended daemon more than the socket holds gets every answer, and ends',
	needsLinux,
	async () => {
		const client = await startDaemon();
		await begin(client, 's', [userSays('hi')]);
		const pid = await client.writer();
		const refusals = async (): Promise<unknown[]> => {
			process.kill(pid, 'SIGSTOP');
			const messages = [userSays('x'.repeat(10_000))];
			const appends = Array.from({ length: 200 }, () =>
				client.start('session/append', { sessionId: 's', messages }),
			);
			return Promise.all(appends.map(async ({ reply }) => (await reply).error?.code));
		};
		expect(new Set(await refusals())).toEqual(new Set([failureCodes.DaemonSuspended]));
		process.kill(pid, 'SIGCONT');
		// Requests are refused until the daemon has read the earlier ones.
		await expect
			.poll(async () => (await client.start('context/stats', { sessionId: 's' }).reply).error)
			.toBeUndefined();
		const messageCount = (await client.ask(contextStats, { sessionId: 's' }))?.messageCount;
		// The relay refused the other requests instead of keeping them for the daemon.
		expect(messageCount).toBeGreaterThan(1);
		expect(messageCount).toBeLessThan(201);
		await refusals();
		client.end();
		expect(await client.exited).toBe(0);
		process.kill(pid, 'SIGCONT');
	},
);
