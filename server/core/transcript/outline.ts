/** What a transcript amounts to, entry by entry; the texts only of what is not stored yet. */

import type { ChatMessage, IdentifiedMessage, Usage } from '../../protocol/conversation.ts';
import { plainText } from '../format/wire/content.ts';
import type { TranscriptEvent, TranscriptInfo } from './reading/events.ts';

export interface OutlineMessage {
	t: 'message';
	id: string;
	/** Absent once it is stored. */
	message?: IdentifiedMessage;
	/** Of its role, content and calls, once it was needed. */
	digest?: string;
	/** The row that it is stored in. */
	rowId?: string;
	usage?: Usage;
	stopReason?: string;
	isAnswer: boolean;
}

export type OutlineCompaction = Extract<TranscriptEvent, { t: 'compaction' }> & { key?: string };

export type OutlineEntry = OutlineMessage | OutlineCompaction;

export interface Outline {
	entries: OutlineEntry[];
	/** Where each message id stands in `entries`. */
	positions: Map<string, number>;
	info: TranscriptInfo;
	/** The first prompt, where the transcript gives no title. */
	prompt?: string;
	/** How often each type of record was left out. */
	skipped: Map<string, number>;
	/** Entries before this one are as they were when it was last set. */
	unchanged: number;
	/** What is known of entries that were passed over; absent where none were. */
	passed?: PassedOver;
	/** The largest prompt that was answered in what was rewound and is stored nowhere. Tokens. */
	rewound?: number;
}

/** What the figures told of entries that are no more there. Tokens. */
export interface PassedFigures {
	/** The largest prompt that was answered. */
	answered: number;
	/** What requests hold beside the messages, where a figure told it. */
	standing?: number;
}

/** What is left of entries that were passed over. */
export interface PassedOver extends PassedFigures {
	standing: number;
	/** So many of the first entries stood elsewhere: to go back to one of them needs what was passed over. */
	until: number;
}

export function emptyOutline(): Outline {
	return { entries: [], positions: new Map(), info: {}, skipped: new Map(), unchanged: 0 };
}

/** Counts a record that was left out. */
export function countSkipped(outline: Outline, type: string, times = 1): void {
	outline.skipped.set(type, (outline.skipped.get(type) ?? 0) + times);
}

/** How many entries a rewind to that message leaves; undefined where there is no such message. */
export function entriesUpTo(outline: Outline, messageId: string | null): number | undefined {
	if (messageId === null) return 0;
	const index = outline.positions.get(messageId);
	return index === undefined ? undefined : index + 1;
}

/** What to call the session: the title it was given, else the first line that a person typed. */
export function titleOf({ info, prompt }: Outline): string | undefined {
	return info.title ?? prompt;
}

/** Takes an event into the outline, in place; each costs the same however long the transcript is. */
export function takeEvent(outline: Outline, event: TranscriptEvent): void {
	const { entries, positions } = outline;
	switch (event.t) {
		case 'message':
			outline.prompt ??= promptTitle(event.message);
			positions.set(event.message.id, entries.length);
			entries.push(outlined(event.message));
			return;
		case 'compaction':
			for (const { id } of event.replacement) positions.set(id, entries.length);
			entries.push({ ...event });
			return;
		case 'replace':
			change(outline, event.messageId, () => outlined(event.message), event.message);
			return;
		case 'usage':
			change(outline, event.messageId, (entry) => ({
				...entry,
				usage: event.usage,
				...(event.stopReason !== undefined && { stopReason: event.stopReason }),
			}));
			return;
		case 'rewind':
			cut(outline, entriesUpTo(outline, event.toMessageId));
			return;
		case 'info':
			// Where the session was started: later ones are where its commands went.
			Object.assign(outline.info, event.info, { cwd: outline.info.cwd ?? event.info.cwd });
			return;
		case 'skipped':
			countSkipped(outline, event.type);
	}
}

/** A line that is wrapped as a whole. */
const wrapped = /^<(\w+)(?:[^\w>][^>]*)?>(.*)<\/\1>$/;
/** Code points of a title that is taken from a prompt. */
const longestTitle = 80;

/** The first line of a message that a person typed; undefined of any other message. */
function promptTitle(message: ChatMessage): string | undefined {
	if (message.role !== 'user' || message.metadata?.injected === true) return undefined;
	const lines = plainText(message.content).slice(0, 2000).split('\n');
	const said = lines.map((one) => one.trim()).filter((one) => one !== '' && !/^<[^>]*>$/.test(one));
	// What stands in a wrapper of the agent's own is meant where there is nothing else.
	const line = said.find((one) => !wrapped.test(one)) ?? said.map((one) => wrapped.exec(one)?.[2])[0];
	if (line === undefined) return undefined;
	const characters = [...line];
	return characters.length > longestTitle ? `${characters.slice(0, longestTitle - 1).join('')}…` : line;
}

function outlined(message: IdentifiedMessage): OutlineMessage {
	const { id, usage, stopReason, role } = message;
	return {
		t: 'message',
		id,
		message,
		isAnswer: role === 'assistant',
		...(usage && { usage }),
		...(stopReason !== undefined && { stopReason }),
	};
}

function change(
	outline: Outline,
	id: string,
	changed: (entry: OutlineMessage) => OutlineMessage,
	message?: IdentifiedMessage,
): void {
	const index = outline.positions.get(id);
	const entry = outline.entries[index ?? -1];
	if (index === undefined || entry === undefined) return;
	if (entry.t === 'message') outline.entries[index] = changed(entry);
	else if (message === undefined) return;
	else {
		const replacement = entry.replacement.map((one) => (one.id === id ? message : one));
		outline.entries[index] = { ...entry, replacement, key: undefined };
	}
	outline.unchanged = Math.min(outline.unchanged, index);
}

function cut(outline: Outline, count: number | undefined): void {
	if (count === undefined) return;
	for (const entry of outline.entries.splice(count)) {
		const gone = entry.t === 'message' ? [entry.id] : entry.replacement.map(({ id }) => id);
		for (const id of gone) outline.positions.delete(id);
	}
	outline.unchanged = Math.min(outline.unchanged, count);
}
