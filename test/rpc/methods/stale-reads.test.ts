import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as protocol from '../../../server/protocol/index.ts';
import { call, result, user } from '../../support/messages.ts';
import { desk, lines, shell } from './desk.ts';

describe('staleReads', () => {
	it('staleReads names the visible reads of a changed file until a later read shows those lines', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		await own.readByCall('a.txt', '1');
		own.write('a.txt', lines(8));
		await own.stale('result-1');
		expect((await own.stats()).staleReads).toEqual([{ uri: own.uri('a.txt'), messageId: 'result-1' }]);
		await own.readByCall('a.txt', '2');
		expect((await own.stats()).staleReads).toEqual([]);
	});

	it('staleReads names no read of a file that has its old content again', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		await own.readByCall('a.txt', '1');
		own.write('a.txt', lines(8));
		await own.stale('result-1');
		own.write('a.txt', lines(9));
		await own.stale();
	});

	it("staleReads includes reads by the agent's own tools and announced reads", async () => {
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

	it('staleReads never takes a typed message for the content of a file', async () => {
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

	it("staleReads skips reads that the agent's own edit superseded, until something else changes the file", async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		await own.readByCall('a.txt', '1');
		await own.append(call('e', ['2'], 'write_file', { path: 'a.txt', content: 'x' }));
		own.write('a.txt', 'x');
		await own.append(result('er', '2', 'ok'));
		await new Promise((done) => setTimeout(done, 400));
		expect((await own.stats()).staleReads).toEqual([]);
		expect(own.app.inbox.filter(({ method }) => method === 'context/didChangeFile')).toEqual([]);
		own.write('a.txt', 'y');
		await own.stale('result-1');
	});

	it('staleReads includes files that changed while the daemon was stopped', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		own.write('b.txt', lines(9));
		await own.readByCall('a.txt', '1');
		await own.append(shell('2', 'cat b.txt'), result('r2', '2', lines(9)));
		await own.stop();
		own.write('a.txt', lines(8));
		own.write('b.txt', lines(8));
		await own.start();
		await own.stale('result-1', 'r2');
	});

	it('staleReads follows a file that is replaced by a rename, and a folder that is created again', async () => {
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
	it('context/didChangeFile names the sessions that know the file, and is not sent after they are closed', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		await own.readByCall('a.txt', '1');
		own.write('a.txt', lines(8));
		expect(await own.app.awaitNotification('context/didChangeFile')).toEqual({
			uri: own.uri('a.txt'),
			change: 'changed',
			sessionIds: ['s'],
		});
		const told = () => own.app.inbox.filter(({ method }) => method === 'context/didChangeFile').length;
		await own.app.ask(protocol.sessionClose, { sessionId: 's' });
		const before = told();
		own.write('a.txt', lines(7));
		await new Promise((done) => setTimeout(done, 400));
		expect(told()).toBe(before);
		await own.stale('result-1');
		rmSync(join(own.folder, 'a.txt'));
		expect(
			await own.app.awaitNotification(
				'context/didChangeFile',
				({ change }: { change: string }) => change === 'deleted',
			),
		).toMatchObject({ sessionIds: ['s'] });
	});

	it('context/didChangeFile is sent soon after the client reports a change', async () => {
		const own = await desk();
		own.write('a.txt', lines(9));
		await own.readByCall('a.txt', '1');
		own.write('a.txt', lines(8));
		own.app.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: own.uri('.'), type: 2 }] });
		await own.app.awaitNotification('context/didChangeFile');
	});
});
