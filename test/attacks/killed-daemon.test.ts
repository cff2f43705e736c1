import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { findHolder } from '../../server/node/folderLock.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { failureCodes } from '../../server/protocol/errors.ts';
import { sessionOpen } from '../../server/protocol/session.ts';
import { cleanUp, type Daemon, freshHome, startDaemon } from '../support/daemon.ts';
import { userSays } from '../support/messages.ts';
import { isSoak } from '../support/soak.ts';
import { historyIn } from '../support/talk.ts';
import { Waits } from '../support/waits.ts';

const kills = isSoak ? 500 : 5;
afterEach(cleanUp);

interface Written {
	/** Ids whose append was acknowledged. */
	acknowledged: string[];
	/** Ids whose append failed. Each of these messages must be stored completely or not at all. */
	unknown: string[];
}

/** Appends messages, with and without ids, and reads, until it is stopped. */
async function work(
	client: Daemon,
	{
		sessionId,
		name,
		waits,
		isOver,
	}: { sessionId: string; name: string; waits: Waits; isOver: () => boolean },
): Promise<Written> {
	const written: Written = { acknowledged: [], unknown: [] };
	for (let count = 0; !isOver(); count++) {
		const text = `${name}-${count}`;
		const message = count % 2 === 0 ? { ...userSays(text), id: text } : userSays(text);
		const { error } = await waits.of(
			client.start('session/append', { sessionId, messages: [message] }).reply,
		);
		if (error === undefined) written.acknowledged.push(text);
		else {
			expect([failureCodes.DaemonRestarted, failureCodes.RequestCrashedDaemon]).toContain(error.code);
			written.unknown.push(text);
		}
		const { error: unread } = await waits.of(client.start('context/stats', { sessionId }).reply);
		if (unread !== undefined) expect(unread.code).toBe(failureCodes.RequestCrashedDaemon);
	}
	return written;
}

it('four busy clients lose and repeat nothing, and need no restart, while their daemon is killed at random moments', {
	timeout: 60_000 + kills * 10_000,
}, async () => {
	const home = await freshHome();
	const began = performance.now();
	const clients = await Promise.all(['a', 'b', 'c', 'd'].map(() => startDaemon({ home })));
	// With this pause, the daemon is killed during its start as often as after it.
	const maxPauseMs = 2 * (performance.now() - began);
	// Two clients write to each session.
	const sessionIdOf = (index: number): string => `s${index % 2}`;
	for (const [index, client] of clients.entries()) {
		await client.ask(sessionOpen, { sessionId: sessionIdOf(index), model: 'gpt-4o' });
	}
	const waits = new Waits();
	let isOver = false;
	const working = clients.map((client, index) =>
		work(client, { sessionId: sessionIdOf(index), name: `${index}`, waits, isOver: () => isOver }),
	);
	for (let kill = 0, last = 0; kill < kills; ) {
		await setTimeout(((kill * 7919) % 1000) * (maxPauseMs / 1000));
		const holder = await findHolder(home);
		// An ended process may be visible for a moment.
		if (holder === undefined || holder.pid === last) continue;
		process.kill(holder.pid, 'SIGKILL');
		last = holder.pid;
		kill++;
	}
	isOver = true;
	const written = await Promise.all(working);
	waits.check(`${kills} kills`);
	const [first] = clients as [Daemon];
	for (const sessionId of ['s0', 's1']) {
		const stored = (await historyIn(first, sessionId)).map((message) => (message as ChatMessage).content);
		expect(new Set(stored).size).toBe(stored.length);
		const writers = written.filter((_, index) => sessionIdOf(index) === sessionId);
		const acknowledged = writers.flatMap((one) => one.acknowledged);
		const unknown = new Set(writers.flatMap((one) => one.unknown));
		expect(stored.filter((text) => !unknown.has(String(text))).sort()).toEqual(acknowledged.sort());
	}
	for (const client of clients) expect(await client.quit()).toBe(0);
});
