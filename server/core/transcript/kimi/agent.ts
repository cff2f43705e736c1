import type { ContentPart, IdentifiedMessage, ToolCall } from '../../../protocol/conversation.ts';
import { type Fields, isFields, pickDefined } from '../../shape.ts';
import { asFields, asText, firstNumber, firstText, parseTime, readRecordType } from '../../values.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { joinContent, readBlocks, readCall, readCalls, toResultContent } from '../reading/blocks.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import { assumeWindow, createLimit, type LimitRule, readShare } from '../reading/limit.ts';
import { createLocation, type ProjectNames } from '../reading/locations.ts';
import { createSummaryMessage, MessageLog } from '../reading/log.ts';
import { parseTomlTables, pickFields, type SettingsSource } from '../reading/settings.ts';
import { readUsageExcludingCache } from '../reading/usage.ts';

/** Characters of the digest in the name of a project's folder. */
const digestLength = 12;

const projectNames: ProjectNames = {
	isProject: (name, { digest }) => name.endsWith(`_${digest.slice(0, digestLength)}`),
	isConclusive: true,
};

/** Default share of the window at which Kimi Code compacts, and default tokens that it keeps free. */
const defaultLimits = { share: 0.85, reserve: 50_000 };

/**
 * The limit of a Kimi Code session: 85% of the window, or 50,000 below it if that is less. Models in the settings have
 * the window `max_context_size`.
 */
const kimiLimit: LimitRule = (evidence) => {
	const { models, loop_control } = evidence.settings ?? {};
	const userWindow = firstNumber(asFields(asFields(models)[evidence.model ?? '']).max_context_size);
	const assumedWindow = assumeWindow(evidence, userWindow);
	const { window } = assumedWindow;
	const loopSettings = asFields(loop_control);
	const share = (readShare(loopSettings.compaction_trigger_ratio) ?? defaultLimits.share) * window;
	const reserve = firstNumber(loopSettings.reserved_context_size) ?? defaultLimits.reserve;
	return createLimit(assumedWindow, reserve < window / 2 ? Math.min(share, window - reserve) : share);
};

/** Loop settings of `config.toml`, and the windows of models by the names that providers use. */
const kimiSettings: SettingsSource = {
	files: [createLocation('KIMI_CODE_HOME', ['.kimi-code'], 'config.toml')],
	read([toml = '']) {
		const tables = [...parseTomlTables(toml)];
		const models = tables.flatMap(([name, table]) => {
			const model = firstText(table.model);
			const isModel = name.startsWith('models.') && model !== undefined;
			return isModel ? [[model, pickFields(table, ['max_context_size'])] as const] : [];
		});
		const loopTable = tables.find(([name]) => name === 'loop_control')?.[1] ?? {};
		return {
			settings: {
				loop_control: pickFields(loopTable, ['compaction_trigger_ratio', 'reserved_context_size']),
				models: Object.fromEntries(models),
			},
		};
	},
};

/** `wire.jsonl` of Kimi Code: changes of an agent's state. Only changes of its context are read. */
export const kimiCode: Agent = {
	name: 'kimi-code',
	label: 'Kimi Code',
	recognizes(record) {
		const { type, protocol_version, message, event } = asFields(record);
		if (type === 'metadata') return typeof protocol_version === 'string';
		if (type === 'context.append_message') return isFields(message);
		return type === 'context.append_loop_event' && isFields(event);
	},
	createReader: () => new KimiReader(),
	limit: kimiLimit,
	settings: kimiSettings,
	homes: [
		{
			root: createLocation('KIMI_CODE_HOME', ['.kimi-code'], 'sessions'),
			path: [projectNames, /./, 'agents', 'main', 'wire.jsonl'],
			index: { file: 'session_index.jsonl', session: 'sessionId', folder: 'workDir' },
		},
	],
};

/** The answer of the current step, which becomes a message when its first part arrives. */
interface OpenStep {
	id: string;
	parts: ContentPart[];
	calls: ToolCall[];
	message?: IdentifiedMessage;
}

