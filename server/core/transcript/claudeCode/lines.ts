import type { IdentifiedMessage, Usage } from '../../../protocol/conversation.ts';
import { type Fields, isFields, pickDefined } from '../../shape.ts';
import { asFields, asList, asText, firstNumber, firstText, parseTime, readRecordType } from '../../values.ts';
import type { TranscriptReader } from '../reading/agent.ts';
import { type ContentBlocks, joinContent, readBlocks } from '../reading/blocks.ts';
import { createInfoTracker, type TranscriptEvent, type TranscriptInfo } from '../reading/events.ts';
import { claudeInjections } from '../reading/injected.ts';
import { createSummaryMessage, MessageLog } from '../reading/log.ts';
import { readAnthropicUsage } from '../reading/usage.ts';
import { RequestTracker } from './request.ts';

/** Number of newest API messages that may still get another line. */
const maxOpenMessages = 64;

/** The boundary record before a summary, with facts about the compaction. */
interface CompactionBoundary {
	trigger?: string;
	tokensBefore?: number;
	keptUuids: string[];
}

/** One assistant message of the API, which is written as one line per block. */
interface OpenAssistant {
	message: IdentifiedMessage;
	blocks: ContentBlocks;
}

/**
 * Reads the lines of Claude Code and the Claude Agent SDK. Lines of one API message
 * become one message, sub-agents' lines are skipped, and a prompt that continues an earlier record rewinds.
 */
export class ClaudeLineReader implements TranscriptReader {
	readonly #log = new MessageLog(claudeInjections);
	readonly #openAnswers = new Map<string, OpenAssistant>();
	/** Number of messages up to the line with each uuid. */
	readonly #messageCounts = new Map<string, number>();
	readonly #messageIdByUuid = new Map<string, string>();
	#seenMessages: { id: string; isTurn: boolean }[] = [];
	#boundary: CompactionBoundary | undefined;
	/** Whether the file is a sub-agent's; undefined before its first message. */
	#isSubAgentFile: boolean | undefined;
	readonly #infoEvents = createInfoTracker();
	readonly #requestTracker = new RequestTracker();
	readonly #overheadEstimator = new OverheadEstimator();
	/** The title that the user or an export chose, which takes precedence over titles that Claude Code generates. */
	#customTitle: string | undefined;

	/** @param head the first records of the transcript, if reading starts after them */
	constructor(head: readonly unknown[] = []) {
		const firstTurn = head
			.filter(isFields)
			.find(({ type, message }) => isTurnType(type) && isFields(message));
		this.#isSubAgentFile = firstTurn && isBySubAgent(firstTurn);
	}

	push(record: unknown): TranscriptEvent[] {
		const line = this.#log.countRecord();
		if (!isFields(record)) return [{ t: 'skipped', type: 'unknown' }];
		const uuid = firstText(record.uuid);
		if (uuid !== undefined && this.#messageCounts.has(uuid)) return [{ t: 'skipped', type: 'duplicate' }];
		const events = this.#readInfo(record);
		const recordEvents = this.#readRecord(record, uuid ?? `l${line}`);
		this.#recordMessages(recordEvents, uuid);
		events.push(...recordEvents);
		if (uuid !== undefined) this.#messageCounts.set(uuid, this.#seenMessages.length);
		return events;
	}

	#readRecord(record: Fields, id: string): TranscriptEvent[] {
		if (isTurnType(record.type)) return this.#readConversation(record, id);
		return record.type === 'system' ? this.#readSystem(record) : this.#readAttachmentRecord(record, id);
	}

