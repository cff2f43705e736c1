import type { IdentifiedMessage, Usage } from '../../../protocol/conversation.ts';
import { type Fields, isFields, present } from '../../shape.ts';
import type { TranscriptReader } from '../reading/agent.ts';
import { type Blocks, contentOf, readBlocks } from '../reading/blocks.ts';
import { infoTeller, type TranscriptEvent } from '../reading/events.ts';
import { blockEvents, messageLog, summaryMessage } from '../reading/log.ts';
import { anthropicUsage } from '../reading/usage.ts';
import { asText, fieldsOf, firstNumber, firstText, listOf, timeOf, typeName } from '../reading/values.ts';
import { claudeInjections } from './injected.ts';
import { requestTeller } from './request.ts';

/** So many of the newest API messages may still get a line. */
const mostOpen = 64;

/** The boundary that stands before a summary: what is known of the compaction already. */
interface Boundary {
	trigger?: string;
	tokensBefore?: number;
	keptUuids: string[];
}

/** One assistant message of the API, which its agent writes as one line per block. */
interface OpenAssistant {
	message: IdentifiedMessage;
	blocks: Blocks;
}

/**
 * Reads the lines of Claude Code and of the Claude Agent SDK: several lines of one API message become
 * one message, sub-agents' lines are left out, and a prompt that continues an earlier place rewinds.
 */
