import { afterEach, expect, it } from 'vitest';
import { parseDaemonStatus } from '../../server/protocol/hello.ts';
import { sessionMessageIds, sessionOpen } from '../../server/protocol/session.ts';
import { cleanUp, startDaemon } from '../support/daemon.ts';
import { userSays } from '../support/messages.ts';
import { isSoak } from '../support/soak.ts';
import { sayTo } from '../support/socketClient.ts';
import { begin, conversation } from '../support/talk.ts';
import { Waits } from '../support/waits.ts';

const clientCount = isSoak ? 50 : 8;
const sessionCount = 4;
const appends = 20;
/** Number of answers, of 1 MB each, that the client does not read. */
const unreadAnswers = isSoak ? 1_000 : 100;
const maxDaemonBytes = 1.5e9;

afterEach(cleanUp);

async function memoryOf(home: string): Promise<number> {
	const { lines } = await sayTo(home, { ask: 'status' });
	return parseDaemonStatus((await lines.next()).value ?? '').memoryBytes;
}

it('many clients are answered while one of them asks for much and reads nothing', async () => {
	const deaf = await startDaemon();
	const { home } = deaf;
	await begin(deaf, 'large', conversation(40, 4_000));
	deaf.process.stdout?.pause();
	for (let count = 0; count < unreadAnswers; count++) deaf.start('context/history', { sessionId: 'large' });
	const clients = await Promise.all(Array.from({ length: clientCount }, () => startDaemon({ home })));
	const waits = new Waits();
	let largest = 0;
	const working = clients.map(async (client, index) => {
		const sessionId = `s${index % sessionCount}`;
		await client.ask(sessionOpen, { sessionId });
		for (let count = 0; count < appends; count++) {
			const message = { ...userSays('hi'), id: `${index}-${count}` };
			const { error } = await waits.of(
				client.start('session/append', { sessionId, messages: [message] }).reply,
			);
			expect(error).toBeUndefined();
			largest = Math.max(largest, await memoryOf(home));
		}
	});
	await Promise.all(working);
	waits.check(
		`${clientCount} clients next to one that reads nothing (daemon: ${Math.round(largest / 1e6)} MB)`,
	);
	expect(largest).toBeLessThan(maxDaemonBytes);
	for (const [index, client] of clients.entries()) {
		const { messageIds } = await client.ask(sessionMessageIds, { sessionId: `s${index % sessionCount}` });
		const own = messageIds.filter((id) => id.startsWith(`${index}-`));
		expect(own).toEqual(Array.from({ length: appends }, (_, count) => `${index}-${count}`));
	}
});
