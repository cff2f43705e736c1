import { afterEach, describe, expect, it } from 'vitest';
import { sessionOpen } from '../../server/protocol/session.ts';
import { cleanUp, daemonStarted, freshHome, startDaemon } from '../support/daemon.ts';
import { userSays } from '../support/messages.ts';
import { begin, historyIn } from '../support/talk.ts';

afterEach(cleanUp);

it('a daemon that ends while it starts is reported at once, with its message', async () => {
	const started = startDaemon({ environment: { NODE_OPTIONS: '--require=./no-such-file' } });
	await expect(started).rejects.toThrow('no-such-file');
});

describe('the conversation', () => {
	it('a client that starts the daemon gets the same bytes for initialize as one of a running daemon', async () => {
		const home = await freshHome();
		const initialize = `${JSON.stringify({ jsonrpc: '2.0', id: 'ä', method: 'initialize', params: {} })}\n`;
		const answers: Buffer[] = [];
		for (let count = 0; count < 2; count++) {
			const client = await startDaemon({ home, framing: 'ndjson', initialize: null });
			const chunks: Buffer[] = [];
			client.process.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
			client.write(initialize);
			await expect.poll(() => Buffer.concat(chunks).includes('\n')).toBe(true);
			await daemonStarted(home);
			answers.push(Buffer.concat(chunks));
		}
		expect(answers[0]?.toString()).toContain('session/append');
		expect(answers[0]?.equals(answers[1] as Buffer)).toBe(true);
	});

	it('the daemon answers every request before the end of its input, and exits with 0', async () => {
		const daemon = await startDaemon();
		await daemon.ask(sessionOpen, { sessionId: 's' });
		const replies = Array.from(
			{ length: 200 },
			(_, index) =>
				daemon.start('session/append', { sessionId: 's', messages: [userSays(`${index}`)] }).reply,
		);
		daemon.end();
		const counts = (await Promise.all(replies)).map(
			({ result }) => (result as { messageCount: number }).messageCount,
		);
		expect(counts).toEqual(replies.map((_, index) => index + 1));
		expect(await daemon.exited).toBe(0);
		const again = await startDaemon({ home: daemon.home });
		expect(await historyIn(again, 's')).toHaveLength(200);
	});

	it('the daemon reads and writes one JSON object per line with --framing=ndjson', async () => {
		const daemon = await startDaemon({ framing: 'ndjson' });
		await begin(daemon, 's', [userSays('two\nlines')]);
		expect(await historyIn(daemon, 's')).toEqual([userSays('two\nlines')]);
		expect(await daemon.quit()).toBe(0);
	});

	it('the daemon exits with 1 after a header over the limit, and keeps its sessions', async () => {
		const daemon = await startDaemon();
		await begin(daemon, 's', [userSays('hi')]);
		daemon.write(`X: ${'x'.repeat(5000)}\r\n`);
		expect(await daemon.exited).toBe(1);
		expect(daemon.inbox.at(-1)).toMatchObject({ id: null, error: { code: expect.any(Number) } });
		expect(await historyIn(await startDaemon({ home: daemon.home }), 's')).toHaveLength(1);
	});

	it('the daemon exits with 1 on an announced body over the limit, without waiting for it', async () => {
		const daemon = await startDaemon();
		daemon.write('Content-Length: 268435457\r\n\r\n');
		expect(await daemon.exited).toBe(1);
	});
});

describe('the process', () => {
	it('the daemon warns of an unknown flag on stderr and continues', async () => {
		const daemon = await startDaemon({ flags: ['--colour', '--log-level=loud'] });
		await daemon.ask(sessionOpen, {});
		expect(daemon.errors()).toContain('unknown flag "--colour"');
		expect(daemon.errors()).toContain('logLevel');
	});

	it('the daemon sends its log to the client', async () => {
		const daemon = await startDaemon({ initialize: { initializationOptions: { reserve: 'none' } } });
		expect(await daemon.awaitNotification('window/logMessage')).toMatchObject({
			type: 1,
			message: expect.stringContaining('reserve'),
		});
	});

	it('the daemon ends when the process in --clientProcessId is gone', async () => {
		const other = await startDaemon();
		const daemon = await startDaemon({ flags: [`--clientProcessId=${other.process.pid}`] });
		await daemon.ask(sessionOpen, {});
		await other.kill();
		expect(await daemon.exited).not.toBeUndefined();
	});

	it('the daemon ends on SIGTERM with all sessions stored', async () => {
		const daemon = await startDaemon();
		await begin(daemon, 's', [userSays('hi')]);
		daemon.process.kill('SIGTERM');
		expect(await daemon.exited).toBe(0);
		expect(await historyIn(await startDaemon({ home: daemon.home }), 's')).toEqual([userSays('hi')]);
	});

	it('the daemon keeps its state in the folder of --storage', async () => {
		const daemon = await startDaemon();
		const other = await startDaemon({ flags: ['--storage', `${daemon.home}/elsewhere`] });
		await begin(other, 's', [userSays('hi')]);
		expect((await daemon.refusal('context/stats', { sessionId: 's' })).code).toBe(-31999);
		await other.quit();
		const again = await startDaemon({ home: `${daemon.home}/elsewhere` });
		expect(await historyIn(again, 's')).toHaveLength(1);
	});
});
