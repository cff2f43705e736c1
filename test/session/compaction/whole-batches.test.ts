import { describe, expect, it } from 'vitest';
import type { CompactionConfig } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { renderHistory } from '../../../server/session/history.ts';
import { answer, call, prose, result, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const stages: Record<string, CompactionConfig> = {
	summarize: { enablePrune: false, enableDeduplicate: false, enableTruncate: false },
	truncate: { enablePrune: false, enableDeduplicate: false, enableSummarize: false },
	'every stage': {},
};

/** Calls with their results, from calls answered one by one to three calls answered in another order. */
const batches: ChatMessage[][] = [
	[call('c1', ['k1']), result('r1', 'k1', prose(150, 1))],
	[call('c2', ['k2a', 'k2b']), result('r2a', 'k2a', prose(150, 2)), result('r2b', 'k2b', prose(150, 3))],
	[
		call('c3', ['k3a', 'k3b', 'k3c']),
		result('r3c', 'k3c', prose(90, 4)),
		result('r3a', 'k3a', prose(90, 5)),
		result('r3b', 'k3b', prose(90, 6)),
	],
	[call('c4', ['k1']), result('r4', 'k1', prose(150, 7))],
];

const messages = [
	user('task', 'the task'),
	...batches.flatMap((batch, index) => [
		...batch,
		answer(`a${index}`, prose(40, index)),
		user(`u${index}`, prose(30, index)),
	]),
	answer('end', 'done'),
	user('now', 'and now?'),
];

describe.each(Object.entries(stages))('batches under %s', (_, config) => {
	it('compaction removes a call with all its results or keeps all of them, under every target', async () => {
		const ends = new Set<string>();
		for (let target = 0; target <= 3600; target += 120) {
			const test = testWorld();
			const session = await sessionWith(test, messages);
			const order = { targetTokens: target, config: { ...config, recentCount: 2 } };
			const { compacted } = await compactNow(session, order);
			const left = new Set((await historyOf(session)).map(({ id }) => id));
			for (const batch of batches) {
				const kept = batch.filter(({ id }) => left.has(id));
				expect([0, batch.length], `target ${target}`).toContain(kept.length);
				if (compacted) ends.add(kept.length > 0 ? 'kept' : 'gone');
			}
			const { repairs } = await renderHistory(session, 'contextd');
			expect(repairs).toEqual({ orphanedCallsFixed: 0, orphanedResultsFixed: 0 });
		}
		expect([...ends].sort()).toEqual(['gone', 'kept']);
	});
});
