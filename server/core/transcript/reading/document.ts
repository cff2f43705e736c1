import type { TranscriptEvent } from './events.ts';

/**
 * Returns the changes from an earlier reading of a document to a later one: new events, a replacement
 * for a message that changed in place, a rewind where the readings diverge.
 */
export function documentChanges(
	before: readonly TranscriptEvent[],
	after: readonly TranscriptEvent[],
): TranscriptEvent[] {
	const changes: TranscriptEvent[] = [];
	let last: string | null = null;
	for (const [index, event] of after.entries()) {
		const old = before[index];
		if (old === undefined) return [...changes, ...after.slice(index)];
		if (JSON.stringify(old) !== JSON.stringify(event)) {
			if (event.t === 'message' && old.t === 'message' && old.message.id === event.message.id) {
				changes.push({ t: 'replace', messageId: event.message.id, message: event.message });
			} else return [...changes, { t: 'rewind', toMessageId: last }, ...after.slice(index)];
		}
		if (event.t === 'message') last = event.message.id;
		else if (event.t === 'compaction') last = event.replacement.at(-1)?.id ?? last;
	}
	const gone = before.slice(after.length).some(({ t }) => t === 'message' || t === 'compaction');
	if (gone) changes.push({ t: 'rewind', toMessageId: last });
	return changes;
}
