import type {
	ChatMessage,
	ContentPart,
	IdentifiedMessage,
	ToolCall,
} from '../../../protocol/conversation.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { type Fields, isFields, pickDefined } from '../../shape.ts';
import { asFields, asList, asText, firstNumber, firstText, parseTime, readRecordType } from '../../values.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { joinContent } from '../reading/blocks.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import { codexInjections, isInjectedContent } from '../reading/injected.ts';
import { createLocation } from '../reading/locations.ts';
import { MessageLog } from '../reading/log.ts';
import { commandRule } from '../reading/tools.ts';
import { type CodexItem, readCodexItem, readCodexUsage } from './items.ts';
import { codexLimit, codexSettings } from './limit.ts';

const recordTypes = new Set([
	'session_meta',
	'response_item',
	'event_msg',
	'turn_context',
	'compacted',
	'world_state',
]);
const legacyItemTypes = new Set([
	'message',
	'reasoning',
	'function_call',
	'function_call_output',
	'function_result',
]);

const rolloutNamePattern = /^rollout-.*\.jsonl(\.zst)?$/;

/** Rollout files of Codex: one Responses API item per line, with events in between. */
export const codexRollout: Agent = {
	name: 'codex',
	label: 'Codex',
	tools: {
		edits: { filechange: [{ list: ['changes'] }] },
		patches: { applypatch: ['input', 'patch', 'patchText', 'value'] },
		shells: {
			shell: { command: ['command', 'cmd'], folder: ['workdir', 'cwd'] },
			localshell: { command: ['command'], folder: ['workdir', 'working_directory'] },
			localshellcall: { command: ['command'], folder: ['workdir', 'working_directory'] },
			shellcommand: { command: ['command'], folder: ['workdir'] },
			execcommand: { command: ['cmd', 'command'], folder: ['workdir'] },
			commandexecution: commandRule,
		},
	},
	recognizes(record) {
		const { type, payload, timestamp, call_id, created_at } = asFields(record);
		if (typeof type !== 'string') return false;
		if (isFields(payload)) return recordTypes.has(type) && typeof timestamp === 'string';
		return legacyItemTypes.has(type) && (typeof call_id === 'string' || typeof created_at === 'string');
	},
	createReader: () => new CodexRolloutReader(),
	limit: codexLimit,
	settings: codexSettings,
	homes: [
		// One folder per year, month and day.
		{
			root: createLocation('CODEX_HOME', ['.codex'], 'sessions'),
			path: [/^\d+$/, /^\d+$/, /^\d+$/, rolloutNamePattern],
			isSortedByTime: true,
		},
		{
			root: createLocation('CODEX_HOME', ['.codex'], 'archived_sessions'),
			path: [rolloutNamePattern],
			isSortedByTime: true,
		},
	],
};

/** The assistant message that the newest items still extend. */
interface OpenAnswer {
	message: IdentifiedMessage;
	parts: ContentPart[];
	calls: ToolCall[];
	/** Whether a result arrived; text after it starts a new answer. */
	hasResult: boolean;
}

class CodexRolloutReader implements TranscriptReader {
	readonly #log = new MessageLog(codexInjections);
	readonly #infoEvents = createInfoTracker();
	#openAnswer: OpenAnswer | undefined;
	/** The newest assistant message, to which the next usage belongs. */
	#answerWithoutUsage: IdentifiedMessage | undefined;
	#thoughts: ContentPart[] = [];
	#visibleMessages: { id: string; isPrompt: boolean; key: string }[] = [];
	#hasHeader = false;
	/** Id of the instructions, which are in every request and therefore in no compacted history. */
	#instructionsId: string | undefined;
	/** Ids of user and system messages by content, because a compaction repeats the messages that it keeps. */
	readonly #idsByText = new Map<string, string[]>();

	push(record: unknown): TranscriptEvent[] {
		const id = `l${this.#log.countRecord()}`;
		if (!isFields(record)) return [{ t: 'skipped', type: 'unknown' }];
		const { payload } = record;
		const timestamp = parseTime(record.timestamp, record.created_at);
		if (!isFields(payload)) {
			const item = readCodexItem(record, id);
			return item === undefined
				? [{ t: 'skipped', type: readRecordType(record) }]
				: this.#readItem(item, id, timestamp);
		}
		switch (record.type) {
			case 'session_meta':
				return this.#readMeta(payload, id, timestamp);
			case 'turn_context':
				return this.#infoEvents({ model: firstText(payload.model), cwd: firstText(payload.cwd) });
			case 'event_msg':
				return this.#readEvent(payload);
			case 'compacted':
				return this.#readCompacted(payload, id, timestamp);
			case 'response_item': {
				const item = readCodexItem(payload, id);
				if (item !== undefined) return this.#readItem(item, id, timestamp);
				return [{ t: 'skipped', type: `response_item/${asText(payload.type)}` }];
			}
			default:
				return [{ t: 'skipped', type: readRecordType(record) }];
		}
	}

