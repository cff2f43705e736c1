import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { compareDocuments, type TranscriptEvent } from './events.ts';

/** Events of records that may still change after they were read; one group per record. */
export interface EventGroups {
	readonly length: number;
	/** Sets the group at an index, or appends one at the end. */
	put(position: number, events: readonly TranscriptEvent[]): TranscriptEvent[];
	/** Inserts a group at an index. */
	insert(position: number, events: readonly TranscriptEvent[]): TranscriptEvent[];
	/** Removes all groups after the first `count`. */
	truncate(count: number): TranscriptEvent[];
	/** Returns the current messages of all groups. */
	listMessages(): IdentifiedMessage[];
}

export function createEventGroups(): EventGroups {
	const groups: TranscriptEvent[][] = [];

	const findLastIdBefore = (position: number): string | null => {
		for (let index = position - 1; index >= 0; index--) {
			const id = findLastId(groups[index] ?? []);
			if (id !== null) return id;
		}
		return null;
	};
	/** Rewinds to the start of the group at an index, then repeats the events of that group and all later ones. */
	const repeatFrom = (position: number): TranscriptEvent[] => [
		{ t: 'rewind', toMessageId: findLastIdBefore(position) },
		...groups.slice(position).flatMap((group) => group.filter(({ t }) => t !== 'skipped')),
	];

	return {
		get length() {
			return groups.length;
		},
		put(position, events) {
			const before = groups[position];
			if (before === undefined) {
				groups.push([...events]);
				return [...events];
			}
			const changes = compareDocuments(before, events);
			groups[position] = [...events];
			if (changes.every(({ t }) => t === 'replace' || t === 'skipped')) return changes;
			if (position < groups.length - 1) return repeatFrom(position);
			return changes.map((change) =>
				change.t === 'rewind' && change.toMessageId === null
					? { t: 'rewind', toMessageId: findLastIdBefore(position) }
					: change,
			);
		},
		insert(position, events) {
			if (position >= groups.length) return this.put(groups.length, events);
			groups.splice(position, 0, [...events]);
			return repeatFrom(position);
		},
		truncate(count) {
			const hasRemoved = groups.splice(count).some((group) => findLastId(group) !== null);
			return hasRemoved ? [{ t: 'rewind', toMessageId: findLastIdBefore(groups.length) }] : [];
		},
		listMessages: () => groups.flat().flatMap((event) => (event.t === 'message' ? [event.message] : [])),
	};
}

function findLastId(events: readonly TranscriptEvent[]): string | null {
	const last = events.findLast((event) => event.t === 'message' || event.t === 'compaction');
	if (last?.t === 'message') return last.message.id;
	return last?.t === 'compaction' ? (last.replacement.at(-1)?.id ?? null) : null;
}
