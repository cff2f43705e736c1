import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import {
	CancellationTokenSource,
	createMessageConnection,
	type MessageConnection,
	ResponseError,
	StreamMessageReader,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { type DaemonConnection, openConnection } from '../../server/client/connection.ts';
import { ConnectionError, RequestError } from '../../server/client/errors.ts';

let server: MessageConnection;
let connection: DaemonConnection;
let lose: (error: Error) => void;

/** Opens a connection in memory whose daemon answers from a table, and ends on `exit`. */
function open(answers: Record<string, () => unknown> = {}): void {
	const toDaemon = new PassThrough();
	const toClient = new PassThrough();
	server = createMessageConnection(new StreamMessageReader(toDaemon), new StreamMessageWriter(toClient));
	server.onRequest((method) => answers[method]?.() ?? null);
	const ended = new Promise<void>((resolve) => server.onNotification('exit', resolve));
	server.listen();
	const lost = new Promise<never>((_, reject) => {
		lose = reject;
	});
	lost.catch(() => {});
	connection = openConnection({
		output: toClient,
		input: toDaemon,
		lost,
		async end(farewell) {
			await farewell();
			await ended;
		},
		kill() {},
	});
}

afterEach(() => server.dispose());

describe('a connection to a daemon', () => {
	it('a connection calls every listener of a notification until the listener stops', async () => {
		open();
		const received: unknown[] = [];
		const stop = connection.onNotification('told', (params) => received.push(['one', params]));
		connection.onNotification('told', (params) => received.push(['other', params]));
		await server.sendNotification('told', { at: 1 });
		await connection.request('sync', {});
		stop();
		await server.sendNotification('told', { at: 2 });
		await connection.request('sync', {});
		expect(received).toEqual([
			['one', { at: 1 }],
			['other', { at: 1 }],
			['other', { at: 2 }],
		]);
	});

	it('a connection passes progress on like any other notification', async () => {
		open();
		const received: unknown[] = [];
		connection.onNotification('$/progress', (params) => received.push(params));
		await server.sendNotification('$/progress', { token: 'a', value: { kind: 'begin' } });
		await connection.request('sync', {});
		expect(received).toEqual([{ token: 'a', value: { kind: 'begin' } }]);
	});

	it("a connection answers the daemon's requests, also with a refusal that the handler throws", async () => {
		open();
		connection.onRequest('ask', (params) => ({ received: params }));
		connection.onRequest('refuse', () => {
			throw new RequestError(-31991, 'no model here', { kind: 'SummarizerFailed' });
		});
		expect(await server.sendRequest('ask', { a: 1 })).toEqual({ received: { a: 1 } });
		await expect(server.sendRequest('refuse', {})).rejects.toMatchObject({
			code: -31991,
			message: 'no model here',
			data: { kind: 'SummarizerFailed' },
		});
	});

	it("a handler's signal aborts when the daemon cancels its request", async () => {
		open();
		const cancelling = new CancellationTokenSource();
		connection.onRequest('ask', (_, { signal }) => {
			cancelling.cancel();
			return new Promise((resolve) => signal.addEventListener('abort', () => resolve('nobody waits')));
		});
		const answer = server.sendRequest('ask', {}, cancelling.token);
		expect(await answer).toBe('nobody waits');
	});

	it('a refused request rejects with code, kind and message', async () => {
		open({
			ask() {
				throw new ResponseError(-31999, 'there is no session "x"', { kind: 'SessionNotFound' });
			},
		});
		const error = await connection.request('ask', {}).catch((error: unknown) => error);
		expect(error).toBeInstanceOf(RequestError);
		expect(error).toMatchObject({
			code: -31999,
			kind: 'SessionNotFound',
			message: 'there is no session "x"',
		});
	});

	it('waiting and later requests reject when the daemon is lost', async () => {
		open({ wait: () => new Promise(() => {}) });
		const waiting = connection.request('wait', {});
		lose(new ConnectionError('gone'));
		await expect(waiting).rejects.toThrow('gone');
		await expect(connection.request('ask', {})).rejects.toBeInstanceOf(ConnectionError);
	});

	it('a connection closes only once, and rejects requests afterwards', async () => {
		let shutdowns = 0;
		open({ shutdown: () => void shutdowns++ });
		await Promise.all([connection.close(), connection.close()]);
		await connection.close();
		expect(shutdowns).toBe(1);
		await expect(connection.request('ask', {})).rejects.toThrow('was closed');
		await expect(connection.notify('tell', {})).rejects.toBeInstanceOf(ConnectionError);
	});

	it('waiting requests reject at once when the connection is closed', async () => {
		open({ wait: () => new Promise(() => {}) });
		const waiting = connection.request('wait', {});
		const closed = connection.close();
		await expect(waiting).rejects.toThrow(new ConnectionError('the connection to the daemon was closed'));
		await closed;
	});

	it("close rejects after the daemon's end if the daemon could not shut down in order", async () => {
		open({
			shutdown() {
				throw new ResponseError(-31992, 'the disk is full', { kind: 'StorageFailed' });
			},
		});
		await expect(connection.close()).rejects.toMatchObject({ kind: 'StorageFailed' });
	});
});
