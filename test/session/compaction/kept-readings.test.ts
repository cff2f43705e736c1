/** What compactions read of messages is kept with the session: it changes what they cost, and nothing that they do. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { appendMessages } from '../../../server/session/append.ts';
import type { Session } from '../../../server/session/session.ts';
import { undo } from '../../../server/session/steps.ts';
import { sessionOfWork } from '../../bench/sessionOfWork.ts';
import { soakFactor } from '../../support/soak.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

/** What a compaction to a share of the history leaves and tells, without the ids that it gives; then it is undone. */
async function outcomeOf(session: Session, share: number): Promise<string> {
	const tokens = session.state.view.reduce((sum, { row }) => sum + row.counts.text + row.counts.calls, 0);
	const result = await compactNow(session, { targetTokens: Math.floor(tokens * share) });
	const told = JSON.stringify([result, await historyOf(session)]);
	if (result.compactionId !== undefined) await undo(session, session.client);
	return told.replaceAll(/\bid-\d+/g, 'id');
}

const messages = sessionOfWork(240);

it('a session that was compacted and undone again and again compacts as one that never was', async () => {
	const visit = fc.record({
		more: fc.integer({ min: 1, max: 80 }),
		share: fc.constantFrom(0.1, 0.25, 0.5, 0.8),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(visit, { minLength: 2, maxLength: 5 }), async (visits) => {
			const kept = await sessionWith(testWorld(), []);
			let length = 0;
			for (const { more, share } of visits) {
				await appendMessages(kept, messages.slice(length, length + more), 'contextd', {
					client: kept.client,
				});
				length = Math.min(messages.length, length + more);
				const fresh = await sessionWith(testWorld(), messages.slice(0, length));
				expect(await outcomeOf(kept, share)).toBe(await outcomeOf(fresh, share));
			}
			expect(kept.readings.reading?.known.size ?? 0).toBeLessThanOrEqual(length);
		}),
		{ numRuns: 5 * soakFactor },
	);
});
