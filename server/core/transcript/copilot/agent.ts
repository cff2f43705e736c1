import type { ContentPart, Usage } from '../../../protocol/conversation.ts';
import { toContentParts } from '../../format/wire/content.ts';
import { type Fields, isFields } from '../../shape.ts';
import { asFields, asList, asText, firstNumber, firstText, parseTime, readRecordType } from '../../values.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { readBlocks, readCalls, toResultContent } from '../reading/blocks.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import {
	type AssumedWindow,
	assumeWindow,
	createLimit,
	findProvenWindow,
	type LimitEvidence,
	type LimitRule,
} from '../reading/limit.ts';
import { createLocation } from '../reading/locations.ts';
import { createSummaryMessage, MessageLog } from '../reading/log.ts';
import {
	createToolRows,
	editCommandRules,
	editorToolNames,
	viewCommandRules,
	viewToolRules,
	wholeFileToolRules,
} from '../reading/tools.ts';
import { readUsageWithReads } from '../reading/usage.ts';

/** Share of the prompt limit at which a compaction starts in the background. */
const backgroundShare = 0.8;

/**
 * Maximum prompt, in tokens, that GitHub's service accepts for most models, regardless of their own
 * window: its model list states 128,000 for Claude Sonnet 4 and 4.6, GPT-4.1, GPT-5 and Gemini 2.5 Pro.
 */
const maxServedPromptTokens = 128_000;

/** Returns the maximum prompt that the session states; otherwise a guess, which a longer answered prompt raises. */
function assumeMaxPrompt(evidence: LimitEvidence): AssumedWindow {
	const assumedWindow = assumeWindow(evidence);
	const isStated = evidence.statedWindow !== undefined || assumedWindow.of === 'setting';
	if (isStated || assumedWindow.window <= maxServedPromptTokens) return assumedWindow;
	return { window: findProvenWindow(maxServedPromptTokens, evidence.answeredTokens), of: 'guess' };
}

/** The limit of a Copilot CLI session: four fifths of the maximum prompt that it states for its model. */
const copilotLimit: LimitRule = (evidence) => {
	const assumedWindow = assumeMaxPrompt(evidence);
	return createLimit(assumedWindow, assumedWindow.window * backgroundShare);
};

const sessionStateFolder = createLocation('COPILOT_HOME', ['.copilot'], 'session-state');

/** Event logs of GitHub Copilot CLI (and of Copilot Chat, which writes the same events). */
export const copilotCli: Agent = {
	name: 'copilot-cli',
	label: 'Copilot CLI',
	tools: {
		reads: { view: viewToolRules, ...createToolRows(editorToolNames, viewCommandRules) },
		edits: {
			create: wholeFileToolRules,
			insert: [{ path: ['path'], lines: { from: ['insert_line'] } }],
			strreplace: wholeFileToolRules,
			...createToolRows(editorToolNames, editCommandRules),
		},
	},
	recognizes(record) {
		const { type, data } = asFields(record);
		return (
			isFields(data) && (type === 'session.start' || type === 'user.message' || type === 'assistant.message')
		);
	},
	createReader: () => new CopilotCliReader(),
	limit: copilotLimit,
	homes: [
		{ root: sessionStateFolder, path: [/./, 'events.jsonl'] },
		{ root: sessionStateFolder, path: [/\.jsonl$/] },
	],
	readInlineSubAgent(record) {
		const { parentToolCallId, ...data } = asFields(record.data);
		const id = firstText(record.agentId, parentToolCallId);
		return id === undefined ? undefined : { id, record: { ...record, agentId: undefined, data } };
	},
};

class CopilotCliReader implements TranscriptReader {
	readonly #log = new MessageLog();
	readonly #infoEvents = createInfoTracker();
	#visibleMessages: { event: string; message: string }[] = [];
	/** Usage figures of calls whose answers have not been read yet, by the call's id. */
	readonly #usageByCallId = new Map<string, Usage>();
	/** Number of messages when the current background compaction started. */
	#compactionStartIndex: number | undefined;
	/** Id of the agent's instructions, which are in every request. */
	#systemId: string | undefined;

	push(record: unknown): TranscriptEvent[] {
		const line = this.#log.countRecord();
		if (!isFields(record) || !isFields(record.data)) return [{ t: 'skipped', type: readRecordType(record) }];
		const id = firstText(record.id) ?? `l${line}`;
		const events = this.#readEvent(record, record.data, id);
		for (const event of events)
			if (event.t === 'message') this.#visibleMessages.push({ event: id, message: event.message.id });
		return events;
	}

