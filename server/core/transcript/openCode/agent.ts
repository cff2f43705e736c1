import type { ContentPart, IdentifiedMessage, ToolCall, Usage } from '../../../protocol/conversation.ts';
import { toContentParts } from '../../format/wire/content.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { type Fields, isFields, pickDefined, tryParseJson } from '../../shape.ts';
import { asFields, asList, asText, firstNumber, firstText, parseTime } from '../../values.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { joinContent, readBlocks, toResultContent } from '../reading/blocks.ts';
import { EventGroups } from '../reading/eventGroups.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import { createLocation, type DatabaseHome } from '../reading/locations.ts';
import { createRecordReader } from '../reading/log.ts';
import { bashRule, readToolRules, wholeFileToolRules } from '../reading/tools.ts';
import { readUsageExcludingCache } from '../reading/usage.ts';
import { openCodeLimit, openCodeSettings } from './limit.ts';

/** Databases with OpenCode's sessions of all projects. */
const openCodeDatabase: DatabaseHome = {
	root: createLocation('XDG_DATA_HOME', ['.local', 'share'], 'opencode'),
	path: [/^opencode.*\.db$/],
	variable: 'OPENCODE_DB',
	table: 'session',
	sessionsSql: `select s.id, s.title, s.directory as folder, s.time_updated as updated, s.parent_id as parent,
			(select coalesce(sum(length(p.data)), 0) from part p where p.session_id = s.id) as size
		from session s order by s.time_updated desc`,
	hasParents: true,
	records: [
		{
			sql: 'select * from session where id = ?',
			createRecord: ({ id, project_id, directory, title }) => ({
				id,
				projectID: project_id,
				directory,
				title,
			}),
		},
		{ sql: 'select * from part where session_id = ? order by id', createRecord: readRow },
		{ sql: 'select * from message where session_id = ? order by id', createRecord: readRow },
	],
};

function readRow({ id, session_id, message_id, data }: Readonly<Record<string, unknown>>): unknown {
	const value = typeof data === 'string' ? tryParseJson(data)?.value : undefined;
	if (!isFields(value)) return undefined;
	const owner = typeof message_id === 'string' ? { messageID: message_id } : {};
	return { ...value, id, sessionID: session_id, ...owner };
}

/** Text that OpenCode shows the model instead of an output that it cleared. */
const clearedOutput = '[Old tool result content cleared]';

/** Tokens of the history after OpenCode's own compaction: measured on 1.18.33, 8,000 to 12,000. */
const compactionRemainingTokens = 8000;

/**
 * OpenCode's storage (session, message and part records, each a file or a row, in any order), or its export (one
 * document with all records).
 */
