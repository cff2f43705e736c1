/** Whether a history still fits the window of its agent's model once a step is undone. */

import { Failure } from '../../core/failure.ts';
import { pluginAgentOf } from '../../core/transcript/plugins.ts';
import type { ClientContext } from '../clientContext.ts';
import type { Session } from '../session.ts';
import { contextUsageOf } from '../stats.ts';
import { undo } from '../steps.ts';
import { scratchCopy } from './preview.ts';

/**
 * Fails with `ContextBudgetExceeded` where a session that an agent's plugin feeds would hold more than the window after
 * an undo: the agent would be refused at its next request, and nothing it could do about it. O(rows).
 */
export async function refuseTooLargeUndo(
	session: Session,
	client: ClientContext,
	compactionId?: string,
): Promise<void> {
	if (!pluginAgentOf(session.id)) return;
	const after = scratchCopy(session);
	await undo(after, client, compactionId);
	const { reading, budget } = await contextUsageOf(after, client);
	if (reading.tokens <= budget.contextWindow) return;
	throw new Failure(
		'ContextBudgetExceeded',
		`undone, the history would have about ${reading.tokens} tokens, and the window has ${budget.contextWindow}: nothing was changed; recall still finds what was removed`,
		{
			sessionId: session.id,
			estimated: reading.tokens,
			available: budget.contextWindow,
			breakdown: reading.breakdown,
		},
	);
}
