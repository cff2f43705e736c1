import { afterEach, describe, expect, it } from 'vitest';
import { contextCompact, contextUndo } from '../../server/protocol/compact.ts';
import { cleanUp, type Daemon, freshHome, startDaemon } from '../support/daemon.ts';
import { begin, conversation, historyIn, statsIn } from '../support/talk.ts';

afterEach(cleanUp);

const heuristic = { initialize: { initializationOptions: { estimator: 'heuristic' } } };

const start = (home?: string): Promise<Daemon> => startDaemon({ ...heuristic, ...(home && { home }) });

describe('kill -9', () => {
	it('kill -9 during a compaction leaves the old history or the new one, which can be undone', async () => {
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

	it('kill -9 after a compaction was answered keeps it and its undo', async () => {
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
