import { expect, it } from 'vitest';
import { contextCompact, contextUndo } from '../../../server/protocol/compact.ts';
import { sessionAppend, sessionClose, sessionDelete } from '../../../server/protocol/session.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { userSays } from '../../support/messages.ts';
import { connectingClients, notified } from '../../support/sharing.ts';
import { begin, conversation, historyIn, statsIn } from '../../support/talk.ts';

const { connect, services } = connectingClients();

interface Changed {
	sessionId: string;
	stats: ContextStats;
}

it('every subscribed client is notified of changes by another one', async () => {
	const [writer, reader, silent] = [await connect(), await connect(notified()), await connect()];
	await begin(writer, 's', conversation(20, 200));
	await reader.awaitNotification('context/didChange', ({ stats }: Changed) => stats?.messageCount === 20);
	const result = await writer.ask(contextCompact, { sessionId: 's' });
	expect(await reader.awaitNotification('context/didCompact')).toMatchObject({
		sessionId: 's',
		result: { compactionId: result?.compactionId },
	});
	expect(await historyIn(reader, 's')).toEqual(await historyIn(writer, 's'));
	await reader.ask(contextUndo, { sessionId: 's' });
	expect(await historyIn(writer, 's')).toHaveLength(20);
	expect(silent.inbox).toEqual([]);
});

it('a shared session keeps the order in which each client calls', async () => {
	const clients = [await connect(), await connect(), await connect()];
	const [first] = clients;
	if (!first) throw new Error('no client');
	await begin(first, 's');
	await Promise.all(
		clients.flatMap((client, name) =>
			Array.from({ length: 30 }, (_, index) =>
				client.ask(sessionAppend, { sessionId: 's', messages: [userSays(`${name} ${index}`)] }),
			),
		),
	);
	const texts = (await historyIn(first, 's')).map((message) => (message as { content: string }).content);
	expect(texts).toHaveLength(90);
	for (const name of [0, 1, 2]) {
		const own = texts.filter((text) => text.startsWith(`${name} `));
		expect(own).toEqual(Array.from({ length: 30 }, (_, index) => `${name} ${index}`));
	}
});

it('the other clients are served when one closes a session, leaves or is cut off', async () => {
	const [one, other, third] = [await connect(), await connect(), await connect()];
	await begin(one, 's', conversation(10));
	await one.ask(sessionClose, { sessionId: 's' });
	expect((await statsIn(other, 's')).messageCount).toBe(10);
	expect(await one.stop()).toBe(0);
	third.write('no message of any protocol\n');
	third.end();
	await other.ask(sessionAppend, { sessionId: 's', messages: [userSays('still here')] });
	expect((await statsIn(other, 's')).messageCount).toBe(11);
	expect(services().countOpenSessions()).toBe(1);
});

it('deleting a shared session fails the calls of all clients for it', async () => {
	const [one, other] = [await connect(), await connect()];
	await begin(one, 's', conversation(4));
	expect((await statsIn(other, 's')).messageCount).toBe(4);
	await one.ask(sessionDelete, { sessionId: 's' });
	expect(await other.refusal('context/stats', { sessionId: 's' })).toMatchObject({ code: -31999 });
});

it('a client that leaves before the program is loaded is forgotten', async () => {
	const leaving = await connect();
	expect(await leaving.stop()).toBe(0);
	const before = services().getIdleMs();
	await new Promise((resolve) => setTimeout(resolve, 20));
	expect(services().getIdleMs()).toBeGreaterThan(before);
	const client = await connect();
	await begin(client, 's', conversation(2));
	expect((await statsIn(client, 's')).messageCount).toBe(2);
});