export const openCode: Agent = {
	name: 'opencode',
	label: 'OpenCode',
	tools: {
		reads: { read: readToolRules },
		edits: { edit: wholeFileToolRules, write: wholeFileToolRules },
		patches: { patch: ['patchText', 'patch', 'input'] },
		shells: { bash: bashRule },
	},
	recognizes(record) {
		const { id, projectID, directory, sessionID, messageID, role, messages } = asFields(record);
		if (Array.isArray(messages)) return messages.some((one) => isFields(asFields(one).info));
		if (typeof sessionID === 'string') return typeof messageID === 'string' || typeof role === 'string';
		return typeof id === 'string' && typeof projectID === 'string' && typeof directory === 'string';
	},
	createReader: createOpenCodeReader,
	limit: openCodeLimit,
	settings: openCodeSettings,
	plugin: {
		prefix: 'opencode',
		threshold: 0.9,
		compactionRemainingTokens,
		findSessionId: (path) => /[#/\\]([^#/\\]+?)(?:\.json)?$/.exec(path)?.[1],
	},
	homes: [
		{
			root: createLocation('XDG_DATA_HOME', ['.local', 'share'], 'opencode', 'storage', 'session'),
			path: [/./, /\.json$/],
		},
	],
	databases: [openCodeDatabase],
};

interface OpenCodeMessage {
	id: string;
	info: Fields;
	parts: Map<string, Fields>;
}

function createOpenCodeReader(): TranscriptReader {
	const infoEvents = createInfoTracker();
	const groups = new EventGroups();
	const messages = new Map<string, OpenCodeMessage>();
	/** Parts that were read before the message that contains them, by the message's id. */
	const earlyParts = new Map<string, Map<string, Fields>>();
	const order: OpenCodeMessage[] = [];

	const readAgain = (message: OpenCodeMessage): TranscriptEvent[] => {
		const newestIndex = order.length - 1;
		const position = order[newestIndex] === message ? newestIndex : order.indexOf(message);
		return groups.put(position, readMessage(message, order));
	};

	const applyMessage = (id: string, info: Fields): TranscriptEvent[] => {
		const knownMessage = messages.get(id);
		if (knownMessage !== undefined) {
			knownMessage.info = info;
			return readAgain(knownMessage);
		}
		const message = { id, info, parts: earlyParts.get(id) ?? new Map<string, Fields>() };
		earlyParts.delete(id);
		messages.set(id, message);
		const previousIndex = order.findLastIndex((one) => readCreationTime(one.info) <= readCreationTime(info));
		order.splice(previousIndex + 1, 0, message);
		return groups.insert(previousIndex + 1, readMessage(message, order));
	};

	const applyPart = (id: string, owner: string, part: Fields): TranscriptEvent[] => {
		const message = messages.get(owner);
		if (message !== undefined) {
			message.parts.set(id, part);
			return readAgain(message);
		}
		getOrInsert(earlyParts, owner, () => new Map()).set(id, part);
		return [];
	};

	const applyRecord = (record: Fields): TranscriptEvent[] | undefined => {
		const id = firstText(record.id);
		const owner = firstText(record.messageID);
		if (id === undefined) return undefined;
		if (owner !== undefined && typeof record.type === 'string') return applyPart(id, owner, record);
		return typeof record.role === 'string' ? applyMessage(id, record) : undefined;
	};

	/** Applies the messages of an export, in which parts have their order. Archives replace ids by the same word. */
	const applyExport = (entries: readonly unknown[]): TranscriptEvent[] => {
		const seenIds = new Set<string>();
		return entries.flatMap((entry, index) => {
			const { info, parts } = asFields(entry);
			const writtenId = firstText(asFields(info).id);
			if (writtenId === undefined || !isFields(info)) return [];
			const id = seenIds.has(writtenId) ? `${writtenId}:${index}` : writtenId;
			seenIds.add(id);
			const partEvents = asList(parts).flatMap((part, position) =>
				isFields(part) ? applyPart(String(position).padStart(6, '0'), id, part) : [],
			);
			return [...partEvents, ...(applyRecord({ ...info, id }) ?? [])];
		});
	};

	return createRecordReader((record) => {
		if (Array.isArray(record.messages))
			return [...infoEvents(readSessionInfo(asFields(record.info))), ...applyExport(record.messages)];
		const events = applyRecord(record);
		if (events === undefined) {
			const info = infoEvents(readSessionInfo(record));
			return info.length > 0 ? info : [{ t: 'skipped', type: asText(record.type) || 'unknown' }];
		}
		const model = asFields(record.model);
		const info = infoEvents({
			sessionId: firstText(record.sessionID),
			model: firstText(record.modelID, model.modelID),
			provider: firstText(record.providerID, model.providerID),
		});
		return [...info, ...events];
	});
}

function readSessionInfo(session: Fields) {
	if (typeof session.directory !== 'string') return {};
	return {
		sessionId: firstText(session.id),
		cwd: firstText(session.directory),
		title: firstText(session.title),
	};
}

function readCreationTime(info: Fields): number {
	return firstNumber(asFields(info.time).created) ?? 0;
}

/** Returns the part of a message that requests a compaction. */
function findCompactionPart({ parts }: OpenCodeMessage): Fields | undefined {
	return [...parts.values()].find(({ type }) => type === 'compaction');
}

/**
 * Returns the ids of the messages that a compaction keeps next to its summary. The request for the compaction names the
 * first of them; the last one is the message before the request.
 */
function listKeptTail(requestIndex: number, order: readonly OpenCodeMessage[]): string[] {
	const request = order[requestIndex];
	const firstId = request && firstText(findCompactionPart(request)?.tail_start_id);
	const firstIndex = firstId === undefined ? -1 : order.findIndex(({ id }) => id === firstId);
	if (firstIndex < 0) return [];
	return order
		.slice(firstIndex, requestIndex)
		.flatMap((one) => readMessage(one, order))
		.flatMap((event) => (event.t === 'message' ? [event.message.id] : []));
}

function readMessage(message: OpenCodeMessage, order: readonly OpenCodeMessage[]): TranscriptEvent[] {
	const { id, info } = message;
	const parts = [...message.parts.entries()]
		.sort(([one], [other]) => (one < other ? -1 : 1))
		.map(([, part]) => part);
	const timestamp = parseTime(readCreationTime(info));
	if (info.role !== 'assistant') return readUser(id, info, parts, timestamp);
	const steps = splitSteps(parts);
	const events = steps.flatMap((step, index) =>
		readStep(index === 0 ? id : `${id}:step${index + 1}`, step, info, timestamp),
	);
	if (info.summary !== true) return events;
	const position = order.indexOf(message);
	if (position === 0) return events;
	const replacement = events.flatMap((event): IdentifiedMessage[] => {
		if (event.t !== 'message' || event.message.role !== 'assistant') return [];
		const metadata = { ...event.message.metadata, injected: true, isSummary: true };
		return [{ ...event.message, role: 'user', metadata }];
	});
	const earlierMessages = order.slice(0, position);
	const requestIndex = earlierMessages.findLastIndex((one) => findCompactionPart(one) !== undefined);
	const request = order[requestIndex];
	const trigger = request && findCompactionPart(request)?.auto === true ? 'auto' : undefined;
	const visibleIds = [...replacement.map((summary) => summary.id), ...listKeptTail(requestIndex, order)];
	return [{ t: 'compaction', replacement, visibleIds, trigger }];
}

function readUser(id: string, info: Fields, parts: readonly Fields[], timestamp?: number): TranscriptEvent[] {
	const content = parts.flatMap(readContent);
	const texts = parts.filter((part) => part.type === 'text');
	const injected = texts.length > 0 && texts.every((part) => part.synthetic === true);
	const message = {
		id,
		role: info.role === 'system' ? ('system' as const) : ('user' as const),
		content: joinContent(content),
		timestamp,
		metadata: injected ? { injected } : undefined,
	};
	return [{ t: 'message', message: pickDefined(message) }];
}

function readContent(part: Fields): ContentPart[] {
	if (part.type === 'text' || part.type === 'reasoning') return readBlocks([part]).parts;
	if (part.type !== 'file') return [];
	const mime = firstText(part.mime) ?? '';
	const url = firstText(part.url);
	if (mime.startsWith('image/') && url !== undefined) return readBlocks([{ type: 'image', url }]).parts;
	return [{ type: 'opaque', value: part }];
}

/** Splits a message's parts into model calls: each `step-start` except the first starts one. */
function splitSteps(parts: readonly Fields[]): Fields[][] {
	const steps: Fields[][] = [[]];
	for (const part of parts) {
		if (part.type === 'step-start' && steps.at(-1)?.some((one) => one.type === 'step-finish')) steps.push([]);
		else steps.at(-1)?.push(part);
	}
	return steps;
}

function readStep(id: string, parts: readonly Fields[], info: Fields, timestamp?: number): TranscriptEvent[] {
	const tools = parts.filter((part) => part.type === 'tool');
	const calls = tools.map(
		(part, index): ToolCall => ({
			id: firstText(part.callID) ?? `${id}:call${index + 1}`,
			name: firstText(part.tool) ?? 'unknown',
			args: asFields(part.state).input ?? {},
		}),
	);
	const message: IdentifiedMessage = pickDefined({
		id,
		role: 'assistant' as const,
		content: joinContent(parts.flatMap(readContent)),
		toolCalls: calls.length > 0 ? calls : undefined,
		usage: readOpenCodeUsage(parts.findLast((part) => part.type === 'step-finish')?.tokens ?? info.tokens),
		stopReason: info.finish === 'tool-calls' ? 'tool' : firstText(info.finish),
		timestamp,
	});
	const results = tools.flatMap((part, index) => readResult(id, part, calls[index], index));
	return [{ t: 'message', message }, ...results];
}

/** Returns the usage from the `tokens` of a message or of one of its steps. */
export function readOpenCodeUsage(value: unknown): Usage | undefined {
	const { input, output, reasoning, cache } = asFields(value);
	if (firstNumber(input) === undefined) return undefined;
	const { read, write } = asFields(cache);
	const outputTokens = (firstNumber(output) ?? 0) + (firstNumber(reasoning) ?? 0);
	return readUsageExcludingCache(input, outputTokens, read, write);
}

function readResult(id: string, part: Fields, call: ToolCall | undefined, index: number): TranscriptEvent[] {
	const state = asFields(part.state);
	if (call === undefined || (state.status !== 'completed' && state.status !== 'error')) return [];
	const time = asFields(state.time);
	const isErrorState = state.status === 'error';
	// A command that exits with an error is still `completed`.
	const exitCode = firstNumber(asFields(state.metadata).exit);
	const hasFailed = isErrorState || (exitCode !== undefined && exitCode !== 0);
	const resultContent = toResultContent(isErrorState ? (state.error ?? state.output) : state.output);
	const images = asList(state.attachments).map(asFields).flatMap(readContent);
	const message = pickDefined({
		id: `${id}:out${index + 1}`,
		role: 'tool' as const,
		content: images.length === 0 ? resultContent : [...toContentParts(resultContent), ...images],
		toolCallId: call.id,
		toolName: call.name,
		isError: hasFailed ? (true as const) : undefined,
		timestamp: parseTime(time.end),
	});
	const original: TranscriptEvent = { t: 'message', message };
	if (time.compacted === undefined || time.compacted === null) return [original];
	// OpenCode still stores the output that it no longer shows to the model.
	const clearedMessage = { ...message, content: clearedOutput };
	return [original, { t: 'replace', messageId: message.id, message: clearedMessage }];
}