	#readUsage({ usage }: Fields): TranscriptEvent[] {
		const { apiCallId, inputTokens, outputTokens, cacheReadTokens, maxPromptTokens } = asFields(usage);
		// Cached tokens are included in the input.
		const callUsage = readUsageWithReads(inputTokens, outputTokens, cacheReadTokens);
		if (typeof apiCallId === 'string' && callUsage !== undefined)
			this.#usageByCallId.set(apiCallId, callUsage);
		const info = this.#infoEvents({ contextWindow: firstNumber(maxPromptTokens) });
		return info.length > 0 ? info : [{ t: 'skipped', type: 'session.usage_record' }];
	}

	#readAssistant(data: Fields, id: string, timestamp: number | undefined): TranscriptEvent[] {
		const reasoning = firstText(data.reasoningText);
		const thought: ContentPart[] = reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning }];
		const calls = readCalls(data.toolRequests);
		const blocks = { parts: [...thought, ...readBlocks(data.content).parts], calls, results: [] };
		const info = this.#infoEvents({ model: firstText(data.model) });
		const call = firstText(data.apiCallId) ?? '';
		const usage = this.#usageByCallId.get(call);
		this.#usageByCallId.delete(call);
		return [...info, ...this.#log.addBlocks(id, 'assistant', blocks, { usage, timestamp })];
	}

	#readResult(data: Fields, id: string, timestamp: number | undefined): TranscriptEvent[] {
		const { callId, toolName } = this.#log.matchResult(firstText(data.toolCallId));
		const result = asFields(data.result);
		const content = toResultContent(result.content ?? asFields(data.error).message ?? data.result);
		const images = readImages(result.binaryResultsForLlm);
		const resultBlock = {
			callId,
			toolName: toolName ?? firstText(data.toolName),
			content: images.length === 0 ? content : [...toContentParts(content), ...images],
			isError: data.success === false || undefined,
		};
		return [this.#log.addResult(id, resultBlock, { timestamp })];
	}

	#readCompaction(data: Fields, id: string, timestamp: number | undefined): TranscriptEvent[] {
		const summary = firstText(data.summaryContent);
		if (summary === undefined || data.success === false)
			return [{ t: 'skipped', type: 'session.compaction_complete' }];
		const { message } = this.#log.add(createSummaryMessage(id, summary, timestamp));
		const tokensBefore = firstNumber(data.preCompactionTokens);
		// Messages written during the background compaction are kept.
		const messagesSinceStart =
			this.#compactionStartIndex === undefined ? [] : this.#visibleMessages.slice(this.#compactionStartIndex);
		this.#compactionStartIndex = undefined;
		const visibleIds = [
			...(this.#systemId === undefined ? [] : [this.#systemId]),
			message.id,
			...messagesSinceStart.map((one) => one.message),
		];
		return [{ t: 'compaction', replacement: [message], visibleIds, tokensBefore }];
	}

	#readRewind(data: Fields): TranscriptEvent[] {
		const position = this.#visibleMessages.findIndex(({ event }) => event === data.upToEventId);
		if (position < 0) return [{ t: 'skipped', type: 'session.snapshot_rewind' }];
		this.#visibleMessages = this.#visibleMessages.slice(0, position);
		return [{ t: 'rewind', toMessageId: this.#visibleMessages.at(-1)?.message ?? null }];
	}

	#readInstructions(data: Fields, id: string, timestamp: number | undefined): TranscriptEvent[] {
		const events = this.#log.addBlocks(id, 'system', readBlocks(data.content), { timestamp });
		const [event] = events;
		if (event?.t === 'message') this.#systemId = event.message.id;
		return events;
	}

	#readEvent(record: Fields, data: Fields, id: string): TranscriptEvent[] {
		// Messages to and from a sub-agent have its id.
		if (typeof record.agentId === 'string') return [{ t: 'skipped', type: 'sidechain' }];
		const timestamp = parseTime(record.timestamp);
		const type = readRecordType(record);
		const addUser = (content: unknown, injected: boolean): TranscriptEvent[] => {
			const blocks = readBlocks(content);
			blocks.parts.push(...readImages(data.attachments));
			return this.#log.addBlocks(id, 'user', blocks, { injected, timestamp });
		};
		switch (record.type) {
			case 'session.start':
			case 'session.resume':
				return this.#infoEvents({
					sessionId: firstText(data.sessionId),
					cwd: firstText(asFields(data.context).cwd),
					model: firstText(data.selectedModel),
				});
			case 'session.usage_record':
				return this.#readUsage(data);
			case 'session.compaction_start':
				this.#compactionStartIndex = this.#visibleMessages.length;
				return [{ t: 'skipped', type }];
			case 'session.model_change':
				return this.#infoEvents({ model: firstText(data.newModel) });
			case 'session.title_changed':
				return this.#infoEvents({ title: firstText(data.title) });
			case 'user.message':
				return addUser(firstText(data.transformedContent, data.content) ?? '', data.source === 'system');
			case 'system.notification':
				return addUser(data.content, true);
			case 'system.message':
				return this.#readInstructions(data, id, timestamp);
			case 'assistant.message':
				if (data.parentToolCallId !== undefined) return [{ t: 'skipped', type: 'sidechain' }];
				return this.#readAssistant(data, id, timestamp);
			case 'tool.execution_complete':
				if (data.parentToolCallId !== undefined) return [{ t: 'skipped', type: 'sidechain' }];
				return this.#readResult(data, id, timestamp);
			case 'session.compaction_complete':
				return this.#readCompaction(data, id, timestamp);
			case 'session.snapshot_rewind':
				return this.#readRewind(data);
			default:
				return [{ t: 'skipped', type: asText(type) }];
		}
	}
}

/** Reads the images among attachments or results that are stored in the event itself. */
function readImages(list: unknown): ContentPart[] {
	return asList(list).flatMap((value): ContentPart[] => {
		const { data, mimeType } = asFields(value);
		const mediaType = firstText(mimeType);
		if (typeof data !== 'string' || !mediaType?.startsWith('image/')) return [];
		return [{ type: 'image', mediaType, data }];
	});
}
