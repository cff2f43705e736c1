import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { compareDocuments, type TranscriptEvent } from './events.ts';

/** Events of records that may still change after they were read; one group per record. */
export class EventGroups {
	readonly #groups: TranscriptEvent[][] = [];

	get length(): number {
		return this.#groups.length;
	}

	/** Sets the group at an index, or appends one at the end. */
	put(position: number, events: readonly TranscriptEvent[]): TranscriptEvent[] {
		const previousEvents = this.#groups[position];
		if (previousEvents === undefined) {
			this.#groups.push([...events]);
			return [...events];
		}
		const changes = compareDocuments(previousEvents, events);
		this.#groups[position] = [...events];
		if (changes.every(({ t }) => t === 'replace' || t === 'skipped')) return changes;
		if (position < this.#groups.length - 1) return this.#repeatFrom(position);
		return changes.map((change) =>
			change.t === 'rewind' && change.toMessageId === null ? this.#rewindToStartOf(position) : change,
		);
	}

	/** Inserts a group at an index. */
	insert(position: number, events: readonly TranscriptEvent[]): TranscriptEvent[] {
		if (position >= this.#groups.length) return this.put(this.#groups.length, events);
		this.#groups.splice(position, 0, [...events]);
		return this.#repeatFrom(position);
	}

	/** Removes all groups after the first `count`. */
	truncate(count: number): TranscriptEvent[] {
		const hasRemoved = this.#groups.splice(count).some((group) => findLastId(group) !== null);
		return hasRemoved ? [this.#rewindToStartOf(this.#groups.length)] : [];
	}

	/** Returns the current messages of all groups. */
	listMessages(): IdentifiedMessage[] {
		return this.#groups.flat().flatMap((event) => (event.t === 'message' ? [event.message] : []));
	}

	/** Rewinds to the start of the group at an index, then repeats the events of that group and all later ones. */
	#repeatFrom(position: number): TranscriptEvent[] {
		const repeatedEvents = this.#groups.slice(position).flat();
		return [this.#rewindToStartOf(position), ...repeatedEvents.filter(({ t }) => t !== 'skipped')];
	}

	#rewindToStartOf(position: number): TranscriptEvent {
		for (let index = position - 1; index >= 0; index--) {
			const id = findLastId(this.#groups[index] ?? []);
			if (id !== null) return { t: 'rewind', toMessageId: id };
		}
		return { t: 'rewind', toMessageId: null };
	}
}

function findLastId(events: readonly TranscriptEvent[]): string | null {
	const lastEvent = events.findLast((event) => event.t === 'message' || event.t === 'compaction');
	if (lastEvent?.t === 'message') return lastEvent.message.id;
	return lastEvent?.t === 'compaction' ? (lastEvent.replacement.at(-1)?.id ?? null) : null;
}