	#recordMessages(events: readonly TranscriptEvent[], uuid: string | undefined): void {
		for (const event of events) {
			if (event.t !== 'message') continue;
			const { id, role, metadata } = event.message;
			this.#seenMessages.push({
				id,
				isTurn: role === 'assistant' || (role === 'user' && metadata?.injected !== true),
			});
			if (uuid !== undefined) this.#messageIdByUuid.set(uuid, id);
		}
	}

	/** Rewinds to the parent of a typed prompt, if lines follow the parent: the prompt replaces them. */
	#rewindTo(parent: unknown): TranscriptEvent[] {
		const position = typeof parent === 'string' ? this.#messageCounts.get(parent) : undefined;
		if (position === undefined || !this.#seenMessages.slice(position).some(({ isTurn }) => isTurn)) return [];
		this.#seenMessages = this.#seenMessages.slice(0, position);
		return [{ t: 'rewind', toMessageId: this.#seenMessages.at(-1)?.id ?? null }];
	}

	#storeOpenAnswer(key: string, answer: OpenAssistant): void {
		this.#openAnswers.set(key, answer);
		const [oldest] = this.#openAnswers.keys();
		if (this.#openAnswers.size > maxOpenMessages && oldest !== undefined) this.#openAnswers.delete(oldest);
	}

	#readAssistant(record: Fields, message: Fields, id: string): TranscriptEvent[] {
		const blocks = readBlocks(message.content);
		const isSynthetic = message.model === '<synthetic>' || record.isApiErrorMessage === true;
		const extras = {
			usage: isSynthetic ? undefined : readAnthropicUsage(message.usage),
			stopReason: isSynthetic ? 'error' : readStopReason(message.stop_reason),
			timestamp: parseTime(record.timestamp),
			metadata: isSynthetic ? { synthetic: true } : undefined,
		};
		this.#overheadEstimator.recordAnswer(extras.usage);
		this.#boundary = undefined;
		const key = firstText(message.id);
		const openAnswer = key === undefined ? undefined : this.#openAnswers.get(key);
		if (openAnswer === undefined) {
			const events = this.#log.addBlocks(key ?? id, 'assistant', blocks, extras);
			const lastEvent = events.at(-1);
			if (lastEvent?.t === 'message') {
				const parts = { ...blocks, calls: lastEvent.message.toolCalls ?? [] };
				if (key !== undefined) this.#storeOpenAnswer(key, { message: lastEvent.message, blocks: parts });
			}
			return events;
		}
		openAnswer.blocks.parts = openAnswer.blocks.parts.concat(blocks.parts);
		const knownIds = new Set(openAnswer.blocks.calls.map((call) => call.id));
		const newCalls = blocks.calls.filter((call) => call.id === '' || !knownIds.has(call.id));
		openAnswer.blocks.calls = openAnswer.blocks.calls.concat(this.#log.registerCalls(newCalls, id));
		const { usage } = openAnswer.message;
		openAnswer.message = pickDefined({
			...openAnswer.message,
			content: joinContent(openAnswer.blocks.parts),
			toolCalls: openAnswer.blocks.calls.length > 0 ? openAnswer.blocks.calls : undefined,
			usage: extras.usage === undefined || (usage?.output ?? 0) > extras.usage.output ? usage : extras.usage,
			stopReason: extras.stopReason ?? openAnswer.message.stopReason,
		});
		return [{ t: 'replace', messageId: openAnswer.message.id, message: openAnswer.message }];
	}

	#readSummary(blocks: ContentBlocks, id: string, timestamp: number | undefined): TranscriptEvent[] {
		const { message } = this.#log.add(createSummaryMessage(id, joinContent(blocks.parts), timestamp));
		const keptIds = [
			...new Set((this.#boundary?.keptUuids ?? []).flatMap((uuid) => this.#messageIdByUuid.get(uuid) ?? [])),
		];
		const { tokensBefore, trigger } = this.#boundary ?? {};
		this.#boundary = undefined;
		this.#seenMessages.push({ id: message.id, isTurn: false });
		const standing = this.#overheadEstimator.estimateTokens();
		const visibleIds = [message.id, ...keptIds];
		return [{ t: 'compaction', replacement: [message], visibleIds, tokensBefore, trigger, standing }];
	}

	/** Whether a record is the summary in a stream of the SDK, which does not mark it: the first text after a boundary. */
	#isUnmarkedSummary(record: Fields, blocks: ContentBlocks): boolean {
		return this.#boundary !== undefined && record.sessionId === undefined && blocks.results.length === 0;
	}

	#readUser(record: Fields, message: Fields, id: string): TranscriptEvent[] {
		const blocks = readBlocks(message.content);
		const timestamp = parseTime(record.timestamp);
		if (record.isCompactSummary === true || this.#isUnmarkedSummary(record, blocks))
			return this.#readSummary(blocks, id, timestamp);
		const injected =
			record.isMeta === true ||
			record.isVisibleInTranscriptOnly === true ||
			asFields(record.origin).kind === 'task-notification';
		const isPrompt =
			blocks.results.length === 0 && !injected && !this.#log.isInjected(joinContent(blocks.parts));
		if (isPrompt) this.#overheadEstimator.recordPrompt();
		const rewind = isPrompt ? this.#rewindTo(record.parentUuid) : [];
		const isUserAnswer = hasUserAnswer(record.toolUseResult);
		return [...rewind, ...this.#log.addBlocks(id, 'user', blocks, { injected, timestamp, isUserAnswer })];
	}

	#readSystem(record: Fields): TranscriptEvent[] {
		this.#overheadEstimator.readStart(record);
		if (record.subtype === 'compact_boundary') {
			const details = asFields(record.compactMetadata ?? record.compact_metadata);
			const uuids = asFields(details.preservedMessages).uuids;
			this.#boundary = {
				trigger: firstText(details.trigger),
				tokensBefore: firstNumber(details.preTokens, details.pre_tokens),
				keptUuids: Array.isArray(uuids) ? uuids.filter((uuid) => typeof uuid === 'string') : [],
			};
		}
		return [{ t: 'skipped', type: readRecordType(record) }];
	}

	#readInfo(record: Fields): TranscriptEvent[] {
		const message = asFields(record.message);
		const statedModel = firstText(message.model, record.subtype === 'init' ? record.model : undefined);
		const isOther = statedModel === '<synthetic>' || (isBySubAgent(record) && this.#isSubAgentFile === false);
		this.#customTitle = firstText(record.customTitle) ?? this.#customTitle;
		const summary = record.type === 'summary' ? record.summary : undefined;
		return this.#infoEvents({
			sessionId: firstText(record.sessionId, record.session_id),
			cwd: firstText(record.cwd),
			model: isOther ? undefined : statedModel,
			provider: 'anthropic',
			title: firstText(this.#customTitle, record.aiTitle, summary),
			...readCopyFacts(record.contextd),
		});
	}

	#readConversation(record: Fields, id: string): TranscriptEvent[] {
		const { message } = record;
		if (!isFields(message)) return [{ t: 'skipped', type: readRecordType(record) }];
		const isSubAgentRecord = isBySubAgent(record);
		this.#isSubAgentFile ??= isSubAgentRecord;
		if (isSubAgentRecord && !this.#isSubAgentFile) return [{ t: 'skipped', type: 'sidechain' }];
		return record.type === 'assistant'
			? this.#readAssistant(record, message, id)
			: this.#readUser(record, message, id);
	}

	/** Reads records outside the turns: attachments to the conversation, and facts about its requests. */
	#readAttachmentRecord(record: Fields, id: string): TranscriptEvent[] {
		const { attachment } = record;
		if (!isFields(attachment) || (record.isSidechain === true && this.#isSubAgentFile !== true))
			return [{ t: 'skipped', type: readRecordType(record) }];
		const request = this.#requestTracker.read(attachment);
		if (request !== undefined) return this.#infoEvents({ request });
		const attachedMessage = readAttachment(attachment);
		if (attachedMessage === undefined) return [{ t: 'skipped', type: asText(attachment.type) }];
		const { blocks, injected } = attachedMessage;
		return this.#log.addBlocks(id, 'user', blocks, { injected, timestamp: parseTime(record.timestamp) });
	}
}

