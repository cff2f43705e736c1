import { existsSync } from 'node:fs';
import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { sessionAppend } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { cleanUp, startDaemon } from '../support/daemon.ts';
import { userSays } from '../support/messages.ts';
import { removeFolder } from '../support/removeFolder.ts';
import { begin, historyIn } from '../support/talk.ts';

afterEach(cleanUp);

it.each(['daemon.sock', 'daemon.lock'])(
	'a daemon is shared by later clients although its %s was deleted',
	async (name) => {
		const client = await startDaemon();
		const pid = await client.writer();
		await removeFolder(join(client.home, name));
		const other = await startDaemon({ home: client.home });
		await expect.poll(() => existsSync(join(client.home, name))).toBe(true);
		expect(await other.writer()).toBe(pid);
		await begin(client, 's', [userSays('hi')]);
		expect(await historyIn(other, 's')).toHaveLength(1);
		expect(await other.quit()).toBe(0);
	},
);

it.each([0, 1, 200])(
	'a session survives the truncation of its journal to %i bytes while the daemon has it open',
	async (length) => {
		const client = await startDaemon();
		await begin(client, 's', [userSays('first'), userSays('second')]);
		const sessions = join(client.home, 'sessions');
		const [name = ''] = (await readdir(sessions)).filter((one) => one.endsWith('.jsonl'));
		await truncate(join(sessions, name), length);
		await client.ask(sessionAppend, { sessionId: 's', messages: [userSays('third')] });
		await client.kill();
		const again = await startDaemon({ home: client.home });
		expect(await historyIn(again, 's')).toEqual(['first', 'second', 'third'].map((text) => userSays(text)));
	},
);

it('clients continue after the whole state folder was deleted', async () => {
	const client = await startDaemon();
	await begin(client, 's', [userSays('hi')]);
	await removeFolder(client.home);
	const { error } = await client.start('session/append', { sessionId: 's', messages: [userSays('more')] })
		.reply;
	expect(error).toBeUndefined();
	expect(await client.ask(contextStats, { sessionId: 's' })).toMatchObject({ messageCount: 2 });
	const other = await startDaemon({ home: client.home });
	expect(await historyIn(other, 's')).toHaveLength(2);
});
