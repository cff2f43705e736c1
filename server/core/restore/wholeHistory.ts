/**
 * Collects everything that a transcript ever contained, in order, including messages removed by a compaction, a rewind
 * or pruning.
 */

import type { ChatMessage, IdentifiedMessage, Usage } from '../../protocol/conversation.ts';
import { pickDefined } from '../shape.ts';
import { extractPromptTitle, type TranscriptEvent, type TranscriptInfo } from '../transcript/index.ts';

/** Stores texts by number, in memory or in a scratch file. */
export interface TextStore {
	set(key: number, text: string): unknown;
	get(key: number): string | undefined;
}

/** A message, and its other versions if they have text that the message does not contain. */
export interface WholeMessage {
	t: 'message';
	/** The first version of the message, or a later one that only extended it. */
	message: IdentifiedMessage;
	otherVersions: IdentifiedMessage[];
	/** False if a rewind removed the message. */
	isCurrent: boolean;
}

/** A point at which the agent compacted; the messages before it remain in the history. */
export interface WholeCompaction {
	t: 'compaction';
	/** Messages that replaced the removed ones, beginning with the agent's summary. */
	replacement: IdentifiedMessage[];
	/** Tokens, if the agent recorded them. */
	tokensBefore?: number;
	/** What triggered the compaction, in the agent's words, such as "auto" or "manual". */
	trigger?: string;
	isCurrent: boolean;
}

export type WholeEntry = WholeMessage | WholeCompaction;

/** Counts of the entries by kind. */
export interface WholeCounts {
	messages: number;
	compactions: number;
	/** Number of messages that a rewind removed. */
	abandoned: number;
}

/** Times of the first and the last message, in milliseconds since the epoch. */
export interface WholeTimes {
	first: number;
	last: number;
}

interface MessageSlot {
	t: 'message';
	id: string;
	/** Keys of the stored versions, oldest first. */
	versions: number[];
	usage?: Usage;
	stopReason?: string;
	isCurrent: boolean;
}

interface CompactionSlot extends Omit<WholeCompaction, 'replacement'> {
	/** Keys of the replacement's messages, by their ids. */
	replacement: Map<string, number>;
}

type Slot = MessageSlot | CompactionSlot;

/** The newest message. It is stored later than the others, because agents often replace it while it grows. */
interface PendingMessage {
	slot: MessageSlot;
	message: IdentifiedMessage;
}

/**
 * Collects the events of a transcript and never drops a text.
 *
 * A changed message keeps each version whose text the newest version lacks. Messages that a rewind removed stay in order,
 * marked, and move to the end if they return. Texts are stored separately, so memory is a few numbers per message.
 */
export class WholeHistory {
	readonly info: TranscriptInfo = {};
	/** When the first and the last message were written; undefined if no message has a time. */
	times: WholeTimes | undefined;
	readonly #texts: TextStore;
	/** The entries in order; undefined for an entry that moved to a later position. */
	readonly #slots: (Slot | undefined)[] = [];
	/** Index in `#slots` by message id; messages of a compaction have the compaction's index. */
	readonly #indexes = new Map<string, number>();
	/** Indexes of the current entries, in order. */
	readonly #currentIndexes: number[] = [];
	#pending: PendingMessage | undefined;
	#prompt: string | undefined;
	#nextKey = 0;

	/** @param texts stores the texts; by default in memory */
	constructor(texts: TextStore = new Map()) {
		this.#texts = texts;
	}

	/** The session's title, or the first line that a person typed. */
	get title(): string | undefined {
		return this.info.title ?? this.#prompt;
	}

	/** Applies the next event. Constant time; a rewind takes O(removed entries). */
	apply(event: TranscriptEvent): void {
		switch (event.t) {
			case 'message':
				this.#prompt ??= extractPromptTitle(event.message);
				this.#addMessage(event.message);
				break;
			case 'compaction':
				this.#addCompaction(event);
				break;
			case 'replace':
				this.#replace(event.messageId, event.message);
				break;
			case 'usage':
				this.#addUsage(event);
				break;
			case 'rewind':
				this.#rewind(event.toMessageId);
				break;
			case 'info':
				Object.assign(this.info, event.info, { cwd: this.info.cwd ?? event.info.cwd });
		}
	}

	/** Counts the entries. O(entries). */
	countEntries(): WholeCounts {
		const counts: WholeCounts = { messages: 0, compactions: 0, abandoned: 0 };
		for (const slot of this.#slots) {
			if (slot?.t === 'compaction') counts.compactions++;
			else if (slot !== undefined) {
				counts.messages++;
				if (!slot.isCurrent) counts.abandoned++;
			}
		}
		return counts;
	}

