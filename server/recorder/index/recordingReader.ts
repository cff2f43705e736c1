import { findTouches } from '../../core/files/findTouches.ts';
import { isTooDeep } from '../../core/format/wire/arguments.ts';
import { getOrInsert } from '../../core/getOrInsert.ts';
import { joinMessageText } from '../../core/history/text.ts';
import { redactSecrets } from '../../core/recall/redact.ts';
import { isFields, pickDefined, tryParseJson } from '../../core/shape.ts';
import {
	type Agent,
	agents,
	DocumentJoiner,
	type TranscriptEvent,
	type TranscriptReader,
} from '../../core/transcript/index.ts';
import type { IdentifiedMessage } from '../../protocol/conversation.ts';
import type { ReadEntry } from '../../protocol/recorder.ts';
import type { RecordingMessage } from './indexStore.ts';

/** A message for the index. */
export interface IndexedMessage extends RecordingMessage {
	/** Whether the agent or a program wrote the message, such as a summary or instructions in the user's role. */
	isGenerated: boolean;
	/** All text of the message, without secrets. */
	text: string;
}

/** Matches contextd's own tools. Their calls repeat the words of a search, so they would be found by every later search. */
const contextdToolPattern = /(?:^|[_.])contextd_\w+$/;

/** Maximum calls that are remembered until their results arrive. */
const maxOpenCalls = 500;
/** Maximum sub-agents with a reader, for transcripts into which several write alternately. */
const maxSubAgents = 16;

interface OpenCall {
	name: string;
	path?: string;
}

/** Converts the entries of one recording to messages. All entries must be pushed in order, from the first. */
export class RecordingReader {
	readonly #agent: Agent | undefined;
	readonly #reader: TranscriptReader | undefined;
	/** Readers for sub-agents that write into the same transcript, by the id of the sub-agent. */
	readonly #subAgents = new Map<string, TranscriptReader>();
	readonly #joiner = new DocumentJoiner();
	/** Seq and time of the newest entry. */
	#newest: [seq: number, at: number] = [0, 0];
	readonly #calls = new Map<string, OpenCall>();

	/** @param agent name of the agent; entries of an unknown agent contain no messages */
	constructor(agent: string) {
		this.#agent = agents.find(({ name }) => name === agent);
		this.#reader = this.#agent?.createReader();
	}

	/** Returns the messages that an entry adds or changes. Never throws. */
	push({ seq, at, text }: ReadEntry): IndexedMessage[] {
		const record = tryParseJson(text)?.value;
		if (record === undefined || isTooDeep(record)) return [];
		this.#newest = [seq, at];
		return this.#joiner.push(record).flatMap((one) => this.#readMessages(one, seq, at));
	}

	/**
	 * Returns the messages of a document that is stored in several entries; call this once all entries were pushed. None if
	 * each entry is a record. The messages have the seq of the newest entry. Never throws.
	 */
	flushDocument(): IndexedMessage[] {
		return this.#joiner.takeDocument().flatMap((one) => this.#readMessages(one, ...this.#newest));
	}

	#readMessages(record: unknown, seq: number, at: number): IndexedMessage[] {
		return this.#readEvents(record).flatMap((event) => this.#convertEvent(event, seq, at));
	}

	#readEvents(record: unknown): TranscriptEvent[] {
		const agent = this.#agent;
		const inline = isFields(record) ? agent?.readInlineSubAgent?.(record) : undefined;
		if (agent === undefined || inline === undefined) return this.#reader?.push(record) ?? [];
		const reader = getOrInsert(this.#subAgents, inline.id, () => agent.createReader());
		dropOldest(this.#subAgents, maxSubAgents);
		return reader.push(inline.record);
	}

	#convertEvent(event: TranscriptEvent, seq: number, at: number): IndexedMessage[] {
		switch (event.t) {
			case 'message':
			case 'replace':
				return this.#toMessages(event.message, seq, at);
			case 'compaction':
				return event.replacement
					.flatMap((one) => this.#toMessages(one, seq, at))
					.map((one) => ({ ...one, isGenerated: true }));
			default:
				return [];
		}
	}

	/** Returns the message without calls of contextd's own tools; none if the message is a result of such a call. */
	#toMessages(message: IdentifiedMessage, seq: number, at: number): IndexedMessage[] {
		for (const call of message.toolCalls ?? []) {
			const paths = new Set(findTouches(call).map((touch) => touch.path));
			const [path] = paths;
			this.#calls.set(call.id, { name: call.name, ...(paths.size === 1 && pickDefined({ path })) });
		}
		dropOldest(this.#calls, maxOpenCalls);
		const call = message.toolCallId === undefined ? undefined : this.#calls.get(message.toolCallId);
		const toolName = message.toolName ?? call?.name;
		if (toolName !== undefined && contextdToolPattern.test(toolName)) return [];
		const toolCalls = message.toolCalls?.filter(({ name }) => !contextdToolPattern.test(name));
		return [
			{
				messageId: message.id,
				seq,
				role: message.role,
				...pickDefined({ toolName, path: call?.path }),
				at: message.timestamp ?? at,
				isGenerated: message.metadata?.injected === true || message.role === 'system',
				text: redactSecrets(joinMessageText({ ...message, toolCalls })),
			},
		];
	}
}

/** Deletes the oldest entries until `max` remain. Not an LRU cache, because that reserves memory in each of many readers. */
function dropOldest(map: Map<string, unknown>, max: number): void {
	for (const key of map.keys()) {
		if (map.size <= max) return;
		map.delete(key);
	}
}
