/** The history that a planned compaction would leave, each message of it with the id to open it by. */

import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';

type Plan = Pick<CompactResult, 'removed' | 'messages'>;

/**
 * Messages come back as their client gave them, perhaps without an id: the history now knows them all. An id that it
 * does not know is of what the compaction would make, which is nowhere yet to be opened.
 */
export function plannedHistory(before: readonly ChatMessage[], plan: Plan): ChatMessage[] {
	const gone = new Set(
		plan.removed
			.filter(({ stage, change }) => change === 'hidden' || stage === 'summarize')
			.map(({ messageId }) => messageId),
	);
	const staying = before.filter(({ id = '' }) => !gone.has(id));
	const known = new Set(staying.map(({ id }) => id));
	let next = 0;
	return (plan.messages as ChatMessage[]).map((message) => {
		if (message.id !== undefined && !known.has(message.id)) return { ...message, id: undefined };
		const own = staying[next++];
		return { ...message, id: message.id ?? own?.id };
	});
}
