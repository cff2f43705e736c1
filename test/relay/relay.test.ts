import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RelayOptions } from '../../server/relay/relay.ts';
import type { StartDaemon } from '../../server/relay/startDaemon.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import {
	answer,
	type ScriptedConnection,
	type ScriptedDaemon,
	startRelay,
	startScriptedDaemon,
} from '../support/scriptedDaemon.ts';

const daemons: ScriptedDaemon[] = [];

async function daemonIn(...args: Parameters<typeof startScriptedDaemon>): Promise<ScriptedDaemon> {
	const daemon = await startScriptedDaemon(...args);
	daemons.push(daemon);
	return daemon;
}

afterEach(async () => {
	vi.useRealTimers();
	vi.restoreAllMocks();
	await Promise.all(daemons.splice(0).map((daemon) => daemon.close()));
	await removeFolders();
});

/** Returns a client whose `initialize` was answered. */
async function connected(flags: string[] = [], options: Partial<RelayOptions> = {}) {
	const folder = freshFolder();
	const daemon = await daemonIn(folder);
	const client = startRelay(folder, { flags, ...options });
	const first = await daemon.connection(0);
	const ready = client.initialize();
	const { id } = await first.received('initialize');
	first.send({ id, result: { capabilities: {} } });
	await ready;
	await first.received('initialized');
	return { folder, daemon, client, first };
}

describe('a relay', () => {
	it.each([['content-length'], ['ndjson']])(
		'a relay forwards both ways in the framing %s',
		async (framing) => {
			const { client, first } = await connected([`--framing=${framing}`]);
			const { reply } = client.start('context/stats', { sessionId: 'ä\n' });
			await answer(first, 'context/stats', { text: 'ö\n' });
			expect((await reply).result).toEqual({ text: 'ö\n' });
			expect(first.messages.at(-1)?.params).toEqual({ sessionId: 'ä\n' });
		},
	);

	it('a relay forwards a message of many chunks in both directions', async () => {
		const { client, first } = await connected();
		const text = 'x'.repeat(3_000_000);
		const { reply } = client.start('context/count', { text });
		await answer(first, 'context/count', { text });
		expect((await reply).result).toEqual({ text });
		expect(first.messages.at(-1)?.params).toEqual({ text });
	});

	it('a relay introduces its client', async () => {
		const { first } = await connected(['--log-level=debug']);
		expect(first.hello).toMatchObject({ protocol: 1, pid: process.pid, flags: ['--log-level=debug'] });
	});

	it("a relay keeps the daemon's own notifications from its client", async () => {
		const { client, first } = await connected();
		first.send({ method: '$/contextd/log', params: { text: 'a line\n' } });
		first.send({ method: 'window/logMessage', params: { type: 3, message: 'm' } });
		await client.awaitNotification('window/logMessage');
		expect(client.errors()).toBe('a line\n');
		expect(client.inbox).toHaveLength(1);
	});

	it('a relay exits with the code that the daemon sends', async () => {
		const { client, first } = await connected();
		first.exit(7);
		expect(await client.exitCode).toBe(7);
	});

	it('a relay closes its half of the connection at the end of the input', async () => {
		const { client, first } = await connected();
		const ended = new Promise((resolve) => first.socket.once('end', resolve));
		const { reply } = client.start('context/stats', {});
		client.end();
		await ended;
		await answer(first, 'context/stats', { late: true });
		expect((await reply).result).toEqual({ late: true });
		first.exit(0);
		expect(await client.exitCode).toBe(0);
	});

	it('a relay answers malformed frames, and exits with 1', async () => {
		const { client, first } = await connected();
		client.write('Content-Length: x\r\n\r\n');
		await new Promise((resolve) => first.socket.once('end', resolve));
		first.exit(0);
		expect(await client.exitCode).toBe(1);
		expect(client.inbox).toMatchObject([{ id: null, error: { code: -32700 } }]);
	});

	it('a relay forwards a body that is no JSON', async () => {
		const { client, first } = await connected();
		let raw = '';
		first.socket.prependListener('data', (chunk: Buffer) => {
			raw += chunk;
		});
		first.socket.removeAllListeners('data');
		first.socket.on('data', (chunk: Buffer) => {
			raw += chunk;
		});
		client.write('Content-Length: 5\r\n\r\n{"id"');
		await expect.poll(() => raw).toContain('{"id"');
	});

	it('a relay stops reading from the daemon while its client does not read', async () => {
		const { client, first } = await connected();
		client.output.removeAllListeners('data');
		client.output.pause();
		const message = { method: 'context/didChange', params: { text: 'x'.repeat(100_000) } };
		for (let count = 0; count < 100; count++) first.send(message);
		await setTimeout(200);
		expect(client.output.readableLength + client.output.writableLength).toBeLessThan(1_000_000);
		expect(first.socket.writableLength).toBeGreaterThan(1_000_000);
	});

	it('a relay ends when it is stopped', async () => {
		const { client, first } = await connected();
		first.socket.once('end', () => first.exit(0));
		client.stop();
		expect(await client.exitCode).toBe(0);
	});

	it('a relay exits with 1 if its client closes its output', async () => {
		const { client } = await connected();
		client.output.destroy();
		expect(await client.exitCode).toBe(1);
	});
});

