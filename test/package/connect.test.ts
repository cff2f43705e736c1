import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, ConnectionError, type ConnectOptions, connect } from '../../server/client/index.ts';

const daemon = fileURLToPath(new URL('../../dist/contextd.cjs', import.meta.url));

let folder: string;
let client: Client | undefined;

beforeEach(async () => {
	folder = await realpath(await mkdtemp(join(tmpdir(), 'contextd-test-')));
});

afterEach(async () => {
	await client?.close();
	client = undefined;
	await rm(folder, { recursive: true, force: true });
});

/** Connects to the built daemon, which stores nothing on disk. */
async function meet(options: ConnectOptions = {}): Promise<Client> {
	if (!existsSync(daemon)) throw new Error(`${daemon} is missing: run "npm run build" first`);
	client = await connect({
		command: [process.execPath, daemon, '--stdio'],
		cwd: folder,
		...options,
		env: { CONTEXTD_MEMORY_ENABLED: 'false', CONTEXTD_HOME: folder, ...options.env },
	});
	return client;
}

/** Returns the command that runs a script in place of the daemon. */
async function script(text: string): Promise<string[]> {
	await writeFile(join(folder, 'daemon.cjs'), text);
	return [process.execPath, join(folder, 'daemon.cjs')];
}

describe('a client', () => {
	it("connect returns the daemon's capabilities", async () => {
		const { capabilities } = await meet();
		expect(capabilities.version).toBe(1);
		expect(capabilities.methods).toContain('context/prepare');
	});

	it('a client is notified of changes', async () => {
		const told = await meet();
		const changed = new Promise((resolve) => {
			// On a busy machine, a notification may arrive before the message is stored.
			told.onNotification('context/didChange', (params) => params.stats && resolve(params));
		});
		const { sessionId } = await told.request('session/open', {});
		await told.request('session/append', { sessionId, messages: [{ role: 'user', content: 'hi' }] });
		expect(await changed).toMatchObject({ sessionId, stats: { messageCount: 1 } });
	});

	it('a client gets no notifications if it declines them, and requests for summaries if it offers them', async () => {
		const asked = await meet({
			capabilities: { notifications: false, summarize: true },
			initializationOptions: { estimator: 'heuristic' },
		});
		const told: unknown[] = [];
		asked.onNotification('context/didChange', (params) => told.push(params));
		const prompts: string[] = [];
		asked.onRequest('context/summarize', ({ prompt }) => {
			prompts.push(prompt);
			return { text: 'too short', stopReason: 'stop' };
		});
		const { sessionId } = await asked.request('session/open', { contextWindow: 20_000 });
		const messages = Array.from({ length: 60 }, (_, index) => ({
			role: index % 2 === 0 ? 'user' : 'assistant',
			content: `turn ${index} ${'lorem ipsum '.repeat(60)}`,
		}));
		await asked.request('session/append', { sessionId, messages });
		await asked.request('context/compact', { sessionId, targetTokens: 3_000, instructions: 'keep names' });
		expect(prompts.join()).toContain('lorem ipsum');
		expect(told).toEqual([]);
	});

	it("connect passes the user's settings on", async () => {
		const told = await meet({ initializationOptions: { models: { 'tiny-*': { contextWindow: 2_000 } } } });
		const { sessionId } = await told.request('session/open', { model: 'tiny-1' });
		await told.request('session/append', { sessionId, messages: [{ role: 'user', content: 'hi' }] });
		expect((await told.request('context/stats', { sessionId }))?.contextWindow).toBe(2_000);
	});

	it('connect gives the daemon access to the working folder, and to no file outside', async () => {
		await writeFile(join(folder, 'notes.txt'), 'to be read\n');
		const reader = await meet();
		const { sessionId } = await reader.request('session/open', {});
		const uri = pathToFileURL(join(folder, 'notes.txt')).href;
		expect(await reader.request('context/readFile', { sessionId, uri })).toMatchObject({ status: 'full' });
		const outside = reader.request('context/readFile', { sessionId, uri: pathToFileURL(daemon).href });
		await expect(outside).rejects.toMatchObject({ kind: 'OutsideWorkspace' });
	});

	it('a client may send an error as a library throws it', async () => {
		const asked = await meet();
		const error = Object.assign(new Error('prompt is too long: 210000 tokens > 200000 maximum'), {
			status: 400,
		});
		expect(await asked.request('context/classifyError', { error })).toMatchObject({
			isContextOverflow: true,
			actualTokens: 210_000,
		});
	});

	it('a client may send an error with cyclic and big values, or with the reason in its cause', async () => {
		const asked = await meet();
		const socket: Record<string, unknown> = { big: 1n };
		socket.self = socket;
		const reason = Object.assign(new Error('prompt is too long: 210000 tokens > 200000 maximum'), { socket });
		const error = new Error('the call failed', { cause: reason });
		expect(await asked.request('context/classifyError', { error })).toMatchObject({
			isContextOverflow: true,
			actualTokens: 210_000,
		});
	});

	it('cancelling a request rejects it with the reason of its signal, and later requests work', async () => {
		const asked = await meet();
		const cancelling = new AbortController();
		const counting = asked.request(
			'context/count',
			{ text: 'word '.repeat(200_000) },
			{ signal: cancelling.signal },
		);
		cancelling.abort(new Error('not needed any more'));
		await expect(counting).rejects.toThrow('not needed any more');
		const late = asked.request('session/list', {}, { signal: AbortSignal.abort(new Error('too late')) });
		await expect(late).rejects.toThrow('too late');
		expect(await asked.request('session/list')).toEqual({ sessions: [] });
	});

	it('connect starts a single program name as a daemon', async () => {
		const program = join(folder, 'contextd');
		await symlink(daemon, program);
		const named = await meet({ command: program });
		expect(await named.request('session/list')).toEqual({ sessions: [] });
	});

	it('connect removes variables that are undefined', async () => {
		process.env.CONTEXTD_TEST_KEPT = 'yes';
		process.env.CONTEXTD_TEST_GONE = 'yes';
		try {
			const command = await script(
				'console.error(process.env.CONTEXTD_TEST_KEPT, process.env.CONTEXTD_TEST_GONE, process.env.ADDED)',
			);
			const env = { CONTEXTD_TEST_GONE: undefined, ADDED: 'new' };
			await expect(connect({ command, env })).rejects.toThrow('yes undefined new');
		} finally {
			delete process.env.CONTEXTD_TEST_KEPT;
			delete process.env.CONTEXTD_TEST_GONE;
		}
	});
});