class KimiReader implements TranscriptReader {
	readonly #log = new MessageLog();
	readonly #infoEvents = createInfoTracker();
	#history: KimiHistoryEntry[] = [];
	readonly #openSteps = new Map<string, OpenStep>();
	/** Ids of calls without a result. Messages that arrive meanwhile are added after the results. */
	readonly #pendingCallIds = new Set<string>();
	#deferredMessages: { message: Fields; id: string; timestamp?: number }[] = [];
	/** Number of entries at the start of the history from the newest compaction: its summary and kept messages. */
	#keptPrefixLength = 0;
	#systemId: string | undefined;
	#compactionTrigger: string | undefined;

	push(record: unknown): TranscriptEvent[] {
		const id = `l${this.#log.countRecord()}`;
		return isFields(record) ? this.#readRecord(record, id) : [{ t: 'skipped', type: 'unknown' }];
	}

	#addToHistory(events: TranscriptEvent[], kind: KimiHistoryEntry['kind']): TranscriptEvent[] {
		for (const event of events) if (event.t === 'message') this.#history.push({ id: event.message.id, kind });
		return events;
	}

	#readDeferred(): TranscriptEvent[] {
		const deferred = this.#deferredMessages;
		this.#deferredMessages = [];
		return deferred.flatMap(({ message, id, timestamp }) => this.#readMessage(message, id, timestamp));
	}

	#readMessage(message: Fields, id: string, timestamp?: number): TranscriptEvent[] {
		const kind = findEntryKind(message);
		if (message.role === 'tool') {
			const { toolCallId, content, isError } = message;
			return this.#addToHistory([this.#addResult(id, toolCallId, { content, isError }, timestamp)], 'other');
		}
		const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user';
		const injected = role === 'user' && kind !== 'prompt';
		const { content } = message;
		const parts = Array.isArray(content) ? content.flatMap(readParts) : readParts(content);
		const blocks = { parts, calls: readCalls(message.toolCalls), results: [] };
		return this.#addToHistory(this.#log.addBlocks(id, role, blocks, { injected, timestamp }), kind);
	}

	#addResult(id: string, callId: unknown, { content, isError }: Fields, timestamp: number | undefined) {
		const result = { callId: firstText(callId), content: toResultContent(content) };
		return this.#log.addResult(id, { ...result, isError: isError === true || undefined }, { timestamp });
	}

	#readInstructions(record: Fields, id: string): TranscriptEvent[] {
		const info = this.#infoEvents({
			model: firstText(record.modelAlias)?.replace(/^.*\//, ''),
			cwd: firstText(record.cwd, asFields(record.environmentDisclosure).cwd),
		});
		const text = firstText(record.systemPrompt);
		if (text === undefined || this.#systemId !== undefined) return info;
		const event = this.#log.add({ id, role: 'system', content: text, timestamp: parseTime(record.time) });
		this.#systemId = event.message.id;
		return [...info, event];
	}

	#extendStep(step: OpenStep, timestamp: number | undefined): TranscriptEvent[] {
		const toolCalls = step.calls.length > 0 ? [...step.calls] : undefined;
		const content = joinContent(step.parts);
		if (step.message !== undefined) {
			step.message = pickDefined({ ...step.message, content, toolCalls });
			return [{ t: 'replace', messageId: step.message.id, message: step.message }];
		}
		const event = this.#log.add({ id: step.id, role: 'assistant', content, toolCalls, timestamp });
		step.message = event.message;
		return this.#addToHistory([event], 'other');
	}

	#readResult(event: Fields, id: string, timestamp: number | undefined): TranscriptEvent[] {
		const { output: content, isError } = asFields(event.result);
		const result = this.#addResult(id, event.toolCallId, { content, isError }, timestamp);
		this.#pendingCallIds.delete(result.message.toolCallId ?? '');
		const events = this.#addToHistory([result], 'other');
		return this.#pendingCallIds.size === 0 ? [...events, ...this.#readDeferred()] : events;
	}

	#endStep(event: Fields): TranscriptEvent[] {
		const step = this.#openSteps.get(asText(event.uuid));
		this.#openSteps.delete(asText(event.uuid));
		const { inputOther, output, inputCacheRead, inputCacheCreation } = asFields(event.usage);
		const stepUsage = readUsageExcludingCache(inputOther, output, inputCacheRead, inputCacheCreation);
		if (step?.message === undefined || stepUsage === undefined) return [];
		const stopReason = readStopReason(event.finishReason);
		return [{ t: 'usage', messageId: step.message.id, usage: stepUsage, stopReason }];
	}

	#readLoopEvent(event: Fields, id: string, timestamp: number | undefined): TranscriptEvent[] {
		const step = this.#openSteps.get(asText(event.stepUuid));
		switch (event.type) {
			case 'step.begin': {
				// The model is called again, and sees deferred messages even if calls have no result.
				this.#pendingCallIds.clear();
				this.#openSteps.set(asText(event.uuid), { id, parts: [], calls: [] });
				return this.#readDeferred();
			}
			case 'step.end':
				return this.#endStep(event);
			case 'content.part':
				if (step === undefined) break;
				step.parts.push(...readParts(event.part));
				return this.#extendStep(step, timestamp);
			case 'tool.call': {
				if (step === undefined) break;
				const calls = this.#log.registerCalls([readCall(event)], id);
				step.calls.push(...calls);
				for (const one of calls) this.#pendingCallIds.add(one.id);
				return this.#extendStep(step, timestamp);
			}
			case 'tool.result':
				return this.#readResult(event, id, timestamp);
		}
		return [{ t: 'skipped', type: `context.append_loop_event/${asText(event.type)}` }];
	}

	#readCompaction(record: Fields, id: string, timestamp: number | undefined): TranscriptEvent[] {
		const text = firstText(record.contextSummary, record.summary);
		if (text === undefined) return [{ t: 'skipped', type: 'context.apply_compaction' }];
		const events = this.#readDeferred();
		const keptHistory = findKeptEntries(this.#history, record);
		const { message } = this.#log.add(createSummaryMessage(id, text, timestamp));
		const entry: KimiHistoryEntry = { id: message.id, kind: 'summary' };
		this.#history = keptHistory.isTail ? [entry, ...keptHistory.entries] : [...keptHistory.entries, entry];
		this.#keptPrefixLength = keptHistory.isTail ? this.#history.length : 0;
		this.#openSteps.clear();
		this.#pendingCallIds.clear();
		const visibleIds = this.#listVisibleIds();
		const tokensBefore = firstNumber(record.tokensBefore);
		const trigger = this.#compactionTrigger;
		return [...events, { t: 'compaction', replacement: [message], visibleIds, tokensBefore, trigger }];
	}

	#listVisibleIds(): string[] {
		const ids = this.#history.map(({ id }) => id);
		return this.#systemId === undefined ? ids : [this.#systemId, ...ids];
	}

	/** Removes the history from an index on. */
	#removeFrom(position: number): TranscriptEvent[] {
		const isBeforeSummary = position > 0 && position < this.#keptPrefixLength;
		this.#history = this.#history.slice(0, position);
		this.#keptPrefixLength = Math.min(this.#keptPrefixLength, position);
		this.#openSteps.clear();
		this.#pendingCallIds.clear();
		this.#deferredMessages = [];
		if (isBeforeSummary) {
			// The kept messages precede the summary, so a rewind removes none of them. The compaction lists the rest.
			const summary = this.#history[0]?.id ?? null;
			return [
				{ t: 'rewind', toMessageId: summary },
				{ t: 'compaction', replacement: [], visibleIds: this.#listVisibleIds() },
			];
		}
		return [{ t: 'rewind', toMessageId: this.#history.at(-1)?.id ?? this.#systemId ?? null }];
	}

	#readRecord(record: Fields, id: string): TranscriptEvent[] {
		const timestamp = parseTime(record.time);
		const { message, event } = record;
		switch (record.type) {
			case 'config.update':
			case 'profile.bind':
				return this.#readInstructions(record, id);
			case 'llm.request':
				return this.#infoEvents({ model: firstText(record.model), provider: firstText(record.provider) });
			case 'context.append_message':
				if (!isFields(message)) break;
				if (this.#pendingCallIds.size === 0 || message.role === 'tool')
					return this.#readMessage(message, id, timestamp);
				this.#deferredMessages.push({ message, id, timestamp });
				return [];
			case 'context.append_loop_event':
				if (!isFields(event)) break;
				return this.#readLoopEvent(event, id, timestamp);
			case 'full_compaction.begin':
				this.#compactionTrigger = firstText(record.source);
				return [];
			case 'context.apply_compaction':
				return this.#readCompaction(record, id, timestamp);
			case 'context.clear':
				return this.#removeFrom(0);
			case 'context.undo': {
				const position = findUndoIndex(this.#history, firstNumber(record.count) ?? 0);
				return position === undefined ? [] : this.#removeFrom(position);
			}
		}
		return [{ t: 'skipped', type: readRecordType(record) }];
	}
}

/** Reads a part: Kimi's own reasoning and image blocks, and blocks that other agents use too. */
function readParts(part: unknown): ContentPart[] {
	const { type, think, imageUrl } = asFields(part);
	if (type === 'think')
		return typeof think === 'string' && think !== '' ? [{ type: 'reasoning', text: think }] : [];
	if (imageUrl !== undefined) return readBlocks([{ type, image_url: imageUrl }]).parts;
	return readBlocks([part]).parts;
}

/** Returns the kind of a message: a person's prompt, a text that the agent injected, a summary, or other. */
function findEntryKind(message: Fields): KimiHistoryEntry['kind'] {
	if (message.role !== 'user') return 'other';
	const { kind, trigger } = asFields(message.origin);
	if (kind === undefined || kind === 'user') return 'prompt';
	if ((kind === 'skill_activation' || kind === 'plugin_command') && trigger === 'user-slash') return 'prompt';
	if (kind === 'compaction_summary') return 'summary';
	return kind === 'injection' ? 'injection' : 'other';
}

/** Returns the neutral stop reason of a step. */
function readStopReason(reason: unknown): string | undefined {
	if (reason === 'tool_use') return 'tool';
	return reason === 'end_turn' ? 'stop' : firstText(reason);
}

/** A message of the history that the model sees. */
interface KimiHistoryEntry {
	id: string;
	kind: 'prompt' | 'injection' | 'summary' | 'other';
}

/**
 * Returns what remains next to the summary: the oldest and newest prompts, in the numbers that the
 * record states. In older records: everything after the compacted messages (`isTail`), which follows the summary.
 */
function findKeptEntries(
	history: readonly KimiHistoryEntry[],
	record: Fields,
): { entries: KimiHistoryEntry[]; isTail: boolean } {
	const keptPrompts = readCount(record.keptUserMessageCount);
	if (keptPrompts === undefined) {
		const compactedCount = readCount(record.compactedCount) ?? history.length;
		return { entries: history.slice(compactedCount), isTail: true };
	}
	const prompts = history.filter(({ kind }) => kind === 'prompt');
	const head = Math.min(readCount(record.keptHeadUserMessageCount) ?? 0, keptPrompts);
	const tail = Math.min(keptPrompts - head, prompts.length);
	// A prompt that Kimi splits between the kept start and the kept end is kept only once.
	const oldestPrompts = prompts.slice(0, Math.min(head, prompts.length - tail));
	return { entries: [...oldestPrompts, ...prompts.slice(prompts.length - tail)], isTail: false };
}

/** Returns the index from which an undo removes the history; undefined if too few prompts follow the summary. */
function findUndoIndex(history: readonly KimiHistoryEntry[], prompts: number): number | undefined {
	let remainingPrompts = prompts;
	if (remainingPrompts <= 0) return undefined;
	for (let position = history.length - 1; position >= 0; position--) {
		const kind = history[position]?.kind;
		if (kind === 'summary') return undefined;
		if (kind === 'prompt' && --remainingPrompts <= 0) return position;
	}
	return undefined;
}

function readCount(value: unknown): number | undefined {
	const number = firstNumber(value);
	return number === undefined ? undefined : Math.max(0, Math.floor(number));
}
