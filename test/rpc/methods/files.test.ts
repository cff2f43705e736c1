import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import * as protocol from '../../../server/protocol/index.ts';
import { type App, freshFolder, removeFolders, startTestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { call, result, user } from '../../support/messages.ts';

interface Desk {
	app: App;
	folder: string;
	sessionId: string;
	uri(name: string): string;
	write(name: string, text: string): void;
	read(name: string, more?: Partial<protocol.ReadFileParams>): Promise<protocol.ReadFileResult>;
	append(...messages: unknown[]): Promise<unknown>;
	/** Reads a file by a call, and appends the call with what came. */
	readByCall(
		name: string,
		id: string,
		more?: Partial<protocol.ReadFileParams>,
	): Promise<protocol.ReadFileResult>;
	stats(): Promise<protocol.ContextStats>;
	/** Waits until just these reads are stale. */
	stale(...messageIds: string[]): Promise<void>;
	restart(): Promise<void>;
}

const apps: App[] = [];
afterEach(async () => {
	await Promise.all(apps.splice(0).map((app) => app.stop()));
	await removeFolders();
});

async function desk(contextWindow?: number): Promise<Desk> {
	const home = freshFolder();
	const folder = realpathSync(freshFolder());
	const start = async () => {
		const app = await startTestApp({
			home,
			initialize: {
				rootUri: pathToFileURL(folder).href,
				capabilities: { experimental: { contextd: { notifications: true } } },
			},
		});
		apps.push(app);
		return app;
	};
	const sessionId = 's';
	const own: Desk = {
		app: await start(),
		folder,
		sessionId,
		uri: (name) => pathToFileURL(join(folder, name)).href,
		write: (name, text) => writeFileSync(join(folder, name), text),
		read: (name, more) => own.app.ask(protocol.contextReadFile, { sessionId, uri: own.uri(name), ...more }),
		append: (...messages) => own.app.ask(protocol.sessionAppend, { sessionId, messages }),
		async readByCall(name, id, more) {
			await own.append(call(`call-${id}`, [id], 'read_file', { path: name }));
			const answer = await own.read(name, { toolCallId: id, ...more });
			await own.append(result(`result-${id}`, id, answer.content, { toolName: 'read_file' }));
			return answer;
		},
		stats: async () => (await own.app.ask(protocol.contextStats, { sessionId }))!,
		stale: (...messageIds) =>
			eventually(async () => {
				const { staleReads } = await own.stats();
				expect(staleReads.map(({ messageId }) => messageId)).toEqual(messageIds);
			}),
		async restart() {
			await apps.splice(apps.indexOf(own.app), 1)[0]?.stop();
			own.app = await start();
		},
	};
	await own.app.ask(protocol.sessionOpen, { sessionId, provider: 'openai', model: 'gpt-4o', contextWindow });
	await own.append(user('u', 'Look at the files.'));
	return own;
}

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
const shell = (id: string, command: string) => call(`call-${id}`, [id], 'bash', { command });

describe('context/readFile', () => {
	it('gives a file whole, with its tokens, lines and hash', async () => {
		const { read, write, app } = await desk();
		write('a.txt', lines(3));
		const answer = await read('a.txt');
		expect(answer).toMatchObject({ status: 'full', content: lines(3), totalLines: 3 });
		expect(answer.contentHash).toMatch(/^[0-9a-f]{64}$/);
		const count = await app.ask(protocol.contextCount, {
			text: lines(3),
			provider: 'openai',
			model: 'gpt-4o',
		});
		expect(answer.tokens).toBe(count.tokens);
	});

	it('says which message shows the same lines of the same bytes', async () => {
		const { read, readByCall, write } = await desk();
		write('a.txt', lines(9));
		await readByCall('a.txt', '1');
		const again = await read('a.txt', { toolCallId: '2' });
		expect(again).toMatchObject({ status: 'unchanged', content: '', tokens: 0, priorMessageId: 'result-1' });
		expect(again.notice).toContain('result-1');
		expect(await read('a.txt', { startLine: 2, endLine: 4 })).toMatchObject({ status: 'unchanged' });
		write('a.txt', lines(8));
		expect(await read('a.txt')).toMatchObject({ status: 'full', content: lines(8) });
	});

	it('gives lines that the earlier read did not show', async () => {
		const { read, readByCall, write } = await desk();
		write('a.txt', lines(9));
		await readByCall('a.txt', '1', { startLine: 2, endLine: 4 });
		expect(await read('a.txt', { startLine: 3, endLine: 4 })).toMatchObject({ status: 'unchanged' });
		expect(await read('a.txt', { startLine: 3, endLine: 5 })).toMatchObject({
			status: 'full',
			content: 'line 3\nline 4\nline 5\n',
		});
		expect(await read('a.txt')).toMatchObject({ status: 'full' });
	});

	it('gives a file again until its message has come', async () => {
		const { read, append, write } = await desk();
		write('a.txt', lines(9));
		await read('a.txt', { toolCallId: '1' });
		expect(await read('a.txt', { toolCallId: '1' })).toMatchObject({ status: 'full' });
		await append(call('c', ['1'], 'read_file', { path: 'a.txt' }), result('r', '1', 'The client cut this.'));
		expect(await read('a.txt')).toMatchObject({ status: 'full' });
	});

	it('knows what the agent read by its own tools, by the words alone', async () => {
		const { read, append, write } = await desk();
		write('a.txt', lines(9));
		await append(shell('1', 'cat a.txt'), result('r1', '1', lines(9)));
		expect(await read('a.txt')).toMatchObject({ status: 'unchanged', priorMessageId: 'r1' });
		write('a.txt', lines(8));
		expect(await read('a.txt')).toMatchObject({ status: 'full' });
	});

	it('gives a file once more after a compaction hid it, and knows it again after an undo', async () => {
		const { app, append, sessionId, read, readByCall, write } = await desk();
		write('a.txt', lines(900));
		await readByCall('a.txt', '1');
		await append(
			user('u2', 'Go on.'),
			...Array.from({ length: 20 }, (_, index) => user(`m${index}`, lines(90))),
		);
		const compacted = await app.ask(protocol.contextCompact, { sessionId, targetTokens: 500 });
		expect(compacted?.compacted).toBe(true);
		expect(await readByCall('a.txt', '2')).toMatchObject({ status: 'full', content: lines(900) });
		expect(await read('a.txt')).toMatchObject({ status: 'unchanged', priorMessageId: 'result-2' });
		await app.ask(protocol.contextUndo, { sessionId });
		expect(await read('a.txt')).toMatchObject({ status: 'unchanged' });
	});

	it('knows after a restart what was read before', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		own.write('b.txt', lines(9));
		await own.readByCall('a.txt', '1');
		await own.readByCall('b.txt', '2');
		await own.restart();
		expect(await own.read('a.txt')).toMatchObject({ status: 'unchanged', priorMessageId: 'result-1' });
		own.write('b.txt', lines(8));
		expect(await own.read('b.txt')).toMatchObject({ status: 'full' });
	});

	it('gives a file again after the agent edited it, though it is as it was', async () => {
		const { read, readByCall, append, write } = await desk();
		write('a.txt', lines(9));
		await readByCall('a.txt', '1');
		await append(call('e', ['2'], 'edit_file', { path: 'a.txt', old_string: 'x', new_string: 'y' }));
		await append(result('er', '2', 'old_string was not found', { isError: true }));
		expect(await read('a.txt')).toMatchObject({ status: 'full' });
	});

	it('keeps to what the window holds, and says so', async () => {
		const { read, write, stats } = await desk(4000);
		write('a.txt', lines(30_000));
		const { fileBudget } = await stats();
		const answer = await read('a.txt');
		expect(answer.status).toBe('truncated');
		expect(answer.tokens).toBeLessThanOrEqual(fileBudget.remaining);
		expect(answer.notice).toMatch(/^\[Lines 1-\d+ of 30000 of /);
	});

	it('excludes a file for which no room is left', async () => {
		const { append, read, write } = await desk(4000);
		write('a.txt', lines(300));
		await append(user('big', lines(3000)));
		expect(await read('a.txt')).toMatchObject({ status: 'excluded', content: '', tokens: 0 });
	});

	it('refuses what lies outside the workspace, through links too, and lines that are no range', async () => {
		const { app, folder, uri, sessionId, write } = await desk();
		const elsewhere = freshFolder();
		writeFileSync(join(elsewhere, 'secret'), 'x');
		symlinkSync(join(elsewhere, 'secret'), join(folder, 'link'));
		symlinkSync(elsewhere, join(folder, 'folder'));
		write('a.txt', 'x');
		const kinds = await Promise.all(
			[join(elsewhere, 'secret'), uri('link'), uri('folder/secret'), uri('../x'), uri('none'), uri('.')].map(
				async (name) => (await app.refusal('context/readFile', { sessionId, uri: name })).data?.kind,
			),
		);
		expect(kinds).toEqual([
			...Array.from({ length: 4 }, () => 'OutsideWorkspace'),
			'FileUnreadable',
			'FileUnreadable',
		]);
		const refused = await app.refusal('context/readFile', {
			sessionId,
			uri: uri('a.txt'),
			startLine: 3,
			endLine: 2,
		});
		expect(refused.message).toContain('endLine');
		expect((await app.refusal('context/readFile', { sessionId, uri: uri('a.txt'), startLine: 0 })).code).toBe(
			-32602,
		);
	});

	it('reads in the folders that the client has open now', async () => {
		const { app, folder, read, write, uri } = await desk();
		const other = realpathSync(freshFolder());
		writeFileSync(join(other, 'b.txt'), 'b');
		write('a.txt', 'a');
		const outside = pathToFileURL(join(other, 'b.txt')).href;
		expect((await app.refusal('context/readFile', { sessionId: 's', uri: outside })).data?.kind).toBe(
			'OutsideWorkspace',
		);
		app.notify('workspace/didChangeWorkspaceFolders', {
			event: {
				added: [{ uri: pathToFileURL(other).href, name: 'other' }],
				removed: [{ uri: pathToFileURL(folder).href, name: 'folder' }],
			},
		});
		expect(await read('', { uri: outside })).toMatchObject({ status: 'full', content: 'b' });
		expect((await app.refusal('context/readFile', { sessionId: 's', uri: uri('a.txt') })).data?.kind).toBe(
			'OutsideWorkspace',
		);
	});
});

describe('staleReads', () => {
	it('names the visible reads of a file that changed, until a later read shows those lines', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		await own.readByCall('a.txt', '1');
		own.write('a.txt', lines(8));
		await own.stale('result-1');
		expect((await own.stats()).staleReads).toEqual([{ uri: own.uri('a.txt'), messageId: 'result-1' }]);
		await own.readByCall('a.txt', '2');
		expect((await own.stats()).staleReads).toEqual([]);
	});

	it('names no read of a file that is again what it was', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		await own.readByCall('a.txt', '1');
		own.write('a.txt', lines(8));
		await own.stale('result-1');
		own.write('a.txt', lines(9));
		await own.stale();
	});

	it('names reads that the agent did by its own tools, and those that it announced', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		own.write('b.txt', lines(9));
		await own.append(shell('1', 'cat a.txt'), result('r1', '1', lines(9)));
		await own.append(user('u2', `Here is b.txt: ${lines(9)}`));
		own.app.notify('context/didReadFile', { sessionId: 's', uri: own.uri('b.txt'), messageId: 'u2' });
		await own.stats();
		await new Promise((done) => setTimeout(done, 300));
		own.write('a.txt', lines(8));
		own.write('b.txt', lines(7));
		await own.stale('r1', 'u2');
		rmSync(join(own.folder, 'b.txt'));
		await own.stale('r1', 'u2');
	});

	it('does not take a message that the user types for the content of a file that was read', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		await own.app.ask(protocol.contextReadFile, { sessionId: 's', uri: own.uri('a.txt') });
		await own.append(user('u2', 'hello there'));
		await own.app.ask(protocol.contextReadFile, { sessionId: 's', uri: own.uri('a.txt') });
		await own.append(call('c2', ['2'], 'show', {}), result('r2', '2', lines(9)));
		await new Promise((done) => setTimeout(done, 300));
		own.write('a.txt', lines(8));
		await own.stale('r2');
	});

	it('names no read that the agent’s own edit superseded, but again when the world changed the file after it', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		await own.readByCall('a.txt', '1');
		await own.append(call('e', ['2'], 'write_file', { path: 'a.txt', content: 'x' }));
		own.write('a.txt', 'x');
		await own.append(result('er', '2', 'ok'));
		await new Promise((done) => setTimeout(done, 400));
		expect((await own.stats()).staleReads).toEqual([]);
		expect(own.app.heard.filter(({ method }) => method === 'context/didChangeFile')).toEqual([]);
		own.write('a.txt', 'y');
		await own.stale('result-1');
	});

	it('names what changed while the daemon was away', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		own.write('b.txt', lines(9));
		await own.readByCall('a.txt', '1');
		await own.append(shell('2', 'cat b.txt'), result('r2', '2', lines(9)));
		await apps.splice(apps.indexOf(own.app), 1)[0]?.stop();
		own.write('a.txt', lines(8));
		own.write('b.txt', lines(8));
		await own.restart();
		await own.stale('result-1', 'r2');
	});

	it('follows a file through renames over it and a folder that is made anew', async () => {
		const own = await desk();
		mkdirSync(join(own.folder, 'src'));
		own.write('src/a.txt', lines(9));
		await own.readByCall('src/a.txt', '1');
		own.write('src/new', lines(8));
		renameSync(join(own.folder, 'src/new'), join(own.folder, 'src/a.txt'));
		await own.stale('result-1');
		await own.readByCall('src/a.txt', '2');
		renameSync(join(own.folder, 'src'), join(own.folder, 'old'));
		mkdirSync(join(own.folder, 'src'));
		own.write('src/a.txt', lines(5));
		await own.stale('result-1', 'result-2');
	});
});