export function claudeLineReader(head: readonly unknown[] = []): TranscriptReader {
	const log = messageLog(claudeInjections);
	const assistants = new Map<string, OpenAssistant>();
	/** How many messages stood when a line with that uuid had been read. */
	const places = new Map<string, number>();
	const messageOfUuid = new Map<string, string>();
	let stood: { id: string; isTurn: boolean }[] = [];
	let boundary: Boundary | undefined;
	let isSubAgentFile = isOfSubAgent(head);
	const tell = infoTeller();
	const requests = requestTeller();
	const standing = standingTeller();

	const note = (events: readonly TranscriptEvent[], uuid: string | undefined): void => {
		for (const event of events) {
			if (event.t !== 'message') continue;
			const { id, role, metadata } = event.message;
			stood.push({ id, isTurn: role === 'assistant' || (role === 'user' && metadata?.injected !== true) });
			if (uuid !== undefined) messageOfUuid.set(uuid, id);
		}
	};

	/** A typed prompt under an earlier line than the newest is an edit of what came after that line. */
	const rewindTo = (parent: unknown): TranscriptEvent[] => {
		const place = typeof parent === 'string' ? places.get(parent) : undefined;
		if (place === undefined || place >= stood.length || !stood.slice(place).some(({ isTurn }) => isTurn)) {
			return [];
		}
		stood = stood.slice(0, place);
		return [{ t: 'rewind', toMessageId: stood.at(-1)?.id ?? null }];
	};

	const keepOpen = (key: string, answer: OpenAssistant): void => {
		assistants.set(key, answer);
		const [oldest] = assistants.keys();
		if (assistants.size > mostOpen && oldest !== undefined) assistants.delete(oldest);
	};

	const readAssistant = (record: Fields, message: Fields, id: string): TranscriptEvent[] => {
		const blocks = readBlocks(message.content);
		const isSynthetic = message.model === '<synthetic>' || record.isApiErrorMessage === true;
		const extras = {
			usage: isSynthetic ? undefined : anthropicUsage(message.usage),
			stopReason: isSynthetic ? 'error' : stopReasonOf(message.stop_reason),
			timestamp: timeOf(record.timestamp),
			metadata: isSynthetic ? { synthetic: true } : undefined,
		};
		standing.answered(extras.usage);
		boundary = undefined;
		const key = firstText(message.id);
		const open = key === undefined ? undefined : assistants.get(key);
		if (open === undefined) {
			const events = blockEvents(log, key ?? id, 'assistant', blocks, present(extras));
			const last = events.at(-1);
			if (last?.t === 'message') {
				const parts = { ...blocks, calls: last.message.toolCalls ?? [] };
				if (key !== undefined) keepOpen(key, { message: last.message, blocks: parts });
			}
			return events;
		}
		open.blocks.parts = open.blocks.parts.concat(blocks.parts);
		const known = new Set(open.blocks.calls.map((call) => call.id));
		const fresh = blocks.calls.filter((call) => call.id === '' || !known.has(call.id));
		open.blocks.calls = open.blocks.calls.concat(log.register(fresh, id));
		const { usage } = open.message;
		open.message = present({
			...open.message,
			content: contentOf(open.blocks.parts),
			toolCalls: open.blocks.calls.length > 0 ? open.blocks.calls : undefined,
			usage: extras.usage === undefined || (usage?.output ?? 0) > extras.usage.output ? usage : extras.usage,
			stopReason: extras.stopReason ?? open.message.stopReason,
		});
		return [{ t: 'replace', messageId: open.message.id, message: open.message }];
	};

	const readSummary = (blocks: Blocks, id: string, timestamp: number | undefined): TranscriptEvent[] => {
		const { message } = log.add(summaryMessage(id, contentOf(blocks.parts), timestamp));
		const kept = [...new Set((boundary?.keptUuids ?? []).flatMap((uuid) => messageOfUuid.get(uuid) ?? []))];
		const event = present({
			t: 'compaction' as const,
			replacement: [message],
			visibleIds: [message.id, ...kept],
			tokensBefore: boundary?.tokensBefore,
			trigger: boundary?.trigger,
			standing: standing.tokens(),
		});
		boundary = undefined;
		stood.push({ id: message.id, isTurn: false });
		return [event];
	};

	/** The stream of the SDK does not mark its summary: it is the first text after the boundary. */
	const isUnmarkedSummary = (record: Fields, blocks: Blocks): boolean =>
		boundary !== undefined && record.sessionId === undefined && blocks.results.length === 0;

	const readUser = (record: Fields, message: Fields, id: string): TranscriptEvent[] => {
		const blocks = readBlocks(message.content);
		const timestamp = timeOf(record.timestamp);
		if (record.isCompactSummary === true || isUnmarkedSummary(record, blocks)) {
			return readSummary(blocks, id, timestamp);
		}
		const injected =
			record.isMeta === true ||
			record.isVisibleInTranscriptOnly === true ||
			fieldsOf(record.origin).kind === 'task-notification';
		const isPrompt = blocks.results.length === 0 && !injected && !log.isInjected(contentOf(blocks.parts));
		if (isPrompt) standing.prompted();
		const rewind = isPrompt ? rewindTo(record.parentUuid) : [];
		const isUserAnswer = holdsUserAnswer(record.toolUseResult);
		return [
			...rewind,
			...blockEvents(log, id, 'user', blocks, present({ injected, timestamp, isUserAnswer })),
		];
	};

	const readSystem = (record: Fields): TranscriptEvent[] => {
		standing.take(record);
		if (record.subtype === 'compact_boundary') {
			const details = fieldsOf(record.compactMetadata ?? record.compact_metadata);
			const kept = fieldsOf(details.preservedMessages).uuids;
			boundary = {
				trigger: firstText(details.trigger),
				tokensBefore: firstNumber(details.preTokens, details.pre_tokens),
				keptUuids: Array.isArray(kept) ? kept.filter((uuid) => typeof uuid === 'string') : [],
			};
		}
		return [{ t: 'skipped', type: typeName(record) }];
	};

	const infoOf = (record: Fields): TranscriptEvent[] => {
		const message = fieldsOf(record.message);
		const named = firstText(message.model, record.subtype === 'init' ? record.model : undefined);
		const isOther = named === '<synthetic>' || (isSubAgents(record) && isSubAgentFile === false);
		return tell({
			sessionId: firstText(record.sessionId, record.session_id),
			cwd: firstText(record.cwd),
			model: isOther ? undefined : named,
			provider: 'anthropic',
			title: firstText(
				record.customTitle,
				record.aiTitle,
				record.type === 'summary' ? record.summary : undefined,
			),
		});
	};

	const readConversation = (record: Fields, id: string): TranscriptEvent[] => {
		const { message } = record;
		if (!isFields(message)) return [{ t: 'skipped', type: typeName(record) }];
		const isSide = isSubAgents(record);
		isSubAgentFile ??= isSide;
		if (isSide && !isSubAgentFile) return [{ t: 'skipped', type: 'sidechain' }];
		return record.type === 'assistant' ? readAssistant(record, message, id) : readUser(record, message, id);
	};

	/** Records beside the turns: what is attached to the conversation, and what tells of its requests. */
	const readOther = (record: Fields, id: string): TranscriptEvent[] => {
		const { attachment } = record;
		if (!isFields(attachment) || (record.isSidechain === true && isSubAgentFile !== true)) {
			return [{ t: 'skipped', type: typeName(record) }];
		}
		const request = requests.take(attachment);
		if (request !== undefined) return tell({ request });
		const attached = attachedMessage(attachment);
		if (attached === undefined) return [{ t: 'skipped', type: asText(attachment.type) }];
		const { blocks, injected } = attached;
		const extras = { injected: injected || undefined, timestamp: timeOf(record.timestamp) };
		return blockEvents(log, id, 'user', blocks, present(extras));
	};

	return {
		push(record) {
			const line = log.nextRecord();
			if (!isFields(record)) return [{ t: 'skipped', type: 'unknown' }];
			const uuid = firstText(record.uuid);
			if (uuid !== undefined && places.has(uuid)) return [{ t: 'skipped', type: 'duplicate' }];
			const events = infoOf(record);
			if (isTurn(record.type)) {
				const read = readConversation(record, uuid ?? `l${line}`);
				note(read, uuid);
				events.push(...read);
			} else if (record.type === 'system') events.push(...readSystem(record));
			else {
				const read = readOther(record, uuid ?? `l${line}`);
				note(read, uuid);
				events.push(...read);
			}
			if (uuid !== undefined) places.set(uuid, stood.length);
			return events;
		},
	};
}