/** Maximum valid overhead of a copied session's requests, in tokens; larger figures exceed any window. */
const maxOverheadTokens = 10_000_000;

/** Reads what `context/export` recorded about the original of a copied session; empty for other records. */
function readCopyFacts(facts: unknown): Pick<TranscriptInfo, 'copyOf' | 'overheadTokens'> {
	const { copyOf, overheadTokens } = asFields(facts);
	const tokens = firstNumber(overheadTokens) ?? -1;
	const isValid = tokens >= 0 && tokens <= maxOverheadTokens;
	return { copyOf: firstText(copyOf), overheadTokens: isValid ? tokens : undefined };
}

function isTurnType(type: unknown): boolean {
	return type === 'user' || type === 'assistant';
}

/** Whether a sub-agent wrote a line. */
function isBySubAgent(record: Fields): boolean {
	return record.isSidechain === true || typeof record.parent_tool_use_id === 'string';
}

/**
 * Returns true if Claude Code marks a result as the user's text: a refused call, stored as one of the sentences
 * below, or answered questions, stored under `answers`. The text of a failed command is stored likewise, but starts
 * with "Error: Exit code".
 */
function hasUserAnswer(toolUseResult: unknown): true | undefined {
	const isRefusal =
		typeof toolUseResult === 'string' &&
		/^(?:User rejected tool use|Error: The user doesn't want to proceed with this tool use)/.test(
			toolUseResult,
		);
	return isRefusal || isFields(asFields(toolUseResult).answers) || undefined;
}