describe('a daemon that cannot be met', () => {
	it('connect fails if the daemon cannot be started', async () => {
		const missing = connect({ command: [join(folder, 'missing')] });
		await expect(missing).rejects.toThrow(ConnectionError);
		await expect(missing).rejects.toThrow('could not start the daemon');
		await expect(connect({ command: [] })).rejects.toThrow(TypeError);
		await expect(connect({ command: '' })).rejects.toThrow(TypeError);
	});

	it('connect fails with the last line of a daemon that ends at once', async () => {
		const command = await script('console.error("contextd needs more\\n"); process.exit(1)');
		const error = await connect({ command }).catch((error: unknown) => error);
		expect(error).toBeInstanceOf(ConnectionError);
		expect(error).toMatchObject({
			message: 'the daemon ended with code 1 before its work was done: contextd needs more',
		});
	});

	it('connect fails if the program is not contextd, and ends it', async () => {
		const reply = JSON.stringify({ jsonrpc: '2.0', id: 0, result: { capabilities: {} } });
		const command = await script(
			`process.stdin.once('data', () => process.stdout.write('Content-Length: ${reply.length}\\r\\n\\r\\n${reply}'));
			setInterval(() => {}, 1000);`,
		);
		await expect(connect({ command })).rejects.toThrow('is not contextd');
	});

	it('connect fails with the reason of the signal if the daemon does not answer in time, and ends it', async () => {
		const command = await script('process.stdin.resume(); setInterval(() => {}, 1000);');
		const started = performance.now();
		const met = connect({ command, signal: AbortSignal.timeout(300) });
		await expect(met).rejects.toMatchObject({ name: 'TimeoutError' });
		expect(performance.now() - started).toBeLessThan(20_000);
	});
});

describe('a daemon that leaves', () => {
	it('a daemon that ends fails waiting and later requests, and the client can still be closed', async () => {
		const met = {
			jsonrpc: '2.0',
			id: 0,
			result: { capabilities: { experimental: { contextd: { version: 1 } } } },
		};
		const reply = JSON.stringify(met);
		const command = await script(
			`process.stdin.on('data', (data) => {
				if (String(data).includes('"initialize"')) {
					process.stdout.write('Content-Length: ${reply.length}\\r\\n\\r\\n${reply}');
				} else if (String(data).includes('session/list')) {
					console.error('out of memory');
					process.exit(7);
				}
			});`,
		);
		const left = await meet({ command });
		const reason = 'the daemon ended with code 7 before its work was done: out of memory';
		await expect(left.request('session/list')).rejects.toThrow(new ConnectionError(reason));
		await expect(left.request('session/list')).rejects.toThrow(reason);
		await left.close();
	});
});
