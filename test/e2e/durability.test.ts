import { afterEach, describe, expect, it } from 'vitest';
import { contextCompact, contextUndo } from '../../server/protocol/compact.ts';
import { cleanUp, type Daemon, freshHome, startDaemon } from '../support/daemon.ts';
import { userSays } from '../support/messages.ts';
import { begin, conversation, historyIn, statsIn } from '../support/talk.ts';

afterEach(cleanUp);

const heuristic = { initialize: { initializationOptions: { estimator: 'heuristic' } } };

const start = (home?: string): Promise<Daemon> => startDaemon({ ...heuristic, ...(home && { home }) });

/** Lets so many of the replies come, and kills the daemon while the others are under way. */
async function killAfter(
	daemon: Daemon,
	replies: Promise<{ result?: unknown }>[],
	count: number,
): Promise<unknown[]> {
	const answered: unknown[] = [];
	for (const reply of replies) void reply.then(({ result }) => answered.push(result));
	await expect.poll(() => answered.length, { interval: 1 }).toBeGreaterThanOrEqual(count);
	await daemon.kill();
	return answered;
}

describe('kill -9', () => {
	it('during appends loses nothing that was answered, and leaves whole batches', async () => {
		const home = await freshHome();
		let known = 0;
		for (let round = 0; round < 3; round++) {
			const daemon = await start(home);
			if (round === 0) await begin(daemon, 's');
			const replies = Array.from({ length: 300 }, (_, index) => {
				const messages = [1, 2, 3].map((part) => userSays(`${round}/${index}/${part} ${'x'.repeat(500)}`));
				return daemon.start('session/append', { sessionId: 's', messages }).reply;
			});
			const answered = await killAfter(daemon, replies, 20 + 40 * round);
			const counts = answered.map((result) => (result as { messageCount: number }).messageCount);
			const again = await start(home);
			const history = (await historyIn(again, 's')) as { content: string }[];
			expect(history.length).toBeGreaterThanOrEqual(Math.max(...counts));
			expect((history.length - known) % 3).toBe(0);
			const own = history.slice(known).map(({ content }) => content.split(' ')[0]);
			expect(own).toEqual(
				own.map((_, position) => `${round}/${Math.floor(position / 3)}/${(position % 3) + 1}`),
			);
			known = history.length;
			await again.quit();
		}
	});

	it('during a compaction leaves the old history or the new one, and the old one can be had', async () => {
		const home = await freshHome();
		const messages = conversation(400, 60);
		const first = await start(home);
		await begin(first, 's', messages, { contextWindow: 20_000 });
		await first.quit();
		for (const delay of [5, 40, 120]) {
			const daemon = await start(home);
			await historyIn(daemon, 's');
			void daemon.start('context/compact', { sessionId: 's', includeMessages: false }).reply;
			await new Promise((resolve) => setTimeout(resolve, delay));
			await daemon.kill();
			const again = await start(home);
			const stats = await statsIn(again, 's');
			if (stats.lastCompaction && !stats.lastCompaction.undone) {
				expect(stats.breakdown.conversationHistory).toBe(stats.lastCompaction.tokensAfter);
				await again.ask(contextUndo, { sessionId: 's' });
			}
			expect(await historyIn(again, 's')).toEqual(messages);
			await again.quit();
		}
	});

	it('after a compaction was answered keeps it, and its undo', async () => {
		const first = await start();
		const messages = conversation(60, 60);
		await begin(first, 's', messages);
		const compacted = await first.ask(contextCompact, { sessionId: 's' });
		await first.kill();
		const second = await start(first.home);
		expect(await historyIn(second, 's')).toEqual((compacted as unknown as { messages: unknown[] }).messages);
		await second.ask(contextUndo, { sessionId: 's' });
		await second.kill();
		expect(await historyIn(await start(first.home), 's')).toEqual(messages);
	});
});
