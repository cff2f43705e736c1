import type { IdentifiedMessage, Usage } from '../../../protocol/conversation.ts';

/** What a transcript states about its session. Later values override earlier ones. */
export interface TranscriptInfo {
	sessionId?: string;
	/** For a sub-agent: id of the session that started it. */
	parent?: string;
	cwd?: string;
	title?: string;
	provider?: string;
	model?: string;
	/** The model's window in tokens. */
	contextWindow?: number;
	/** What the requests contain besides messages. */
	request?: RecordedRequest;
	/** Path of the original, if this transcript is a copy. */
	copyOf?: string;
	/** Tokens of the original's requests besides messages, if this transcript is a copy. */
	overheadTokens?: number;
}

/** A change of the conversation that one record of a transcript causes. */
export type TranscriptEvent =
	/** A new message at the end of the conversation. */
	| { t: 'message'; message: IdentifiedMessage }
	/** An existing message changed in place. */
	| { t: 'replace'; messageId: string; message: IdentifiedMessage }
	/** Usage figures that were recorded after their message. */
	| { t: 'usage'; messageId: string; usage: Usage; stopReason?: string }
	/** Everything after `toMessageId` left the conversation; everything if it is null. Removed ids may return. */
	| { t: 'rewind'; toMessageId: string | null }
	/**
	 * The agent compacted: the model now sees only the messages of `visibleIds`, in that order. They are the messages
	 * of `replacement`, which starts with the summary, and earlier messages that were kept.
	 */
	| {
			t: 'compaction';
			replacement: IdentifiedMessage[];
			visibleIds: string[];
			/** Tokens. */
			tokensBefore?: number;
			/** What started the compaction, in the agent's own word: "auto", "manual". */
			trigger?: string;
			/**
			 * Maximum tokens of later requests that are not messages (system prompt, tools). Set if the compaction also
			 * removed a prompt that the transcript does not contain.
			 */
			standing?: number;
	  }
	| { t: 'info'; info: TranscriptInfo }
	/** A record that is unknown or not part of the conversation. */
	| { t: 'skipped'; type: string };

/** A text of a request, with its display name. */
export interface RequestText {
	name: string;
	text: string;
}

/** Tool declarations, with the name of the tool or of its server. */
export interface RequestTools {
	name: string;
	definitions: unknown[];
}

/** What an agent's requests contain besides messages, as far as its transcript records it. */
export interface RecordedRequest {
	systemPrompt: RequestText[];
	tools: RequestTools[];
	/** Other content that is not a message: lists of skills, project instructions. */
	other: RequestText[];
}

/** Creates a function that returns an event for new facts about the session. Ignores a window of 0. */
export function createInfoTracker(): (info: TranscriptInfo) => TranscriptEvent[] {
	const knownInfo: Record<string, unknown> = {};
	return (info) => {
		// This function runs for every record, and almost always finds nothing new.
		let newInfo: Record<string, unknown> | undefined;
		for (const key in info) {
			const value = info[key as keyof TranscriptInfo];
			if (value === undefined || value === 0 || knownInfo[key] === value) continue;
			newInfo ??= {};
			newInfo[key] = value;
		}
		if (newInfo === undefined) return [];
		Object.assign(knownInfo, newInfo);
		return [{ t: 'info', info: newInfo }];
	};
}

/**
 * Returns the changes between the old and the new events of a document: added events, a replacement for a message that
 * changed in place, and a rewind to the last common message if the events differ from some message on.
 */
export function compareDocuments(
	oldEvents: readonly TranscriptEvent[],
	newEvents: readonly TranscriptEvent[],
): TranscriptEvent[] {
	const changes: TranscriptEvent[] = [];
	let lastId: string | null = null;
	for (const [index, event] of newEvents.entries()) {
		const oldEvent = oldEvents[index];
		if (oldEvent === undefined) return [...changes, ...newEvents.slice(index)];
		if (JSON.stringify(oldEvent) !== JSON.stringify(event)) {
			if (event.t === 'message' && oldEvent.t === 'message' && oldEvent.message.id === event.message.id) {
				changes.push({ t: 'replace', messageId: event.message.id, message: event.message });
			} else return [...changes, { t: 'rewind', toMessageId: lastId }, ...newEvents.slice(index)];
		}
		if (event.t === 'message') lastId = event.message.id;
		else if (event.t === 'compaction') lastId = event.replacement.at(-1)?.id ?? lastId;
	}
	const isShorter = oldEvents.slice(newEvents.length).some(({ t }) => t === 'message' || t === 'compaction');
	if (isShorter) changes.push({ t: 'rewind', toMessageId: lastId });
	return changes;
}
