import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { compareDocuments, type TranscriptEvent } from './events.ts';

/** Events of records that may still change after they were read; one group per record. */
export interface EventGroups {
	readonly length: number;
	/** Sets the group at an index, or appends one at the end. */
	put(place: number, events: readonly TranscriptEvent[]): TranscriptEvent[];
	/** Inserts a group at an index. */
	insert(place: number, events: readonly TranscriptEvent[]): TranscriptEvent[];
	/** Removes all groups after the first `count`. */
	truncate(count: number): TranscriptEvent[];
	/** Returns the current messages of all groups. */
	listMessages(): IdentifiedMessage[];
}

export function createEventGroups(): EventGroups {
	const groups: TranscriptEvent[][] = [];

	const lastIdBefore = (place: number): string | null => {
		for (let index = place - 1; index >= 0; index--) {
			const id = findLastId(groups[index] ?? []);
			if (id !== null) return id;
		}
		return null;
	};
	/** Rewinds to before an index, then repeats the events of all groups from there on. */
	const repeatFrom = (place: number): TranscriptEvent[] => [
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
			const changes = compareDocuments(before, events);
			groups[place] = [...events];
			if (changes.every(({ t }) => t === 'replace' || t === 'skipped')) return changes;
			if (place < groups.length - 1) return repeatFrom(place);
			return changes.map((change) =>
				change.t === 'rewind' && change.toMessageId === null
					? { t: 'rewind', toMessageId: lastIdBefore(place) }
					: change,
			);
		},
		insert(place, events) {
			if (place >= groups.length) return this.put(groups.length, events);
			groups.splice(place, 0, [...events]);
			return repeatFrom(place);
		},
		truncate(count) {
			const gone = groups.splice(count).some((group) => findLastId(group) !== null);
			return gone ? [{ t: 'rewind', toMessageId: lastIdBefore(groups.length) }] : [];
		},
		listMessages: () => groups.flat().flatMap((event) => (event.t === 'message' ? [event.message] : [])),
	};
}

function findLastId(events: readonly TranscriptEvent[]): string | null {
	const last = events.findLast((event) => event.t === 'message' || event.t === 'compaction');
	if (last?.t === 'message') return last.message.id;
	return last?.t === 'compaction' ? (last.replacement.at(-1)?.id ?? null) : null;
}