	#storeId(key: string, id: string): void {
		getOrInsert(this.#idsByText, key, () => []).push(id);
	}

	#addMessage(message: IdentifiedMessage): TranscriptEvent[] {
		const event = this.#log.add(message);
		const injected =
			message.role === 'user' &&
			(message.metadata?.injected === true || this.#log.isInjected(message.content));
		if (injected) event.message.metadata = { ...event.message.metadata, injected: true };
		const key = createTextKey(message);
		this.#visibleMessages.push({ id: event.message.id, isPrompt: message.role === 'user' && !injected, key });
		this.#storeId(key, event.message.id);
		return [event];
	}

	#extendAnswer(
		id: string,
		timestamp: number | undefined,
		newParts: ContentPart[],
		calls: ToolCall[],
	): TranscriptEvent[] {
		if (this.#openAnswer === undefined || this.#openAnswer.hasResult) {
			const parts = [...this.#thoughts, ...newParts];
			this.#thoughts = [];
			const content = joinContent(parts);
			const toolCalls = calls.length > 0 ? this.#log.registerCalls(calls, id) : undefined;
			const events = this.#addMessage({ id, role: 'assistant', content, toolCalls, timestamp });
			const [event] = events;
			if (event?.t === 'message') {
				this.#openAnswer = { message: event.message, parts, calls: toolCalls ?? [], hasResult: false };
				this.#answerWithoutUsage = event.message;
			}
			return events;
		}
		this.#openAnswer.parts.push(...this.#thoughts, ...newParts);
		this.#thoughts = [];
		this.#openAnswer.calls.push(...this.#log.registerCalls(calls, id));
		const toolCalls = this.#openAnswer.calls.length > 0 ? [...this.#openAnswer.calls] : undefined;
		this.#openAnswer.message = pickDefined({
			...this.#openAnswer.message,
			content: joinContent(this.#openAnswer.parts),
			toolCalls,
		});
		this.#answerWithoutUsage = this.#openAnswer.message;
		return [{ t: 'replace', messageId: this.#openAnswer.message.id, message: this.#openAnswer.message }];
	}

	#readItem(item: CodexItem, id: string, timestamp: number | undefined): TranscriptEvent[] {
		switch (item.kind) {
			case 'reasoning':
				if (this.#openAnswer?.hasResult) this.#openAnswer = undefined;
				this.#thoughts.push(...item.parts);
				return [];
			case 'call':
				return this.#extendAnswer(id, timestamp, [], [item.call]);
			case 'result': {
				if (this.#openAnswer !== undefined) this.#openAnswer.hasResult = true;
				const call = this.#log.matchResult(item.callId);
				const { content, isError } = item;
				const { callId: toolCallId, toolName } = call;
				return this.#addMessage({ id, role: 'tool', content, toolCallId, toolName, isError, timestamp });
			}
			case 'message':
				if (item.role === 'assistant') return this.#extendAnswer(id, timestamp, item.parts, []);
				this.#openAnswer = undefined;
				return this.#addMessage({
					id,
					role: item.role,
					content: joinContent(item.parts),
					timestamp,
					metadata: item.injected ? { injected: true } : undefined,
				});
		}
	}

	#readUsage(payload: Fields): TranscriptEvent[] {
		const info = asFields(payload.info);
		const events = this.#infoEvents({ contextWindow: firstNumber(info.model_context_window) });
		const usage = readCodexUsage(info.last_token_usage);
		if (usage === undefined || this.#answerWithoutUsage === undefined) return events;
		events.push({ t: 'usage', messageId: this.#answerWithoutUsage.id, usage });
		if (this.#openAnswer?.message.id === this.#answerWithoutUsage.id)
			this.#openAnswer.message = { ...this.#openAnswer.message, usage };
		this.#answerWithoutUsage = undefined;
		this.#openAnswer = undefined;
		return events;
	}

	#readRollback(payload: Fields): TranscriptEvent[] {
		let turns = firstNumber(payload.num_turns) ?? 0;
		let position = this.#visibleMessages.length;
		while (turns > 0 && position > 0) if (this.#visibleMessages[--position]?.isPrompt) turns--;
		if (position === this.#visibleMessages.length) return [];
		for (const { id, key } of this.#visibleMessages.slice(position)) {
			const ids = this.#idsByText.get(key);
			if (ids?.at(-1) === id) ids.pop();
		}
		this.#visibleMessages = this.#visibleMessages.slice(0, position);
		this.#openAnswer = undefined;
		this.#answerWithoutUsage = undefined;
		return [{ t: 'rewind', toMessageId: this.#visibleMessages.at(-1)?.id ?? null }];
	}

	#readCompacted(payload: Fields, id: string, timestamp: number | undefined): TranscriptEvent[] {
		this.#openAnswer = undefined;
		this.#answerWithoutUsage = undefined;
		const messages = readCompactedMessages(payload, id);
		const replacement: IdentifiedMessage[] = [];
		const usedCounts = new Map<string, number>();
		const remainingMessages: { id: string; key: string }[] = [];
		for (const message of messages) {
			const key = createTextKey(message);
			const count = usedCounts.get(key) ?? 0;
			const knownId = key === '' ? undefined : this.#idsByText.get(key)?.[count];
			if (knownId !== undefined) {
				usedCounts.set(key, count + 1);
				remainingMessages.push({ id: knownId, key });
				continue;
			}
			const ownId = replacement.length === 0 ? id : `${id}:${replacement.length + 1}`;
			const { message: addedMessage } = this.#log.add({ ...message, id: ownId, timestamp });
			replacement.push(addedMessage);
			remainingMessages.push({ id: addedMessage.id, key });
			this.#visibleMessages.push({ id: addedMessage.id, isPrompt: false, key });
		}
		// A later compaction cannot keep a message that is no longer visible.
		this.#idsByText.clear();
		for (const one of remainingMessages) this.#storeId(one.key, one.id);
		const visibleIds = remainingMessages.map((one) => one.id);
		if (this.#instructionsId !== undefined) visibleIds.unshift(this.#instructionsId);
		return [{ t: 'compaction', replacement, visibleIds }];
	}

	#readEvent(payload: Fields): TranscriptEvent[] {
		if (payload.type === 'token_count') return this.#readUsage(payload);
		if (payload.type === 'thread_rolled_back') return this.#readRollback(payload);
		const events = this.#infoEvents({ contextWindow: firstNumber(payload.model_context_window) });
		return events.length > 0 ? events : [{ t: 'skipped', type: `event_msg/${asText(payload.type)}` }];
	}

	#readMeta(payload: Fields, id: string, timestamp: number | undefined): TranscriptEvent[] {
		// A fork repeats the header of its original session.
		if (this.#hasHeader) return [{ t: 'skipped', type: 'session_meta' }];
		this.#hasHeader = true;
		const events = this.#infoEvents({
			sessionId: firstText(payload.id, payload.session_id),
			parent: readParent(payload),
			cwd: firstText(payload.cwd),
			provider: firstText(payload.model_provider),
		});
		const instructions = firstText(asFields(payload.base_instructions).text, payload.base_instructions);
		if (instructions === undefined) return events;
		this.#instructionsId = id;
		return [...events, ...this.#addMessage({ id, role: 'system', content: instructions, timestamp })];
	}
}

/** Returns the session that started a sub-agent; undefined for other sessions, such as a fork by the user. */
function readParent({ source, parent_thread_id }: Fields): string | undefined {
	const { subagent } = asFields(source);
	if (subagent === undefined) return undefined;
	return firstText(parent_thread_id, asFields(asFields(subagent).thread_spawn).parent_thread_id);
}

/** Returns a key that is equal for equal user or system messages; empty for other messages. */
function createTextKey({ role, content }: ChatMessage): string {
	return role === 'user' || role === 'system' ? `${role} ${JSON.stringify(content)}` : '';
}

/** Returns the messages that a `compacted` record keeps. Marks the summary, and adds it if it is missing. */
function readCompactedMessages(payload: Fields, recordId: string): ChatMessage[] {
	const summary = firstText(payload.message);
	// No model sees the snapshots of the working tree.
	const items = asList(payload.replacement_history).filter((one) => asFields(one).type !== 'ghost_snapshot');
	const messages = items.map((item) => readReplacement(item, recordId));
	if (summary !== undefined && !messages.some(({ content }) => content === summary))
		messages.push({ role: 'user', content: summary });
	return messages.map((message) => {
		const isSummary = message.content === summary || message.metadata?.isSummary === true;
		const injected =
			message.role === 'user' && (isSummary || isInjectedContent(message.content, codexInjections));
		if (!isSummary && !injected) return message;
		return { ...message, metadata: { ...(injected && { injected }), ...(isSummary && { isSummary }) } };
	});
}

/** Reads an item of a compacted history; an encrypted summary becomes opaque. */
function readReplacement(value: unknown, recordId: string): ChatMessage {
	const item = isFields(value) ? readCodexItem(value, recordId) : undefined;
	switch (item?.kind) {
		case 'message':
			return {
				role: item.role,
				content: joinContent(item.parts),
				...(item.injected && { metadata: { injected: true } }),
			};
		case 'reasoning':
			return { role: 'assistant', content: joinContent(item.parts) };
		case 'call':
			return { role: 'assistant', content: '', toolCalls: [item.call] };
		case 'result':
			return { role: 'tool', content: item.content, toolCallId: item.callId ?? 'unknown' };
		default:
			return { role: 'user', content: [{ type: 'opaque', value }], metadata: { isSummary: true } };
	}
}
