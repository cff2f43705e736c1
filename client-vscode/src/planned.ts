/** The history that a planned compaction would leave, from what it tells of itself. */

import type { CompactResult } from '../../server/protocol/compact.ts';
import { tokensText } from './figures.ts';
import type { ChatMessage } from './message.ts';

type Plan = Pick<CompactResult, 'removed' | 'summary'>;

/** The summary, where the first message stood that it replaces. */
function summaryOf({ summary }: Plan): ChatMessage[] {
	return summary ? [{ role: 'user', content: summary.text, metadata: { isSummary: true } }] : [];
}

/**
 * The history afterwards: the summary stands where the first message was that goes into it, hidden messages are
 * gone, and of what would be shortened it is told by how much.
 */
export function plannedHistory(before: readonly ChatMessage[], plan: Plan): ChatMessage[] {
	const changes = new Map(plan.removed.map((one) => [one.messageId, one]));
	const firstReplaced = before.findIndex(({ id }) => changes.get(id ?? '')?.stage === 'summarize');
	return before.flatMap((message, index) => {
		const lead = index === firstReplaced ? summaryOf(plan) : [];
		const change = changes.get(message.id ?? '');
		if (!change) return [...lead, message];
		const stays = change.change === 'shortened' || change.stage === 'deduplicate';
		if (!stays) return lead;
		const why = change.stage === 'deduplicate' ? 'read again later' : 'shortened';
		return [...lead, { ...message, content: `(${why}: ${tokensText(change.tokens)} tokens less)` }];
	});
}