/** Whether a transcript that begins so is a sub-agent's own; undefined where nobody has spoken yet. */
function isOfSubAgent(head: readonly unknown[]): boolean | undefined {
	const first = head.filter(isFields).find(({ type, message }) => isTurn(type) && isFields(message));
	return first && isSubAgents(first);
}

function isTurn(type: unknown): boolean {
	return type === 'user' || type === 'assistant';
}

/** Whether a sub-agent wrote a line. */
function isSubAgents(record: Fields): boolean {
	return record.isSidechain === true || typeof record.parent_tool_use_id === 'string';
}

/**
 * Returns true if Claude Code itself says that a result holds words of the user: it stores a refused call as one of these
 * sentences, and answered questions by themselves. What a failed command printed begins with "Error: Exit code".
 */
function holdsUserAnswer(toolUseResult: unknown): true | undefined {
	const isRefusal =
		typeof toolUseResult === 'string' &&
		/^(?:User rejected tool use|Error: The user doesn't want to proceed with this tool use)/.test(
			toolUseResult,
		);
	return isRefusal || isFields(fieldsOf(toolUseResult).answers) || undefined;
}

/** The neutral word for how an answer of the Messages API ended. */
function stopReasonOf(reason: unknown): string | undefined {
	if (typeof reason !== 'string') return undefined;
	const words: Record<string, string> = { end_turn: 'stop', max_tokens: 'length', tool_use: 'tool' };
	return Object.hasOwn(words, reason) ? words[reason] : reason;
}

/** A message that an attachment stands for. */
interface Attached {
	blocks: Blocks;
	/** No person typed it. */
	injected: boolean;
}

/**
 * The message that an attachment puts into the conversation: a prompt that waited, a file as a read of it shows it
 * (those of a prompt's `@`, and those that are read again after a compaction), notes and instructions that belong to
 * a file; undefined where it is none of these.
 */
function attachedMessage(attachment: Fields): Attached | undefined {
	switch (attachment.type) {
		case 'queued_command':
			return attachment.prompt === undefined
				? undefined
				: { blocks: readBlocks(attachment.prompt), injected: false };
		case 'file':
			return injected(fileContent(attachment));
		case 'edited_text_file':
			return noted(attachment.filename, attachment.snippet);
		case 'directory':
			return noted(attachment.path, attachment.content);
		case 'nested_memory':
			return noted(attachment.path, fieldsOf(attachment.content).content);
		case 'hook_additional_context':
			return injected(listOf(attachment.content).filter((text) => typeof text === 'string'));
		default:
			return undefined;
	}
}

function injected(content: unknown): Attached | undefined {
	const blocks = readBlocks(content);
	return blocks.parts.length === 0 ? undefined : { blocks, injected: true };
}

function noted(name: unknown, text: unknown): Attached | undefined {
	const content = firstText(text);
	return content === undefined ? undefined : injected(`${asText(name)}\n${content}`);
}

function fileContent({ filename, content }: Fields): unknown {
	const { type, file } = fieldsOf(content);
	const held = fieldsOf(file);
	const path = firstText(held.filePath, filename) ?? '';
	const call = `Called the Read tool with the following input: ${JSON.stringify({ file_path: path })}`;
	if (type === 'image' && typeof held.base64 === 'string') {
		const image = { type: 'image', data: held.base64, mimeType: firstText(held.type) };
		return [{ type: 'text', text: call }, image];
	}
	if (typeof held.content !== 'string') return [];
	const first = firstNumber(held.startLine) ?? 1;
	const lines = held.content.split('\n').map((line, index) => `${first + index}\t${line}`);
	return `${call}\nResult of calling the Read tool:\n${lines.join('\n')}`;
}

/**
 * Tokens of Claude Code's system prompt, and of a tool's declaration. In streams of the Agent SDK with sixteen tools a
 * request came to 16,000 to 21,000 without its messages.
 */
const usual = { systemPrompt: 5000, tool: 800 };

/** Tells what stays in the requests of a stream when its prompt leaves them. */
interface StandingTeller {
	/** Takes a record that says how the session begins; any other says nothing. */
	take(record: Fields): void;
	/** A person's prompt stands in the stream. */
	prompted(): void;
	/** An answer came, with its figures. */
	answered(usage: Usage | undefined): void;
	/** Tokens; undefined where the stream holds its first prompt, or does not say which tools there are. */
	tokens(): number | undefined;
}

/** What stays is told by the session's tools; it is no less than what the first request could read from a cache. */
function standingTeller(): StandingTeller {
	let tools: number | undefined;
	let cached: number | undefined;
	let isRecorded = false;
	return {
		take({ subtype, tools: names }) {
			if (subtype === 'init' && Array.isArray(names)) tools ??= names.length;
		},
		prompted() {
			if (cached === undefined) isRecorded = true;
		},
		answered(usage) {
			cached ??= usage?.cacheRead ?? 0;
		},
		tokens() {
			if (isRecorded || tools === undefined) return undefined;
			return Math.max(cached ?? 0, usual.systemPrompt + usual.tool * tools);
		},
	};
}
