/** What a past compaction changed, derived from a session's full history. */

import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';

export type Receipt = Pick<CompactResult, 'removed'>;

/** Returns the id of the compaction that created a message. */
function madeBy(message: ChatMessage): string | undefined {
	return message.condenseId ?? message.truncationId;
}

/** Returns the id of the compaction that hides a message. */
function hiddenBy(message: ChatMessage): string | undefined {
	return message.condenseParent ?? message.truncationParent;
}

function isCutOff(message: ChatMessage): boolean {
	return message.metadata?.cutBy !== undefined;
}

/** Returns the messages that are sent to the model. */
export function visibleMessagesOf(full: readonly ChatMessage[]): ChatMessage[] {
	return full.filter((message) => !isCutOff(message) && hiddenBy(message) === undefined);
}

/**
 * Returns the history before and after a compaction, as far as it is still known: if a later compaction changed a message,
 * its original is shown.
 *
 * @param later ids of the later compactions
 */
export function diffSidesOf(
	full: readonly ChatMessage[],
	compactionId: string,
	later: readonly string[],
): { before: ChatMessage[]; after: ChatMessage[] } {
	const sides = (steps: ReadonlySet<string | undefined>): ChatMessage[] =>
		full.filter(
			(message) =>
				!isCutOff(message) &&
				!steps.has(madeBy(message)) &&
				(hiddenBy(message) === undefined || steps.has(hiddenBy(message))),
		);
	return { before: sides(new Set([compactionId, ...later])), after: sides(new Set(later)) };
}

type Plan = Pick<CompactResult, 'removed' | 'messages'>;

/**
 * Returns the history that a compaction would leave. Its messages come in the client's form, which may lack ids:
 * these are filled in from the present history. Ids of messages that the compaction would create are removed, because
 * such messages cannot be opened.
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
