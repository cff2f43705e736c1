import type {
	ChatMessage,
	ContentPart,
	IdentifiedMessage,
	ToolCall,
} from '../../../protocol/conversation.ts';
import { present } from '../../shape.ts';
import { type Blocks, contentOf } from './blocks.ts';
import type { TranscriptEvent } from './events.ts';
import { type InjectedPrefixes, isInjectedContent } from './injected.ts';

/** Assigns unique ids, and matches results with calls. Every reader needs one. */
export interface MessageLog {
	/** Counts a record; returns its number, from 1. */
	nextRecord(): number;
	/** Returns the message as an event, with a unique id. */
	add(message: IdentifiedMessage): Extract<TranscriptEvent, { t: 'message' }>;
	/** Registers calls, and gives an id to those without one. */
	register(calls: readonly ToolCall[], messageId: string): ToolCall[];
	/** Returns the call that a result answers: the named one, or the oldest without a result. */
	matchResult(callId: string | undefined): { callId: string; toolName?: string };
	/** Whether a user's content was written by the agent. */
	isInjected(content: string | readonly ContentPart[]): boolean;
}

/** Creates a log for one transcript. `injected`: beginnings of the agent's texts in the user's role. */
export function createMessageLog(injected: InjectedPrefixes = []): MessageLog {
	let records = 0;
	const ids = new Map<string, number>();
	const names = new Map<string, string>();
	const open = new Set<string>();
	const unique = (id: string): string => {
		const uses = ids.get(id);
		if (uses === undefined) {
			ids.set(id, 1);
			return id;
		}
		ids.set(id, uses + 1);
		return unique(`${id}#${uses + 1}`);
	};
	return {
		nextRecord: () => ++records,
		isInjected: (content) => isInjectedContent(content, injected),
		add: (message) => ({ t: 'message', message: { ...message, id: unique(message.id) } }),
		register: (calls, messageId) =>
			calls.map((call, index) => {
				const id = call.id === '' ? `${messageId}:call${index === 0 ? '' : index + 1}` : call.id;
				names.set(id, call.name);
				open.add(id);
				return { ...call, id };
			}),
		matchResult: (named) => {
			const callId = named ?? open.values().next().value ?? 'unknown';
			open.delete(callId);
			const toolName = names.get(callId);
			return { callId, ...(toolName !== undefined && { toolName }) };
		},
	};
}

/** Returns an agent's own summary as a message in the user's role. */
export function summaryMessage(
	id: string,
	content: IdentifiedMessage['content'],
	timestamp: number | undefined,
): IdentifiedMessage {
	const metadata = { injected: true, isSummary: true };
	return present({ id, role: 'user' as const, content, timestamp, metadata });
}

/** Members of a message besides its content. */
export type MessageExtras = Pick<ChatMessage, 'timestamp' | 'usage' | 'stopReason' | 'metadata'> & {
	/** The results contain words of the user: a refusal with a reason, or answers to questions. */
	isUserAnswer?: true;
	injected?: boolean;
};

/**
 * Returns the events of one record: its results as tool messages, then one message for everything
 * else. Further messages of the record get its id with `:2`, `:3` appended.
 */
export function blockEvents(
	log: MessageLog,
	id: string,
	role: 'system' | 'user' | 'assistant',
	blocks: Blocks,
	extras: MessageExtras = {},
): TranscriptEvent[] {
	const { injected, timestamp, metadata, isUserAnswer, ...figures } = extras;
	const events: TranscriptEvent[] = [];
	const nextId = (): string => (events.length === 0 ? id : `${id}:${events.length + 1}`);
	for (const { callId, toolName, content, isError } of blocks.results) {
		const call = log.matchResult(callId);
		events.push(
			log.add(
				present({
					id: nextId(),
					role: 'tool' as const,
					content,
					toolCallId: call.callId,
					toolName: toolName ?? call.toolName,
					isError,
					timestamp,
					metadata: isUserAnswer ? { userAnswer: true } : undefined,
				}),
			),
		);
	}
	const says = blocks.parts.length > 0 || blocks.calls.length > 0;
	if (!says && events.length > 0) return events;
	const content = contentOf(blocks.parts);
	const isInjected = role === 'user' && (injected === true || log.isInjected(content));
	const messageId = nextId();
	events.push(
		log.add(
			present({
				id: messageId,
				role,
				content,
				toolCalls: blocks.calls.length > 0 ? log.register(blocks.calls, messageId) : undefined,
				...(role === 'assistant' ? figures : {}),
				timestamp,
				metadata: isInjected ? { ...metadata, injected: true } : metadata,
			}),
		),
	);
	return events;
}
