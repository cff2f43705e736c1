import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { documentChanges } from './document.ts';
import type { TranscriptEvent } from './events.ts';

/** The events of records that may still change after they were read: one group of events a record. */
export interface EventGroups {
	readonly length: number;
	/** The group at that place (or one more at the end) now reads so. */
	put(place: number, events: readonly TranscriptEvent[]): TranscriptEvent[];
	/** One more group before the one at that place. */
	insert(place: number, events: readonly TranscriptEvent[]): TranscriptEvent[];
	/** Only so many groups are left. */
	cut(count: number): TranscriptEvent[];
	/** The messages of all groups, as they read now. */
	messages(): IdentifiedMessage[];
}

export function eventGroups(): EventGroups {
	const groups: TranscriptEvent[][] = [];

	const lastIdBefore = (place: number): string | null => {
		for (let index = place - 1; index >= 0; index--) {
			const id = lastIdOf(groups[index] ?? []);
			if (id !== null) return id;
		}
		return null;
	};
	/** The groups from that place on once more, after what stood there has left. */
	const again = (place: number): TranscriptEvent[] => [
		{ t: 'rewind', toMessageId: lastIdBefore(place) },
		...groups.slice(place).flatMap((group) => group.filter(({ t }) => t !== 'skipped')),
	];

	return {
		get length() {
			return groups.length;
		},
		put(place, events) {
			const before = groups[place];
			if (before === undefined) {
				groups.push([...events]);
				return [...events];
			}
			const changes = documentChanges(before, events);
			groups[place] = [...events];
			if (changes.every(({ t }) => t === 'replace' || t === 'skipped')) return changes;
			if (place < groups.length - 1) return again(place);
			return changes.map((change) =>
				change.t === 'rewind' && change.toMessageId === null
					? { t: 'rewind', toMessageId: lastIdBefore(place) }
					: change,
			);
		},
		insert(place, events) {
			if (place >= groups.length) return this.put(groups.length, events);
			groups.splice(place, 0, [...events]);
			return again(place);
		},
		cut(count) {
			const gone = groups.splice(count).some((group) => lastIdOf(group) !== null);
			return gone ? [{ t: 'rewind', toMessageId: lastIdBefore(groups.length) }] : [];
		},
		messages: () => groups.flat().flatMap((event) => (event.t === 'message' ? [event.message] : [])),
	};
}

function lastIdOf(events: readonly TranscriptEvent[]): string | null {
	const last = events.findLast((event) => event.t === 'message' || event.t === 'compaction');
	if (last?.t === 'message') return last.message.id;
	return last?.t === 'compaction' ? (last.replacement.at(-1)?.id ?? null) : null;
}
