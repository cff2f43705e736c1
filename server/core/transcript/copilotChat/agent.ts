import type { ContentPart, IdentifiedMessage, ToolCall } from '../../../protocol/conversation.ts';
import { type Fields, isFields, pickDefined } from '../../shape.ts';
import { asFields, asList, firstNumber, firstText, parseTime } from '../../values.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { joinContent, readCall } from '../reading/blocks.ts';
import { EventGroups } from '../reading/eventGroups.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import { commandRule, readFileToolRules, wholeFileToolRules } from '../reading/tools.ts';
import { readUsageExcludingCache } from '../reading/usage.ts';

/**
 * Chat sessions of VS Code: one JSON document, or since 2026 a log of its changes. An entry contains a
 * request of the user and all calls that were made for it.
 */
export const copilotChat: Agent = {
	name: 'copilot-chat',
	label: 'Copilot Chat',
	tools: {
		reads: { copilotreadfile: readFileToolRules },
		edits: {
			createfile: wholeFileToolRules,
			replacestringinfile: wholeFileToolRules,
			inserteditintofile: wholeFileToolRules,
		},
		shells: { runinterminal: commandRule },
	},
	recognizes(record) {
		const session = isMutation(record) && record.kind === 0 ? asFields(record.v) : asFields(record);
		const { sessionId, requests, creationDate } = session;
		return typeof sessionId === 'string' && Array.isArray(requests) && typeof creationDate === 'number';
	},
	createReader: createCopilotChatReader,
	startPattern:
		/^\s*\{(?:"kind"\s*:\s*0\s*,\s*"v"\s*:\s*\{)?\s*"version"\s*:\s*\d[^[]{0,4000}"(?:responderUsername|creationDate)"\s*:/,
	homes: [
		{
			root: { belowUserFolder: ['workspaceStorage'] },
			path: [/./, 'chatSessions', /\.jsonl?$/],
			manifest: { file: () => '../workspace.json', folders: ['folder'] },
		},
	],
};

function createCopilotChatReader(): TranscriptReader {
	const infoEvents = createInfoTracker();
	const groups = new EventGroups();
	let state: unknown;

	/** Reads the requests in a range. */
	const readRequests = (from: number, to: number): TranscriptEvent[] => {
		const requests = asList(asFields(state).requests);
		const rewinds = groups.length > requests.length ? groups.truncate(requests.length) : [];
		const events = assignRequestIds(requests)
			.slice(from, to)
			.flatMap((id, index) => {
				const position = from + index;
				return groups.put(position, readRequest(asFields(requests[position]), id));
			});
		return [...rewinds, ...events];
	};

	const readInfo = (): TranscriptEvent[] => {
		const { sessionId, customTitle, requests } = asFields(state);
		const modelId = firstText(asFields(asList(requests).at(-1)).modelId);
		return infoEvents({
			sessionId: firstText(sessionId),
			title: firstText(customTitle),
			model: modelId?.replace(/^.*\//, ''),
			provider: modelId === undefined ? undefined : 'copilot',
		});
	};

	return {
		push(record) {
			if (!isMutation(record)) {
				if (!isFields(record) || !Array.isArray(record.requests)) return [{ t: 'skipped', type: 'unknown' }];
				state = record;
				return [...readInfo(), ...readRequests(0, Number.POSITIVE_INFINITY)];
			}
			state = applyMutation(state, record);
			const [member, position] = asList(record.k);
			if (record.kind !== 0 && member !== 'requests') return readInfo();
			// The record names the request that it changes; otherwise any request may have been replaced.
			const index = record.kind !== 0 && isIndex(position) ? position : undefined;
			const keptCount = isIndex(record.i) ? record.i : record.i === undefined ? groups.length : 0;
			const from = index ?? Math.min(groups.length, keptCount);
			const hasNewList = record.kind === 0 || (index === undefined && record.kind !== 2);
			return [
				...readInfo(),
				...readRequests(hasNewList ? 0 : from, index === undefined ? Number.POSITIVE_INFINITY : index + 1),
			];
		},
	};
}

/** Whether a value can be an index of a list. */
function isIndex(value: unknown): value is number {
	return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** Returns an id for each request: its own if it has a unique one, otherwise a generated id. */
function assignRequestIds(requests: readonly unknown[]): string[] {
	const takenIds = new Set<string>();
	return requests.map((request, position) => {
		const requestId = firstText(asFields(request).requestId) ?? `r${position + 1}`;
		let id = takenIds.has(requestId) ? `${requestId}#${position + 1}` : requestId;
		while (takenIds.has(id)) id += '#';
		takenIds.add(id);
		return id;
	});
}

function readRequest(request: Fields, id: string): TranscriptEvent[] {
	const timestamp = parseTime(request.timestamp);
	const text = firstText(asFields(request.message).text, request.message) ?? '';
	const prompt = pickDefined({ id, role: 'user' as const, content: text, timestamp });
	const { metadata } = asFields(request.result);
	const { toolCallRounds, toolCallResults } = asFields(metadata);
	const rounds = asList(toolCallRounds).map(asFields);
	const answers =
		rounds.length > 0
			? rounds.flatMap((round, index) =>
					readRound(round, `${id}:${index + 1}`, asFields(toolCallResults), timestamp),
				)
			: readResponse(asList(request.response), `${id}:1`, timestamp);
	const lastAnswer = answers.findLast(({ role }) => role === 'assistant');
	const usage = readUsage(request, asFields(metadata));
	if (lastAnswer !== undefined && usage !== undefined) lastAnswer.usage = usage;
	return [prompt, ...answers].map((message) => ({ t: 'message', message }));
}

/** Reads one answer of the model, and the results of the tools that it calls. */
function readRound(round: Fields, id: string, results: Fields, timestamp?: number): IdentifiedMessage[] {
	const thought = firstText(asFields(round.thinking).text);
	const text = firstText(round.response);
	const parts: ContentPart[] = [
		...(thought === undefined ? [] : [{ type: 'reasoning' as const, text: thought }]),
		...(text === undefined ? [] : [{ type: 'text' as const, text }]),
	];
	const calls = asList(round.toolCalls).map((value, index): ToolCall => {
		const call = readCall(value);
		return { ...call, id: call.id || `${id}:call${index + 1}` };
	});
	const answer: IdentifiedMessage = pickDefined({
		id,
		role: 'assistant' as const,
		content: joinContent(parts),
		toolCalls: calls.length > 0 ? calls : undefined,
		timestamp,
	});
	const outcomes = calls.flatMap((call, index): IdentifiedMessage[] => {
		const result = results[call.id];
		if (result === undefined) return [];
		const base = { id: `${id}:out${index + 1}`, role: 'tool' as const, content: readResultText(result) };
		return [pickDefined({ ...base, toolCallId: call.id, toolName: call.name, timestamp })];
	});
	return [answer, ...outcomes];
}

/** Returns the text of a result, which is a list of strings or of trees with the text in their leaves. */
function readResultText(result: unknown): string {
	return asList(asFields(result).content)
		.map((part) => {
			const { value } = asFields(part);
			return typeof value === 'string' ? value : collectLeafTexts(value).join('');
		})
		.join('\n');
}

/** Maximum depth of trees that are read. */
const maxDepth = 64;

function collectLeafTexts(node: unknown, depth = 0): string[] {
	if (depth > maxDepth || !isFields(node)) return [];
	const ownTexts = typeof node.text === 'string' ? [node.text] : [];
	const children = [...asList(node.children), ...(isFields(node.node) ? [node.node] : [])];
	return [...ownTexts, ...children.flatMap((child) => collectLeafTexts(child, depth + 1))];
}

/** Returns the text of an answer whose calls are not recorded yet. */
function readResponse(parts: readonly unknown[], id: string, timestamp?: number): IdentifiedMessage[] {
	const texts = parts.flatMap((value) => {
		const part = asFields(value);
		if (part.kind === undefined) return firstText(part.value) ?? [];
		if (part.kind === 'markdownContent') return firstText(asFields(part.content).value, part.content) ?? [];
		return [];
	});
	if (texts.length === 0) return [];
	return [pickDefined({ id, role: 'assistant' as const, content: texts.join(''), timestamp })];
}

/** Returns the usage of the newest call for a request, by the field names of all versions. */
function readUsage(request: Fields, metadata: Fields) {
	const usage = asFields(request.usage);
	const prompt = firstNumber(usage.promptTokens, request.promptTokens, metadata.promptTokens);
	const output = firstNumber(usage.completionTokens, request.completionTokens, metadata.outputTokens);
	if (prompt === undefined) return undefined;
	return readUsageExcludingCache(prompt, output ?? 0, undefined, undefined);
}

const mutationKinds = { initial: 0, set: 1, push: 2, remove: 3 } as const;

/** Whether a record is an entry of a change log. */
function isMutation(record: unknown): record is Fields {
	return (
		isFields(record) && typeof record.kind === 'number' && (record.kind === 0 || Array.isArray(record.k))
	);
}

/**
 * Applies a log entry to the state, in place, without sharing objects with the entry. An entry whose
 * path does not exist changes nothing.
 */
function applyMutation(state: unknown, { kind, k, v, i }: Fields): unknown {
	if (kind === mutationKinds.initial) return structuredClone(v);
	const path = asList(k);
	const lastKey = path.at(-1);
	const container = getValueAt(state, path.slice(0, -1));
	if (!isPathKey(lastKey) || !(isFields(container) || Array.isArray(container))) return state;
	const target = container as Record<string | number, unknown>;
	if (kind === mutationKinds.set) target[lastKey] = structuredClone(v);
	else if (kind === mutationKinds.remove) delete target[lastKey];
	else if (kind === mutationKinds.push) {
		const oldList = asList(target[lastKey]);
		target[lastKey] = [...oldList.slice(0, firstNumber(i) ?? oldList.length), ...asList(structuredClone(v))];
	}
	return state;
}

function isPathKey(value: unknown): value is string | number {
	if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value < 1e6;
	return typeof value === 'string' && !['__proto__', 'constructor', 'prototype'].includes(value);
}

function getValueAt(state: unknown, path: readonly unknown[]): unknown {
	return path.reduce<unknown>((value, key) => {
		if (!isPathKey(key) || typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
			return undefined;
		return (value as Record<string | number, unknown>)[key];
	}, state);
}
