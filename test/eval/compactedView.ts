/** Views that contextd's compactions make of a history. */

import type { ChatMessage, IdentifiedMessage } from '../../server/protocol/conversation.ts';
import { readStats } from '../../server/session/stats.ts';
import { previewNow, sessionWith, testWorld } from '../support/world.ts';

/** Compacts a history of one session to several sizes, each time from the start. */
export interface Compactor {
	/** Tokens of the whole history. */
	tokens: number;
	/** Returns the messages for the model after a compaction to `targetTokens` with default settings. */
	viewOf(targetTokens: number): Promise<ChatMessage[]>;
}

/**
 * Returns a compactor for a history. Estimates tokens by the calibrated counter, which needs no rank tables and therefore
 * gives the same figures on every machine.
 */
export async function createCompactor(
	history: readonly IdentifiedMessage[],
	{ provider, model }: { provider?: string; model?: string } = {},
): Promise<Compactor> {
	const world = testWorld();
	world.configure({ estimator: 'calibrated' });
	const session = await sessionWith(world, history, { provider, model });
	const stats = await readStats(session, session.client);
	if (!stats) throw new Error('expected a session with messages');
	return {
		tokens: stats.breakdown.conversationHistory,
		viewOf: async (targetTokens) => (await previewNow(session, { targetTokens })).after,
	};
}
