import { describe, expect, it } from 'vitest';
import type { FolderDaemonState } from '../../server/front/daemon/run.ts';
import { runCommand } from './runCommand.ts';

const running: FolderDaemonState = {
	kind: 'running',
	status: { version: '1.2.3', pid: 7, clients: 2, sessions: 1, memoryBytes: 85_400_000, uptime: 600 },
};
const silent: FolderDaemonState = { kind: 'silent', pid: 7 };
const looksLike = (state: FolderDaemonState) => ({ inspect: async () => state });

describe('contextd daemon', () => {
	it('contextd daemon status reports a running daemon', async () => {
		expect(await runCommand(['daemon', 'status'], { daemon: looksLike(running) })).toMatchObject({
			code: 0,
			out: 'contextd 1.2.3 · process 7 · up 10 min\n2 clients · 1 open session · 85.4 MB of memory\n/usual\n',
		});
	});

	it('contextd daemon status --json prints one JSON value', async () => {
		const { out } = await runCommand(['daemon', 'status', '--json', '--storage', '/other'], {
			daemon: looksLike(running),
		});
		expect(JSON.parse(out)).toEqual({ state: 'running', stateFolder: '/other', ...running.status });
	});

	it.each<[FolderDaemonState, number, string]>([
		[{ kind: 'none' }, 0, 'no daemon is running for /usual\n'],
		[{ kind: 'closed', pid: 7 }, 0, 'process 7 uses /usual, and serves no other clients\n'],
		[
			{ kind: 'elsewhere', pid: 7, host: 'moon' },
			0,
			'process 7 on moon (another machine or container) uses /usual\n',
		],
		[silent, 1, ''],
	])('contextd daemon status reports the state %j', async (state, code, out) => {
		expect(await runCommand(['daemon', 'status'], { daemon: looksLike(state) })).toMatchObject({ code, out });
	});

	it('contextd daemon status says how to end a daemon that does not answer', async () => {
		expect((await runCommand(['daemon', 'status'], { daemon: looksLike(silent) })).err).toBe(
			'contextd: the daemon (process 7) does not answer: it is suspended or busy; "contextd daemon stop" ends it\n',
		);
	});

	it('contextd daemon stop stops a daemon that answers, and kills one that does not', async () => {
		const signals: string[] = [];
		const signal = (name: string) => async (pid: number) => signals.push(`${name} ${pid}`) > 0;
		const daemon = { stop: signal('stop'), kill: signal('kill') };
		expect((await runCommand(['daemon', 'stop'], { daemon: { ...daemon, ...looksLike(running) } })).out).toBe(
			'the daemon (process 7) has ended; its clients start a new one\n',
		);
		expect(
			(await runCommand(['daemon', 'stop'], { daemon: { ...daemon, ...looksLike(silent) } })).out,
		).toMatch(/does not answer.*; it was killed\n$/);
		expect(signals).toEqual(['stop 7', 'kill 7']);
	});

	it.each<FolderDaemonState>([
		{ kind: 'closed', pid: 7 },
		{ kind: 'elsewhere', pid: 7, host: 'moon' },
	])('contextd daemon stop never ends a process that is no daemon of this machine: $kind', async (state) => {
		expect(await runCommand(['daemon', 'stop'], { daemon: looksLike(state) })).toMatchObject({
			code: 1,
			out: '',
		});
	});

	it('contextd daemon log prints the log', async () => {
		expect((await runCommand(['daemon', 'log'], { daemon: { readLog: async () => 'a line\n' } })).out).toBe(
			'a line\n',
		);
		expect((await runCommand(['daemon', 'log'])).out).toBe('no log in /usual\n');
	});

	it.each([
		['daemon'],
		['daemon', 'start'],
		['daemon', 'log', '--json'],
		['daemon', 'stop', '--storage', ''],
	])('contextd refuses the arguments %s %s %s', async (...args) => {
		const { code, err } = await runCommand(args.filter((word) => word !== undefined));
		expect(code).toBe(2);
		expect(err).toMatch(/see contextd --help\n$/);
	});
});
