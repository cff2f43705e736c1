import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sessionAppend, sessionOpen } from '../../server/protocol/session.ts';
import { cleanUp, freshHome, startDaemon, writerOf } from '../support/daemon.ts';
import { userSays } from '../support/messages.ts';
import { removeFolder } from '../support/removeFolder.ts';
import { begin, historyIn } from '../support/talk.ts';

afterEach(cleanUp);

describe('a client that is served by its own process', () => {
	it('a client with --isolated starts no daemon', async () => {
		const client = await startDaemon({ flags: ['--isolated'] });
		await begin(client, 's', [userSays('hi')]);
		expect(await client.writer()).toBe(client.process.pid);
		expect(await client.quit()).toBe(0);
		expect(await historyIn(await startDaemon({ home: client.home }), 's')).toHaveLength(1);
	});

	it('a client starts no daemon if nothing is stored', async () => {
		const environment = { CONTEXTD_MEMORY_ENABLED: 'false' };
		const client = await startDaemon({ environment });
		await begin(client, 's', [userSays('hi')]);
		const other = await startDaemon({
			initialize: { initializationOptions: { storage: { enabled: false } } },
		});
		await begin(other, 's', [userSays('hi')]);
		for (const { home } of [client, other]) await expect(writerOf(home)).rejects.toThrow('no process');
	});

	it('a client with --isolated reads the sessions of the daemon, and writes none', async () => {
		const client = await startDaemon();
		await begin(client, 's', [userSays('hi')]);
		const isolated = await startDaemon({ home: client.home, flags: ['--isolated'] });
		expect(await isolated.ask(sessionOpen, { sessionId: 's' })).toMatchObject({ messageCount: 1 });
		const refused = await isolated.refusal(sessionAppend.method, {
			sessionId: 's',
			messages: [userSays('x')],
		});
		expect(refused).toMatchObject({ code: -31998, message: expect.stringContaining('process') });
	});
});

describe('a client of a folder that can have no daemon', () => {
	it('a client of a folder that an isolated process uses serves itself, and warns once', async () => {
		const isolated = await startDaemon({ flags: ['--isolated'] });
		await begin(isolated, 's', [userSays('hi')]);
		const client = await startDaemon({ home: isolated.home });
		expect(await historyIn(client, 's')).toHaveLength(1);
		const refused = await client.refusal(sessionAppend.method, { sessionId: 's', messages: [userSays('x')] });
		expect(refused.code).toBe(-31998);
		expect(client.errors()).toContain(`process ${isolated.process.pid}`);
	});

	it('a client serves itself if other users may enter every folder for the socket', async () => {
		const home = await freshHome();
		const runtime = join(home, 'runtime');
		const state = join(home, 'state'.padEnd(120, 'x'));
		await mkdir(state, { recursive: true });
		await mkdir(runtime);
		await chmod(runtime, 0o777);
		const environment = {
			XDG_RUNTIME_DIR: join(runtime, 'y'.repeat(100)),
			TMPDIR: join(runtime, 'z'.repeat(100)),
		};
		const client = await startDaemon({ home: state, environment });
		await begin(client, 's', [userSays('hi')]);
		expect(client.errors().match(/without the daemon/g)).toHaveLength(1);
		expect(await client.quit()).toBe(0);
		await removeFolder(home);
	});
});