describe('a relay after a crash of the daemon', () => {
	it('a relay repeats initialize, settings and reads after a crash of the daemon, and reports a write as lost', async () => {
		const { daemon, client, first } = await connected();
		client.notify('workspace/didChangeConfiguration', { settings: 1 });
		client.notify('workspace/didChangeConfiguration', { settings: 2 });
		const read = client.start('context/stats', { sessionId: 's' }).reply;
		const write = client.start('context/compact', { sessionId: 's' }).reply;
		await first.received('context/compact');
		first.crash();
		expect((await write).error).toMatchObject({ code: -31984, data: { kind: 'DaemonRestarted' } });
		const second = await daemon.connection(1);
		const { id } = await second.received('initialize');
		second.send({ id, result: {} });
		await answer(second, 'context/stats', { again: true });
		expect((await read).result).toEqual({ again: true });
		expect(second.messages.map(({ method }) => method)).toEqual([
			'initialize',
			'initialized',
			'workspace/didChangeConfiguration',
			'context/stats',
		]);
		expect(second.messages[2]?.params).toEqual({ settings: 2 });
		expect(client.inbox).toEqual([]);
	});

	it('a relay does not repeat a request that was in flight in two crashes', async () => {
		const { daemon, client, first } = await connected();
		const read = client.start('context/recall', { sessionId: 's' }).reply;
		await first.received('context/recall');
		first.crash();
		const second = await daemon.connection(1);
		await second.received('context/recall');
		second.crash();
		expect((await read).error).toMatchObject({ code: -31983, data: { kind: 'RequestCrashedDaemon' } });
		const next = client.start('context/stats', {}).reply;
		const third = await daemon.connection(2);
		await answer(third, 'context/stats', { well: true });
		expect((await next).result).toEqual({ well: true });
		expect(third.messages.map(({ method }) => method)).not.toContain('context/recall');
	});

	it("a relay follows the client's open transcripts again after a crash of the daemon", async () => {
		const { daemon, client, first } = await connected();
		for (const [path, sessionId] of [
			['/a', 'a'],
			['/b', 'b'],
		]) {
			const { reply, id } = client.start('context/import', { path, follow: true, workDoneToken: path });
			await expect.poll(() => first.messages.some((one) => one.id === id)).toBe(true);
			first.send({ id, result: { sessionId } });
			await reply;
		}
		const closed = client.start('session/close', { sessionId: 'a' }).reply;
		await answer(first, 'session/close', {});
		await closed;
		first.crash();
		const second = await daemon.connection(1);
		const { id, params } = await second.received('context/import');
		expect(params).toEqual({ path: '/b', follow: true });
		second.send({ id, result: { sessionId: 'b' } });
		second.send({ method: 'window/logMessage', params: {} });
		await client.awaitNotification('window/logMessage');
		expect(second.messages.filter(({ method }) => method === 'context/import')).toHaveLength(1);
		expect(client.inbox).toHaveLength(1);
	});

	it('a relay ends when it is stopped, even if a daemon that has just started crashes then', async () => {
		// With a stopped clock, each daemon seems to crash immediately, so the relay waits before it starts the next one.
		vi.spyOn(performance, 'now').mockReturnValue(performance.now());
		const { daemon, client, first } = await connected();
		first.crash();
		const second = await daemon.connection(1);
		await answer(second, 'initialize', {});
		await second.received('initialized');
		vi.useFakeTimers({ toFake: ['setTimeout'] });
		client.stop();
		second.crash();
		expect(await client.exitCode).toBe(0);
	});

	it('a relay ends after a crash of the daemon if its client has left', async () => {
		const { daemon, client, first } = await connected();
		const { reply } = client.start('shutdown');
		await answer(first, 'shutdown', null);
		await reply;
		first.crash();
		expect(await client.exitCode).toBe(0);
		expect(daemon.connections).toHaveLength(1);
	});
});

describe('a relay while its daemon moves aside', () => {
	it('a relay holds new requests back while its daemon moves aside, and starts the program that the daemon names', async () => {
		const started: (readonly string[])[] = [];
		const startDaemon: StartDaemon = async (program, folder) => {
			started.push(program);
			await daemonIn(folder);
			return undefined;
		};
		const { daemon, client, first } = await connected([], { startDaemon });
		const slow = client.start('context/compact', {}).reply;
		await first.received('context/compact');
		first.send({ method: '$/contextd/moved', params: { program: ['newer', 'contextd'] } });
		first.send({ id: 0, method: 'workspace/configuration', params: {} });
		await expect.poll(() => client.inbox.length).toBe(1);
		const held = client.start('context/stats', {}).reply;
		client.write(frame({ id: 0, result: [] }));
		await expect.poll(() => first.messages.some(({ result }) => Array.isArray(result))).toBe(true);
		await answer(first, 'context/compact', { done: true });
		expect((await slow).result).toEqual({ done: true });
		expect(first.messages.map(({ method }) => method)).not.toContain('context/stats');
		await daemon.close();
		await expect.poll(() => daemons.length).toBe(2);
		await answer(await daemons[1]!.connection(0), 'context/stats', { later: true });
		expect((await held).result).toEqual({ later: true });
		expect(started).toEqual([['newer', 'contextd']]);
	});
});

