import type {
	ChatMessage,
	ContentPart,
	IdentifiedMessage,
	ToolCall,
} from '../../../protocol/conversation.ts';
import { present } from '../../shape.ts';
import { type Blocks, contentOf } from './blocks.ts';
import type { TranscriptEvent } from './events.ts';
import { type InjectedBeginnings, isInjectedContent } from './injected.ts';

/** What every reader needs: ids that are unique, and the calls that results belong to. */
export interface MessageLog {
	/** One more record came; gives its number, from 1. */
	nextRecord(): number;
	/** The message as an event, its id made unique where it is taken. */
	add(message: IdentifiedMessage): Extract<TranscriptEvent, { t: 'message' }>;
	/** Calls with an id of their own where they came without one. */
	register(calls: readonly ToolCall[], messageId: string): ToolCall[];
	/** The call that a result belongs to: the one it names, else the oldest without a result. */
	answered(callId: string | undefined): { callId: string; toolName?: string };
	/** Whether no person typed that in the user's role. */
	isInjected(content: string | readonly ContentPart[]): boolean;
}

/** A log for one transcript, of an agent that puts texts with such beginnings into the user's role. */
export function messageLog(injected: InjectedBeginnings = []): MessageLog {
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
		answered: (named) => {
			const callId = named ?? open.values().next().value ?? 'unknown';
			open.delete(callId);
			const toolName = names.get(callId);
			return { callId, ...(toolName !== undefined && { toolName }) };
		},
	};
}

/** An agent's own summary of what was said before it, as a message in the user's role. */
export function summaryMessage(
	id: string,
	content: IdentifiedMessage['content'],
	timestamp: number | undefined,
): IdentifiedMessage {
	const metadata = { injected: true, isSummary: true };
	return present({ id, role: 'user' as const, content, timestamp, metadata });
}

/** What a message carries beside its content. */
export type MessageExtras = Pick<ChatMessage, 'timestamp' | 'usage' | 'stopReason' | 'metadata'> & {
	/** The results hold words of the user: a refusal with a reason, or answers to questions. */
	isUserAnswer?: true;
	injected?: boolean;
};

/**
 * The events of one record in a user's or assistant's role: its results as tool messages first, then what
 * it says and calls. Several messages of one record have the record's id with `:2`, `:3` behind it.
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
		const call = log.answered(callId);
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
