/** What a compaction of the past did, out of a session's full history. */

import type { ChatMessage } from './message.ts';

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

/** The messages that a compaction hid. */
export function removedBy(full: readonly ChatMessage[], compactionId: string): ChatMessage[] {
	return full.filter((message) => hiddenBy(message) === compactionId);
}

/**
 * The history before and after a compaction. Messages that were shortened in place look the same on both sides
 * once a later answer is all that is left of them; hidden ones are told in full.
 */
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
		after: live.filter((message) => hiddenBy(message) === undefined),
	};
}
