import { afterEach, describe, expect, it } from 'vitest';
import { freshFolder, removeFolders } from '../support/app.ts';
import { answer, type ScriptedDaemon, startRelay, startScriptedDaemon } from '../support/scriptedDaemon.ts';

const daemons: ScriptedDaemon[] = [];

async function daemonIn(folder: string): Promise<void> {
	daemons.push(await startScriptedDaemon(folder));
}

afterEach(async () => {
	await Promise.all(daemons.splice(0).map((daemon) => daemon.close()));
	await removeFolders();
});

describe('a relay whose daemon does not run yet', () => {
	it('answers initialize while it starts a daemon, and sends that daemon everything in order', async () => {
		const folder = freshFolder();
		let hasAnswer = (): void => {};
		const answered = new Promise<void>((resolve) => {
			hasAnswer = resolve;
		});
		const client = startRelay(folder, {
			loadInitializeResponder: async () => () => ({ capabilities: {}, serverInfo: { name: 'early' } }),
			startDaemon: async () => {
				void answered.then(() => daemonIn(folder));
				return undefined;
			},
		});
		expect(await client.initialize()).toMatchObject({ serverInfo: { name: 'early' } });
		const { reply } = client.start('context/stats', { sessionId: 's' });
		hasAnswer();
		await expect.poll(() => daemons[0]?.connections.length).toBe(1);
		const connection = await daemons[0]?.connection(0);
		if (connection === undefined) throw new Error('no daemon was started');
		await answer(connection, 'initialize', { capabilities: {} });
		await answer(connection, 'context/stats', { messageCount: 1 });
		expect((await reply).result).toEqual({ messageCount: 1 });
		expect(connection.messages.map(({ method }) => method)).toEqual([
			'initialize',
			'initialized',
			'context/stats',
		]);
		expect(client.inbox).toEqual([]);
		client.stop();
		await client.exitCode;
	});

	it('leaves initialize to the daemon if only the daemon can answer it', async () => {
		const folder = freshFolder();
		const client = startRelay(folder, {
			loadInitializeResponder: async () => () => undefined,
			startDaemon: async () => {
				await daemonIn(folder);
				return undefined;
			},
		});
		const ready = client.initialize();
		await expect.poll(() => daemons[0]?.connections.length).toBe(1);
		await answer(await (daemons[0] as ScriptedDaemon).connection(0), 'initialize', { capabilities: {} });
		expect(await ready).toEqual({ capabilities: {} });
		client.stop();
		await client.exitCode;
	});
});
