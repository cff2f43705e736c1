import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { contextCompact, contextUndo, type PrepareResult } from '../../server/protocol/compact.ts';
import { contextPin } from '../../server/protocol/history.ts';
import { contextImport } from '../../server/protocol/transcript.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { channelTo } from '../support/channel.ts';
import { cleanUp, daemonFile, startDaemon } from '../support/daemon.ts';
import { eventually } from '../support/eventually.ts';
import { begin, conversation, statsIn } from '../support/talk.ts';

const running: ChildProcess[] = [];
const inTime = { timeoutMs: 20_000 };

afterEach(async () => {
	for (const child of running.splice(0)) {
		if (child.exitCode !== null || child.signalCode !== null) continue;
		const ended = once(child, 'exit');
		child.kill('SIGKILL');
		await ended;
	}
	await cleanUp();
	await removeFolders();
});

/** Returns environment variables that a project may set. Each one leads to another path, or turns something off. */
function hostile(folder: string): Record<string, string> {
	return {
		HOME: folder,
		CONTEXTD_HOME: join(folder, 'home'),
		XDG_STATE_HOME: join(folder, 'state'),
		XDG_CONFIG_HOME: join(folder, 'config'),
		LOCALAPPDATA: join(folder, 'local'),
		CLAUDE_CONFIG_DIR: join(folder, 'claude'),
		CONTEXTD_MEMORY_ENABLED: 'false',
		CONTEXTD_TOKEN_THRESHOLD: '1',
		CONTEXTD_MEMORY_MAX_SESSIONS: '1',
		CONTEXTD_LOG_LEVEL: 'debug',
		CONTEXTD_SUMMARIZATION_ENABLED: 'false',
		CONTEXTD_SUMMARIZATION_PROVIDER: 'openai-compatible',
		CONTEXTD_SUMMARIZATION_MODEL: 'evil',
		OPENAI_BASE_URL: 'http://127.0.0.1:9',
	};
}

function settingsFile(state: string): string {
	const file = join(state, 'settings.json');
	writeFileSync(file, JSON.stringify({ estimator: 'heuristic', storage: { directory: state } }), {
		mode: 0o600,
	});
	return file;
}

