/** Derives what a compaction changed from a session's full history. */

import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';

/** Returns the id of the compaction that hides a message. */
function getHidingStepId(message: ChatMessage): string | undefined {
	return message.condenseParent ?? message.truncationParent;
}

/** Returns whether a rewind or rollback removed a message. */
function isRemovedByRewind(message: ChatMessage): boolean {
	return message.metadata?.cutBy !== undefined;
}

/** Returns whether a message is in the history that the model sees. */
export function isVisibleMessage(message: ChatMessage): boolean {
	return !isRemovedByRewind(message) && getHidingStepId(message) === undefined;
}

/**
 * Returns the history before and after a compaction. A message that a later compaction changed appears in its original
 * form on both sides, because the version in between is unknown.
 * @param laterIds ids of the later compactions
 */
export function computeDiffSides(
	fullHistory: readonly ChatMessage[],
	compactionId: string,
	laterIds: readonly string[],
): { before: ChatMessage[]; after: ChatMessage[] } {
	const selectSide = (revertedSteps: ReadonlySet<string | undefined>): ChatMessage[] =>
		fullHistory.filter(
			(message) =>
				!isRemovedByRewind(message) &&
				!revertedSteps.has(message.condenseId ?? message.truncationId) &&
				(getHidingStepId(message) === undefined || revertedSteps.has(getHidingStepId(message))),
		);
	return { before: selectSide(new Set([compactionId, ...laterIds])), after: selectSide(new Set(laterIds)) };
}

type PlannedCompaction = Pick<CompactResult, 'removed' | 'messages'>;

/**
 * Returns the history after a planned compaction. Missing message ids are filled in from the present history. Messages
 * that the compaction would create get no id, because they cannot be opened yet.
 */
export function predictHistory(before: readonly ChatMessage[], plan: PlannedCompaction): ChatMessage[] {
	const removedIds = new Set(
		plan.removed
			.filter(({ stage, change }) => change === 'hidden' || stage === 'summarize')
			.map(({ messageId }) => messageId),
	);
	const remaining = before.filter(({ id = '' }) => !removedIds.has(id));
	const remainingIds = new Set(remaining.map(({ id }) => id));
	let nextIndex = 0;
	return (plan.messages as ChatMessage[]).map((message) => {
		if (message.id !== undefined && !remainingIds.has(message.id)) return { ...message, id: undefined };
		const original = remaining[nextIndex++];
		return { ...message, id: message.id ?? original?.id };
	});
}
