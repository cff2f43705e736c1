/** Tags that a client sends along and that lead nowhere here: what is hidden behind what is worked out, never taken. */

import { liveSteps, type State } from '../core/history/state.ts';
import type { ChatMessage } from '../protocol/conversation.ts';

function parentsOf(raw: unknown): string[] {
	if (typeof raw !== 'object' || raw === null) return [];
	const { condenseParent, truncationParent } = raw as Pick<
		ChatMessage,
		'condenseParent' | 'truncationParent'
	>;
	return [condenseParent, truncationParent].filter((parent) => typeof parent === 'string');
}

/** How many of some messages say that they are hidden behind what is no compaction in force. O(messages). */
export function danglingTags(messages: readonly unknown[], state: State): number {
	const tagged = messages.map(parentsOf).filter((parents) => parents.length > 0);
	if (tagged.length === 0) return 0;
	const known = new Set(liveSteps(state).map(({ id }) => id));
	return tagged.filter((parents) => parents.some((parent) => !known.has(parent))).length;
}