/** Starts a channel like a plugin, in an environment that a project has set. */
async function started(state: string, environment: Record<string, string>) {
	const socket = join(state, 's', 'x.sock');
	const flags = [
		'--http-socket',
		socket,
		'--clientProcessId',
		`${process.pid}`,
		'--settings-from',
		settingsFile(state),
	];
	const child = spawn(process.execPath, [daemonFile, ...flags], {
		env: { PATH: process.env.PATH, ...environment },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	running.push(child);
	const [line] = (await once(child.stdout, 'data')) as [Buffer];
	return {
		child,
		announcement: JSON.parse(line.toString('utf8')) as { socket: string; key: string; pid: number },
	};
}

describe('a daemon behind a socket', () => {
	it('a channel takes neither settings nor a state folder from the environment of a project', async () => {
		const folder = freshFolder();
		const state = freshFolder();
		const claude = join(folder, 'claude');
		mkdirSync(claude);
		writeFileSync(join(claude, 'settings.json'), '{"autoCompactWindow": 100000}');
		const { child, announcement } = await started(state, hostile(folder));
		expect(announcement.pid).toBe(child.pid);
		const { request } = channelTo(announcement, 'claude:s');
		await request('session/open', { model: 'claude-sonnet-4-5' }, inTime);
		await request('session/append', { messages: conversation(4) }, inTime);
		expect(await request('context/stats', {}, inTime)).toMatchObject({
			shouldCompact: false,
			limit: { tokens: 167_000 },
		});
		expect(readdirSync(join(state, 'sessions')).some((name) => name.endsWith('.jsonl'))).toBe(true);
		expect(readdirSync(folder)).toEqual(['claude']);
		child.kill('SIGTERM');
		const [code] = await once(child, 'exit');
		expect(code).toBe(0);
		expect(existsSync(announcement.socket) || existsSync(announcement.key)).toBe(false);
	});

	it('a channel uses the settings of the one Claude Code in which contextd is installed, and none of several', async () => {
		const [folder, state] = [freshFolder(), freshFolder()];
		const limitOf = async (installed: readonly string[]): Promise<unknown> => {
			mkdirSync(join(state, 'agents'), { recursive: true });
			for (const [index, settings] of installed.entries()) {
				writeFileSync(join(state, 'agents', `claude-${index}.json`), JSON.stringify({ settings }));
			}
			const { child, announcement } = await started(state, hostile(join(folder, 'elsewhere')));
			const { request } = channelTo(announcement, 'claude:s');
			await request('session/open', { model: 'claude-sonnet-4-5' }, inTime);
			await request('session/append', { messages: conversation(4) }, inTime);
			const stats = await request('context/stats', {}, inTime);
			child.kill('SIGTERM');
			await once(child, 'exit');
			return (stats as { limit: { tokens: number } }).limit.tokens;
		};
		writeFileSync(join(folder, 'settings.json'), '{"autoCompactWindow": 100000}');
		expect(await limitOf([join(folder, 'settings.json')])).toBe(67_000);
		expect(await limitOf([join(folder, 'settings.json'), join(state, 'other', 'settings.json')])).toBe(
			167_000,
		);
	});

	it('a channel uses the settings of the pi in which contextd is installed', async () => {
		const [folder, state] = [freshFolder(), freshFolder()];
		mkdirSync(join(state, 'agents'), { recursive: true });
		const settings = join(folder, 'extensions', 'contextd.js');
		writeFileSync(join(state, 'agents', 'pi-0.json'), JSON.stringify({ settings }));
		writeFileSync(join(folder, 'settings.json'), '{"compaction": {"reserveTokens": 50000}}');
		const { announcement } = await started(state, hostile(join(folder, 'elsewhere')));
		const { request } = channelTo(announcement, 'pi:s');
		await request('session/open', { model: 'claude-sonnet-4-5', contextWindow: 200_000 }, inTime);
		await request('session/append', { messages: conversation(4) }, inTime);
		expect(await request('context/stats', {}, inTime)).toMatchObject({ limit: { tokens: 150_000 } });
	});

	it('a channel that was killed continues with every message that it acknowledged', async () => {
		const state = freshFolder();
		const first = await started(state, {});
		await channelTo(first.announcement, 'claude:s').request('session/open', {}, inTime);
		await channelTo(first.announcement, 'claude:s').request(
			'session/append',
			{ messages: conversation(6) },
			inTime,
		);
		const gone = once(first.child, 'exit');
		first.child.kill('SIGKILL');
		await gone;
		const second = await started(state, {});
		const opened = await channelTo(second.announcement, 'claude:s').request('session/open', {}, inTime);
		expect(opened).toMatchObject({ created: false, messageCount: 6 });
	});

	it("another daemon of the state folder finds the plugin's session by its transcript", async () => {
		const state = freshFolder();
		const { announcement } = await started(state, {});
		const { request } = channelTo(announcement, 'claude:s');
		await request('session/open', {}, inTime);
		await request('session/append', { messages: conversation(6) }, inTime);
		const path = join(freshFolder(), 's.jsonl');
		writeFileSync(path, '');
		const otherDaemon = await startDaemon({ home: state });
		const reply = await otherDaemon.start('context/import', { path, follow: true }).reply;
		expect(reply.result).toMatchObject({ sessionId: 'claude:s', messageCount: 6 });
		expect((await statsIn(otherDaemon, 'claude:s')).limit.compacts).toBe('contextd');
	});

	it('the plugin sees a compaction, a pin and an undo of another daemon at its next request', async () => {
		const state = freshFolder();
		const { announcement } = await started(state, {});
		const { request } = channelTo(announcement, 'claude:s');
		const ask = (method: string, params = {}) => request(method, params, inTime) as Promise<PrepareResult>;
		await ask('session/open', { model: 'claude-sonnet-4-5' });
		const messages = conversation(30).map((message, index) => ({ id: `q${index}`, ...message }));
		await ask('session/append', { messages });
		const first = await ask('context/prepare');
		const path = join(freshFolder(), 's.jsonl');
		writeFileSync(path, '');
		const otherDaemon = await startDaemon({ home: state });
		const { sessionId } = await otherDaemon.ask(contextImport, { path, follow: true });
		const compacted = await otherDaemon.ask(contextCompact, { sessionId, targetTokens: 500 });
		expect(compacted?.compacted).toBe(true);
		const second = await ask('context/prepare', { held: first.revision });
		expect(second.unchanged).toBeUndefined();
		expect(second.messages.length).toBeLessThan(30);
		const [pinned = ''] = compacted?.removed.map(({ messageId }) => messageId) ?? [];
		await otherDaemon.ask(contextPin, { sessionId, messageIds: [pinned], pinned: true });
		const third = await ask('context/prepare', { held: second.revision });
		expect(third.messages.map((message) => (message as { id: string }).id)).toContain(pinned);
		await otherDaemon.ask(contextUndo, { sessionId });
		expect((await ask('context/prepare', { held: third.revision })).messages).toEqual(first.messages);
		// The plugin still writes, and the other daemon sees it.
		await ask('session/append', { messages: conversation(2) });
		await eventually(async () => expect((await statsIn(otherDaemon, sessionId)).messageCount).toBe(32));
	});

	it('a plugin continues a session that another daemon compacted while the agent was away', async () => {
		const state = freshFolder();
		const first = await started(state, {});
		await channelTo(first.announcement, 'claude:s').request(
			'session/open',
			{ model: 'claude-sonnet-4-5' },
			inTime,
		);
		await channelTo(first.announcement, 'claude:s').request(
			'session/append',
			{ messages: conversation(30) },
			inTime,
		);
		const gone = once(first.child, 'exit');
		first.child.kill('SIGTERM');
		await gone;
		const path = join(freshFolder(), 's.jsonl');
		writeFileSync(path, '');
		const otherDaemon = await startDaemon({ home: state });
		const { sessionId } = await otherDaemon.ask(contextImport, { path, follow: true });
		const compacted = await otherDaemon.ask(contextCompact, { sessionId, targetTokens: 500 });
		expect(compacted?.compacted).toBe(true);
		const second = await started(state, {});
		const { request } = channelTo(second.announcement, 'claude:s');
		expect(await request('session/open', {}, inTime)).toMatchObject({
			created: false,
			revision: compacted?.revision,
		});
		await request('session/append', { messages: conversation(2) }, inTime);
		expect(await request('session/holdView', { view: { version: 1 } }, inTime)).toHaveProperty('path');
		expect(await request('context/undo', {}, inTime)).toMatchObject({ stats: { messageCount: 32 } });
		await eventually(async () => expect((await statsIn(otherDaemon, sessionId)).messageCount).toBe(32));
	});

	it.each(['', '[]', '5'])(
		'a channel ends with an error if the settings file contains %j',
		async (settings) => {
			const state = freshFolder();
			const file = join(state, 'settings.json');
			writeFileSync(file, settings, { mode: 0o600 });
			const args = [daemonFile, '--http-socket', join(state, 's', 'x.sock'), '--settings-from', file];
			const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
			running.push(child);
			let words = '';
			child.stderr.on('data', (chunk) => {
				words += chunk;
			});
			const [code] = await once(child, 'close');
			expect(code).toBe(2);
			expect(words).toMatch(/is not a JSON object/);
		},
	);

	it('a daemon refuses a settings file that others may write', async () => {
		const state = freshFolder();
		const file = join(state, 'settings.json');
		writeFileSync(file, '{}');
		chmodSync(file, 0o666);
		const child = spawn(process.execPath, [daemonFile, '--stdio', '--settings-from', file]);
		running.push(child);
		expect((await once(child, 'exit'))[0]).toBe(2);
	});

	it('a daemon refuses a settings file that is a pipe, without waiting for its other end', async () => {
		const file = join(freshFolder(), 'settings.json');
		execFileSync('sh', ['-c', 'mkfifo -m 600 "$0"', file]);
		const child = spawn(process.execPath, [daemonFile, '--stdio', '--settings-from', file]);
		running.push(child);
		expect((await once(child, 'exit'))[0]).toBe(2);
	});
});

describe('a daemon whose settings are those of a file', () => {
	it('a daemon with --settings-from ignores settings of its client, its flags and its environment', async () => {
		const state = freshFolder();
		const daemon = await startDaemon({
			home: freshFolder(),
			flags: ['--settings-from', settingsFile(state), '--compact-threshold=0.1'],
			environment: hostile(freshFolder()),
			initialize: { initializationOptions: { tokenThreshold: 1 } },
		});
		await begin(daemon, 's', conversation(4));
		expect(await statsIn(daemon, 's')).toMatchObject({ shouldCompact: false, thresholds: { compact: 0.8 } });
		expect(readdirSync(state)).toContain('sessions');
		expect(daemon.errors()).toMatch(/only those of .*settings\.json/);
	});
});