describe('a relay after its daemon moved aside', () => {
	/** Answers `initialize`, which the relay repeats, and the request after it. */
	async function appendsAt(connection: ScriptedConnection): Promise<unknown[]> {
		const { id } = await connection.received('initialize');
		connection.send({ id, result: {} });
		await connection.received('session/append');
		return connection.messages
			.filter(({ method }) => method === 'session/append')
			.map(({ params }) => params);
	}

	it('a relay sends the next daemon unread requests, also appends without ids', async () => {
		const { daemon, client, first } = await connected();
		const append = { sessionId: 's', messages: [{ role: 'user', content: 'hi' }] };
		const { reply } = client.start('session/append', append);
		await first.received('session/append');
		first.send({ method: '$/contextd/moved', params: {} });
		first.send({ method: '$/contextd/left', params: { received: 2 } });
		first.socket.end();
		const second = await daemon.connection(1);
		expect(await appendsAt(second)).toEqual([append]);
		await answer(second, 'session/append', { messageIds: ['m'] });
		expect((await reply).result).toEqual({ messageIds: ['m'] });
	});

	it('a relay reports a write that the daemon read and did not answer before it moved aside', async () => {
		const { client, first } = await connected();
		const { reply } = client.start('session/append', { sessionId: 's', messages: [{ role: 'user' }] });
		await first.received('session/append');
		first.send({ method: '$/contextd/moved', params: {} });
		first.send({ method: '$/contextd/left', params: { received: 3 } });
		first.socket.end();
		expect((await reply).error).toMatchObject({ data: { kind: 'DaemonRestarted' } });
	});

	it('a relay sends the next daemon an append that the last one cancelled, and reports other cancelled writes', async () => {
		const { daemon, client, first } = await connected();
		const append = client.start('session/append', { sessionId: 's', messages: [{ role: 'user' }] });
		const compaction = client.start('context/compact', { sessionId: 's' });
		await first.received('context/compact');
		first.send({ method: '$/contextd/moved', params: {} });
		for (const { id } of [append, compaction]) {
			first.send({ id, error: { code: -32800, message: 'cancelled' } });
		}
		first.send({ method: '$/contextd/left', params: { received: 4 } });
		first.socket.end();
		expect((await compaction.reply).error).toMatchObject({ data: { kind: 'DaemonRestarted' } });
		const second = await daemon.connection(1);
		expect(await appendsAt(second)).toHaveLength(1);
		await answer(second, 'session/append', { messageIds: ['m'] });
		expect((await append.reply).result).toEqual({ messageIds: ['m'] });
	});

	it('a relay reports a request that its client cancelled as cancelled', async () => {
		const { client, first } = await connected();
		const { id, reply } = client.start('context/recall', { sessionId: 's' });
		client.notify('$/cancelRequest', { id });
		await first.received('$/cancelRequest');
		first.send({ method: '$/contextd/moved', params: {} });
		first.send({ id, error: { code: -32800, message: 'cancelled' } });
		expect((await reply).error).toEqual({ code: -32800, message: 'cancelled' });
	});

	it('a relay sends the next daemon the requests that its client wrote before it left', async () => {
		const { daemon, client, first } = await connected();
		const append = client.start('session/append', { sessionId: 's', messages: [{ role: 'user' }] });
		const end = client.start('shutdown');
		client.notify('exit', undefined);
		await first.received('exit');
		first.send({ method: '$/contextd/moved', params: {} });
		first.send({ method: '$/contextd/left', params: { received: 2 } });
		first.socket.end();
		const second = await daemon.connection(1);
		await appendsAt(second);
		await answer(second, 'session/append', { messageIds: ['m'] });
		await answer(second, 'shutdown', null);
		await second.received('exit');
		second.exit(0);
		expect((await append.reply).result).toEqual({ messageIds: ['m'] });
		expect((await end.reply).result).toBeNull();
		expect(await client.exitCode).toBe(0);
	});

	it('a relay needs no other daemon if its client has left without unread writes', async () => {
		const { daemon, client, first } = await connected();
		const end = client.start('shutdown');
		client.notify('exit', undefined);
		await first.received('exit');
		first.send({ method: '$/contextd/moved', params: {} });
		first.send({ method: '$/contextd/left', params: { received: 2 } });
		first.socket.end();
		expect((await end.reply).result).toBeNull();
		expect(await client.exitCode).toBe(0);
		expect(daemon.connections).toHaveLength(1);
	});
});

function frame(message: object): string {
	const text = JSON.stringify({ jsonrpc: '2.0', ...message });
	return `Content-Length: ${text.length}\r\n\r\n${text}`;
}
