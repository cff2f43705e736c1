import type { ContentPart, IdentifiedMessage, ToolCall } from '../../../protocol/conversation.ts';
import { type Fields, isFields, pickDefined } from '../../shape.ts';
import type { TranscriptReader } from './agent.ts';
import { type ContentBlocks, joinContent, type ResultBlock } from './blocks.ts';
import type { TranscriptEvent } from './events.ts';
import { type InjectedPrefixes, isInjectedContent } from './injected.ts';

/** Members of a message besides its content. */
export type MessageExtras = Pick<IdentifiedMessage, 'timestamp' | 'usage' | 'stopReason' | 'metadata'> & {
	/** Whether the results contain the user's text: a refusal with a reason, or answers to questions. */
	isUserAnswer?: true;
	injected?: boolean;
};

/** Assigns unique ids, and matches results with calls. Every reader needs one. */
export class MessageLog {
	readonly #injectedPrefixes: InjectedPrefixes;
	readonly #idCounts = new Map<string, number>();
	readonly #toolNamesByCallId = new Map<string, string>();
	readonly #openCallIds = new Set<string>();
	#recordCount = 0;

	/** @param injectedPrefixes prefixes of texts that the agent puts into the user's role */
	constructor(injectedPrefixes: InjectedPrefixes = []) {
		this.#injectedPrefixes = injectedPrefixes;
	}

	/** Counts a record; returns its number, from 1. */
	countRecord(): number {
		return ++this.#recordCount;
	}

	/** Returns the message as an event, with a unique id and without undefined members. */
	add(message: IdentifiedMessage): Extract<TranscriptEvent, { t: 'message' }> {
		return { t: 'message', message: pickDefined({ ...message, id: this.#makeUnique(message.id) }) };
	}

	/** Returns a tool's result as an event. A missing call id or tool name is taken from the call. */
	addResult(
		id: string,
		{ callId, toolName, content, isError }: ResultBlock,
		extras: Pick<IdentifiedMessage, 'timestamp' | 'metadata'>,
	): Extract<TranscriptEvent, { t: 'message' }> {
		const call = this.matchResult(callId);
		return this.add({
			id,
			role: 'tool',
			content,
			toolCallId: call.callId,
			toolName: toolName ?? call.toolName,
			isError,
			...extras,
		});
	}

	/** Whether a user's content was written by the agent. */
	isInjected(content: string | readonly ContentPart[]): boolean {
		return isInjectedContent(content, this.#injectedPrefixes);
	}

	/** Registers calls. Calls without an id get one. */
	registerCalls(calls: readonly ToolCall[], messageId: string): ToolCall[] {
		return calls.map((call, index) => {
			const id = call.id === '' ? `${messageId}:call${index === 0 ? '' : index + 1}` : call.id;
			this.#toolNamesByCallId.set(id, call.name);
			this.#openCallIds.add(id);
			return { ...call, id };
		});
	}

	/** Returns the call that a result answers: the call with the stated id, or the oldest call without a result. */
	matchResult(statedCallId: string | undefined): { callId: string; toolName?: string } {
		const callId = statedCallId ?? this.#openCallIds.values().next().value ?? 'unknown';
		this.#openCallIds.delete(callId);
		return { callId, toolName: this.#toolNamesByCallId.get(callId) };
	}

	/**
	 * Returns the events of one record: its results as tool messages, then one message for everything
	 * else. Further messages of the record get its id with `:2`, `:3` appended.
	 */
	addBlocks(
		id: string,
		role: 'system' | 'user' | 'assistant',
		blocks: ContentBlocks,
		extras: MessageExtras = {},
	): TranscriptEvent[] {
		const { injected, timestamp, metadata, isUserAnswer, ...figures } = extras;
		const events: TranscriptEvent[] = [];
		const createNextId = (): string => (events.length === 0 ? id : `${id}:${events.length + 1}`);
		for (const result of blocks.results) {
			const resultMetadata = isUserAnswer ? { userAnswer: true } : undefined;
			events.push(this.addResult(createNextId(), result, { timestamp, metadata: resultMetadata }));
		}
		const hasContent = blocks.parts.length > 0 || blocks.calls.length > 0;
		if (!hasContent && events.length > 0) return events;
		const content = joinContent(blocks.parts);
		const isInjected = role === 'user' && (injected === true || this.isInjected(content));
		const messageId = createNextId();
		events.push(
			this.add({
				id: messageId,
				role,
				content,
				toolCalls: blocks.calls.length > 0 ? this.registerCalls(blocks.calls, messageId) : undefined,
				...(role === 'assistant' ? figures : {}),
				timestamp,
				metadata: isInjected ? { ...metadata, injected: true } : metadata,
			}),
		);
		return events;
	}

	#makeUnique(id: string): string {
		const useCount = this.#idCounts.get(id);
		this.#idCounts.set(id, (useCount ?? 0) + 1);
		return useCount === undefined ? id : this.#makeUnique(`${id}#${useCount + 1}`);
	}
}

/** Creates a reader of records that are objects; `read` also gets an id with the number of the line. */
export function createRecordReader(
	read: (record: Fields, lineId: string) => TranscriptEvent[],
): TranscriptReader {
	let lineCount = 0;
	return {
		push(record) {
			lineCount++;
			return isFields(record) ? read(record, `l${lineCount}`) : [{ t: 'skipped', type: 'unknown' }];
		},
	};
}

/** Returns an agent's own summary as a message in the user's role. */
export function createSummaryMessage(
	id: string,
	content: IdentifiedMessage['content'],
	timestamp: number | undefined,
): IdentifiedMessage {
	const metadata = { injected: true, isSummary: true };
	return pickDefined({ id, role: 'user' as const, content, timestamp, metadata });
}
