/** What a compaction of the past did, out of a session's full history. */

import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';

export type Receipt = Pick<CompactResult, 'removed'>;

/** The id of the compaction that made a message. */
function madeBy(message: ChatMessage): string | undefined {
	return message.condenseId ?? message.truncationId;
}

/** The id of the compaction that a message is hidden behind. */
function hiddenBy(message: ChatMessage): string | undefined {
	return message.condenseParent ?? message.truncationParent;
}

function isCutOff(message: ChatMessage): boolean {
	return message.metadata?.cutBy !== undefined;
}

/** The messages that are sent to the model. */
export function visibleOf(full: readonly ChatMessage[]): ChatMessage[] {
	return full.filter((message) => !isCutOff(message) && hiddenBy(message) === undefined);
}

/** The messages that a compaction changed where they stand: those that its receipt names and that are visible. */
export function changedInPlace(visible: readonly ChatMessage[], receipt: Receipt): string[] {
	const named = new Set(receipt.removed.map(({ messageId }) => messageId));
	return visible.flatMap(({ id }) => (id !== undefined && named.has(id) ? [id] : []));
}

/** The history before and after a compaction; what was changed where it stands looks the same on both sides. */
export function sidesOf(
	full: readonly ChatMessage[],
	compactionId: string,
): { before: ChatMessage[]; after: ChatMessage[] } {
	const live = full.filter((message) => !isCutOff(message));
	return {
		before: live.filter(
			(message) =>
				madeBy(message) !== compactionId &&
				(hiddenBy(message) === undefined || hiddenBy(message) === compactionId),
		),
		after: visibleOf(full),
	};
}

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