	/** Yields the kind of each entry, in order, without its texts. */
	*listOutline(): Generator<Pick<WholeEntry, 't' | 'isCurrent'>> {
		for (const slot of this.#slots) if (slot !== undefined) yield slot;
	}

	/** Yields all entries in order, with one message in memory at a time. */
	*listEntries(): Generator<WholeEntry> {
		this.#storePending();
		for (const slot of this.#slots) {
			if (slot?.t === 'message') yield this.#loadMessage(slot);
			else if (slot !== undefined) {
				const replacement = Array.from(slot.replacement.values(), (key) => this.#loadVersion(key));
				yield { ...slot, replacement };
			}
		}
	}

	#addMessage(message: IdentifiedMessage): void {
		const { timestamp } = message;
		if (timestamp !== undefined) this.times = { first: this.times?.first ?? timestamp, last: timestamp };
		const abandonedSlot = this.#removeAbandoned(message.id);
		const slot: MessageSlot = { t: 'message', id: message.id, versions: [], isCurrent: true };
		this.#addSlot(slot, [message.id]);
		if (abandonedSlot !== undefined) {
			slot.versions = abandonedSlot.versions;
			this.#addVersion(slot, message);
			return;
		}
		this.#storePending();
		this.#pending = { slot, message };
	}

	#addCompaction({
		replacement,
		tokensBefore,
		trigger,
	}: Extract<TranscriptEvent, { t: 'compaction' }>): void {
		const keys = new Map(replacement.map((message) => [message.id, this.#storeMessage(message)]));
		const slot = pickDefined({ t: 'compaction' as const, tokensBefore, trigger, isCurrent: true });
		this.#addSlot({ ...slot, replacement: keys }, [...keys.keys()]);
	}

	#addSlot(slot: Slot, ids: readonly string[]): void {
		for (const id of ids) this.#indexes.set(id, this.#slots.length);
		this.#currentIndexes.push(this.#slots.length);
		this.#slots.push(slot);
	}

	/** Clears the old slot of a message that returns after a rewind, and returns it; undefined if no rewind removed it. */
	#removeAbandoned(id: string): MessageSlot | undefined {
		const index = this.#indexes.get(id) ?? -1;
		const slot = this.#slots[index];
		if (slot?.t !== 'message' || slot.isCurrent) return undefined;
		if (this.#pending?.slot === slot) this.#storePending();
		this.#slots[index] = undefined;
		return slot;
	}

	#replace(id: string, message: IdentifiedMessage): void {
		const slot = this.#slots[this.#indexes.get(id) ?? -1];
		if (slot === undefined) return;
		if (slot.t === 'compaction') {
			slot.replacement.set(id, this.#storeMessage(message));
			return;
		}
		if (this.#pending?.slot === slot && containsMessage(message, this.#pending.message)) {
			this.#pending.message = message;
			return;
		}
		if (this.#pending?.slot === slot) this.#storePending();
		this.#addVersion(slot, message);
	}

	/** Adds a version unless a stored version contains its text. Drops versions whose text the new one contains. */
	#addVersion(slot: MessageSlot, message: IdentifiedMessage): void {
		const versions = slot.versions.map((key) => ({ key, version: this.#loadVersion(key) }));
		const { usage, stopReason } = message;
		Object.assign(slot, pickDefined({ usage, stopReason }));
		if (versions.some(({ version }) => containsMessage(version, message))) return;
		const newKey = this.#storeMessage(message);
		const first = versions.findIndex(({ version }) => containsMessage(message, version));
		const others = versions.flatMap((one, index) => {
			if (index === first) return newKey;
			return containsMessage(message, one.version) ? [] : one.key;
		});
		slot.versions = first < 0 ? [...others, newKey] : others;
	}

	#addUsage({ messageId, usage, stopReason }: Extract<TranscriptEvent, { t: 'usage' }>): void {
		const slot = this.#slots[this.#indexes.get(messageId) ?? -1];
		if (slot?.t === 'message') Object.assign(slot, pickDefined({ usage, stopReason }));
	}

	#rewind(toMessageId: string | null): void {
		const target = toMessageId === null ? -1 : this.#indexes.get(toMessageId);
		if (target === undefined || (target >= 0 && this.#slots[target]?.isCurrent !== true)) return;
		while ((this.#currentIndexes.at(-1) ?? -1) > target) {
			const slot = this.#slots[this.#currentIndexes.pop() ?? -1];
			if (slot !== undefined) slot.isCurrent = false;
		}
	}

	#storePending(): void {
		if (this.#pending === undefined) return;
		const { slot, message } = this.#pending;
		this.#pending = undefined;
		slot.versions = [this.#storeMessage(message)];
	}

	#storeMessage(message: IdentifiedMessage): number {
		this.#texts.set(this.#nextKey, JSON.stringify(message));
		return this.#nextKey++;
	}

	#loadVersion(key: number): IdentifiedMessage {
		return JSON.parse(this.#texts.get(key) ?? 'null') as IdentifiedMessage;
	}

	#loadMessage({ versions, usage, stopReason, isCurrent }: MessageSlot): WholeMessage {
		const [first, ...others] = versions.map((key) => this.#loadVersion(key));
		if (first === undefined) throw new TypeError('a message of a whole history has no version');
		const message = { ...first, ...pickDefined({ usage, stopReason }) };
		return { t: 'message', message, otherVersions: others, isCurrent };
	}
}

/** Returns all strings in a message's content and in the arguments of its calls. */
function collectTexts({ content, toolCalls }: ChatMessage): string[] {
	const texts: string[] = [];
	const pending: unknown[] = [content, toolCalls ?? []];
	while (pending.length > 0) {
		const value = pending.pop();
		if (typeof value === 'string') texts.push(value);
		else if (typeof value === 'object' && value !== null)
			for (const one of Object.values(value)) pending.push(one);
	}
	return texts;
}

/** Whether each text of `part` equals a text of `whole` or is the start of one. */
export function containsMessage(whole: ChatMessage, part: ChatMessage): boolean {
	const texts = collectTexts(whole);
	const textSet = new Set(texts);
	return collectTexts(part).every((text) => textSet.has(text) || texts.some((one) => one.startsWith(text)));
}