/** Returns the neutral stop reason for a stop reason of the Messages API. */
function readStopReason(reason: unknown): string | undefined {
	if (typeof reason !== 'string') return undefined;
	const words: Record<string, string> = { end_turn: 'stop', max_tokens: 'length', tool_use: 'tool' };
	return Object.hasOwn(words, reason) ? words[reason] : reason;
}

interface AttachedMessage {
	blocks: ContentBlocks;
	/** Whether no person typed the message. */
	injected: boolean;
}

/**
 * Returns the message that an attachment adds to the conversation; undefined if it adds none. The message may be a
 * queued prompt, a file as a read shows it (from a prompt's `@`, or read again after a compaction), or notes and
 * instructions for a file.
 */
function readAttachment(attachment: Fields): AttachedMessage | undefined {
	switch (attachment.type) {
		case 'queued_command':
			return attachment.prompt === undefined
				? undefined
				: { blocks: readBlocks(attachment.prompt), injected: false };
		case 'file':
			return createInjectedMessage(formatFileContent(attachment));
		case 'edited_text_file':
			return createNoteMessage(attachment.filename, attachment.snippet);
		case 'directory':
			return createNoteMessage(attachment.path, attachment.content);
		case 'nested_memory':
			return createNoteMessage(attachment.path, asFields(attachment.content).content);
		case 'hook_additional_context':
			return createInjectedMessage(asList(attachment.content).filter((text) => typeof text === 'string'));
		default:
			return undefined;
	}
}

function createInjectedMessage(content: unknown): AttachedMessage | undefined {
	const blocks = readBlocks(content);
	return blocks.parts.length === 0 ? undefined : { blocks, injected: true };
}

function createNoteMessage(name: unknown, text: unknown): AttachedMessage | undefined {
	const content = firstText(text);
	return content === undefined ? undefined : createInjectedMessage(`${asText(name)}\n${content}`);
}

function formatFileContent({ filename, content }: Fields): unknown {
	const { type, file } = asFields(content);
	const source = asFields(file);
	const path = firstText(source.filePath, filename) ?? '';
	const call = `Called the Read tool with the following input: ${JSON.stringify({ file_path: path })}`;
	if (type === 'image' && typeof source.base64 === 'string') {
		const image = { type: 'image', data: source.base64, mimeType: firstText(source.type) };
		return [{ type: 'text', text: call }, image];
	}
	if (typeof source.content !== 'string') return [];
	const firstLine = firstNumber(source.startLine) ?? 1;
	const lines = source.content.split('\n').map((line, index) => `${firstLine + index}\t${line}`);
	return `${call}\nResult of calling the Read tool:\n${lines.join('\n')}`;
}

/**
 * Tokens of Claude Code's system prompt, and of one tool declaration. In streams of the Agent SDK with
 * sixteen tools, a request had 16,000 to 21,000 tokens besides its messages.
 */
const overheadTokens = { systemPrompt: 5000, tool: 800 };

/** Estimates the tokens of a stream's requests besides messages, after a compaction removed the first prompt. */
class OverheadEstimator {
	#toolCount: number | undefined;
	#firstCachedTokens: number | undefined;
	#hasFirstPrompt = false;

	/** Reads a record about the start of the session; ignores any other. */
	readStart({ subtype, tools }: Fields): void {
		if (subtype === 'init' && Array.isArray(tools)) this.#toolCount ??= tools.length;
	}

	/** Records that a person's prompt appeared in the stream. */
	recordPrompt(): void {
		if (this.#firstCachedTokens === undefined) this.#hasFirstPrompt = true;
	}

	/** Records an answer's usage. */
	recordAnswer(usage: Usage | undefined): void {
		this.#firstCachedTokens ??= usage?.cacheRead ?? 0;
	}

	/**
	 * Returns an estimate from the session's tools, but at least the tokens that the first request read from a cache.
	 * Undefined if the stream contains its first prompt or does not list its tools.
	 */
	estimateTokens(): number | undefined {
		if (this.#hasFirstPrompt || this.#toolCount === undefined) return undefined;
		const estimate = overheadTokens.systemPrompt + overheadTokens.tool * this.#toolCount;
		return Math.max(this.#firstCachedTokens ?? 0, estimate);
	}
}