describe('context/didChangeFile', () => {
	it('is told with the sessions that know the file, and no more once they are closed', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		await own.readByCall('a.txt', '1');
		own.write('a.txt', lines(8));
		expect(await own.app.told('context/didChangeFile')).toEqual({
			uri: own.uri('a.txt'),
			change: 'changed',
			sessionIds: ['s'],
		});
		const told = () => own.app.heard.filter(({ method }) => method === 'context/didChangeFile').length;
		await own.app.ask(protocol.sessionClose, { sessionId: 's' });
		const before = told();
		own.write('a.txt', lines(7));
		await new Promise((done) => setTimeout(done, 400));
		expect(told()).toBe(before);
		await own.stale('result-1');
		rmSync(join(own.folder, 'a.txt'));
		expect(
			await own.app.told('context/didChangeFile', ({ change }: { change: string }) => change === 'deleted'),
		).toMatchObject({ sessionIds: ['s'] });
	});

	it('is told soon when the client says that something happened', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		await own.readByCall('a.txt', '1');
		own.write('a.txt', lines(8));
		own.app.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: own.uri('.'), type: 2 }] });
		await own.app.told('context/didChangeFile');
	});
});

describe('context/fitFiles', () => {
	const files = [
		{ path: 'small.txt', content: 'one line\n' },
		{ path: 'large.txt', content: lines(5000) },
		{ path: 'large.txt', content: `another\n${lines(5000)}` },
	];

	it('fits files into what a session has for them', async () => {
		const { app, stats, sessionId } = await desk(16_000);
		const { fileBudget } = await stats();
		const fitted = await app.ask(protocol.contextFitFiles, { sessionId, files });
		expect(fitted.budgetTokens).toBe(fileBudget.remaining);
		expect(fitted.usedTokens).toBeLessThanOrEqual(fitted.budgetTokens);
		expect(fitted.files.map(({ truncated }) => truncated)).toEqual([false, true, true]);
		expect(fitted.notices[0]).toContain('large.txt (1)');
		expect(fitted.notices[1]).toContain('large.txt (2)');
	});

	it('fits files into a model’s window, or into the tokens that are named', async () => {
		const { app } = await desk();
		const named = { provider: 'openai', model: 'gpt-4o' };
		const { availableInputTokens } = await app.ask(protocol.contextCount, { text: '', ...named });
		const whole = await app.ask(protocol.contextFitFiles, { files, ...named });
		expect(whole.budgetTokens).toBe(Math.floor(availableInputTokens * 0.6));
		const few = await app.ask(protocol.contextFitFiles, { files, availableTokens: 40 });
		expect(few.budgetTokens).toBe(40);
		expect(few.files.map(({ path }) => path)).toEqual(['small.txt']);
		expect(few.excluded).toHaveLength(2);
	});
});
