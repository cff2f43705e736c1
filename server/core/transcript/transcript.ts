import type { ChatMessage, IdentifiedMessage } from '../../protocol/conversation.ts';
import { plainText } from '../format/content.ts';
import type { TranscriptEvent, TranscriptInfo } from './events.ts';

type CompactionEvent = Extract<TranscriptEvent, { t: 'compaction' }>;
type TranscriptEntry = { t: 'message'; message: IdentifiedMessage } | CompactionEvent;

/** What a transcript amounts to so far. */
export interface Transcript {
	/** Messages and compactions in the order in which they happened, without what was rewound. */
	entries: TranscriptEntry[];
	/** Where each message id stands in `entries`. */
	positions: Map<string, number>;
	info: TranscriptInfo;
	/** How often each type of record was left out. */
	skipped: Map<string, number>;
}

export function emptyTranscript(): Transcript {
	return { entries: [], positions: new Map(), info: {}, skipped: new Map() };
}

/** Takes events into the transcript, in place; each costs the same however long the transcript is. */
export function applyEvents(transcript: Transcript, events: readonly TranscriptEvent[]): Transcript {
	for (const event of events) apply(transcript, event);
	return transcript;
}

/** Every message that was not rewound, summaries at the place where they were made. */
export function allMessages(transcript: Transcript): IdentifiedMessage[] {
	return transcript.entries.flatMap((entry) => (entry.t === 'message' ? [entry.message] : entry.replacement));
}

/** What the model saw last: what the newest compaction left, and what came since. */
export function visibleMessages(transcript: Transcript): IdentifiedMessage[] {
	const last = transcript.entries.findLastIndex((entry) => entry.t === 'compaction');
	const compaction = transcript.entries[last];
	const since = transcript.entries
		.slice(last + 1)
		.flatMap((entry) => (entry.t === 'message' ? [entry.message] : []));
	if (compaction?.t !== 'compaction') return since;
	return [...compaction.visibleIds.flatMap((id) => messageAt(transcript, id) ?? []), ...since];
}

/** Code points of a title that is taken from a prompt. */
const longestTitle = 80;

/** What to call the session: the title it was given, else the first line that a person typed. */
export function titleOf(transcript: Transcript): string | undefined {
	if (transcript.info.title !== undefined) return transcript.info.title;
	for (const entry of transcript.entries) {
		const title = entry.t === 'message' ? promptTitle(entry.message) : undefined;
		if (title !== undefined) return title;
	}
	return undefined;
}

/** The first line of a message that a person typed; undefined of any other message. */
export function promptTitle(message: ChatMessage): string | undefined {
	if (message.role !== 'user' || message.metadata?.injected === true) return undefined;
	const lines = plainText(message.content).slice(0, 2000).split('\n');
	const line = lines.map((one) => one.trim()).find((one) => one !== '' && !/^<[^>]*>$/.test(one));
	if (line === undefined) return undefined;
	const characters = [...line];
	return characters.length > longestTitle ? `${characters.slice(0, longestTitle - 1).join('')}…` : line;
}

function apply(transcript: Transcript, event: TranscriptEvent): void {
	const { entries, positions } = transcript;
	switch (event.t) {
		case 'message':
			positions.set(event.message.id, entries.length);
			entries.push({ t: 'message', message: event.message });
			return;
		case 'compaction':
			for (const { id } of event.replacement) positions.set(id, entries.length);
			entries.push(event);
			return;
		case 'replace':
			exchange(transcript, event.messageId, () => event.message);
			return;
		case 'usage':
			exchange(transcript, event.messageId, (message) => ({
				...message,
				usage: event.usage,
				...(event.stopReason !== undefined && { stopReason: event.stopReason }),
			}));
			return;
		case 'rewind':
			cutAfter(transcript, event.toMessageId);
			return;
		case 'info':
			Object.assign(transcript.info, event.info);
			return;
		case 'skipped':
			transcript.skipped.set(event.type, (transcript.skipped.get(event.type) ?? 0) + 1);
	}
}

function messageAt(transcript: Transcript, id: string): IdentifiedMessage | undefined {
	const entry = transcript.entries[transcript.positions.get(id) ?? -1];
	if (entry === undefined) return undefined;
	return entry.t === 'message' ? entry.message : entry.replacement.find((message) => message.id === id);
}

function exchange(
	transcript: Transcript,
	id: string,
	change: (message: IdentifiedMessage) => IdentifiedMessage,
): void {
	const at = transcript.positions.get(id);
	const entry = transcript.entries[at ?? -1];
	if (at === undefined || entry === undefined) return;
	transcript.entries[at] =
		entry.t === 'message'
			? { t: 'message', message: change(entry.message) }
			: { ...entry, replacement: entry.replacement.map((one) => (one.id === id ? change(one) : one)) };
}

function cutAfter(transcript: Transcript, id: string | null): void {
	const at = id === null ? -1 : transcript.positions.get(id);
	if (at === undefined) return;
	for (const entry of transcript.entries.splice(at + 1)) {
		const gone = entry.t === 'message' ? [entry.message] : entry.replacement;
		for (const message of gone) transcript.positions.delete(message.id);
	}
}
