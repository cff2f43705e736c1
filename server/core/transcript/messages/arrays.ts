import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { Failure } from '../../failure.ts';
import { checkUsageFigures, contextdFormat } from '../../format/contextd.ts';
import { isFields, pickDefined } from '../../shape.ts';
import { asFields, asList, firstText, parseTime, readRecordType } from '../../values.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { compareDocuments, createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import { claudeInjections, codexInjections, geminiInjections } from '../reading/injected.ts';
import { MessageLog } from '../reading/log.ts';
import { commandRule, headAndTailToolRules, wholeFileToolRules } from '../reading/tools.ts';
import { readMessageRecord } from './records.ts';

/** Prefixes of texts that agents inject: of all agents, because a list of messages may come from any of them. */
const allInjections = [...claudeInjections, ...codexInjections, ...geminiInjections];

/**
 * Returns the messages of a document: an array of them, or a member `messages` or `history`, plus the
 * answer next to it. Undefined for any other record.
 */
export function listDocumentMessages(record: unknown): unknown[] | undefined {
	if (Array.isArray(record)) return record;
	const { messages, history, response, system, system_prompt } = asFields(record);
	const list = Array.isArray(messages) ? messages : Array.isArray(history) ? history : undefined;
	if (list === undefined) return undefined;
	const answer = asFields(asList(asFields(response).choices)[0]).message;
	const instructions = system ?? system_prompt;
	return [
		...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
		...list,
		...(isFields(answer) ? [{ usage: asFields(response).usage, ...answer }] : []),
	];
}

/** Reads the events of one message. */
type ReadMessage = (log: MessageLog, record: unknown, line: number) => TranscriptEvent[];

/** Creates a reader of a document of messages, which may change, or of one message per line. */
function createMessageReader(readMessage: ReadMessage = readMessageRecord): TranscriptReader {
	const log = new MessageLog(allInjections);
	const infoEvents = createInfoTracker();
	let previousEvents: TranscriptEvent[] = [];
	let isDocument: boolean | undefined;
	return {
		push(record) {
			const line = log.countRecord();
			const messages = listDocumentMessages(record);
			isDocument ??= messages !== undefined;
			// A file has only one of the two forms; a record of the other form is not a message.
			if (isDocument !== (messages !== undefined)) return [{ t: 'skipped', type: 'unknown' }];
			const { model, response, session, session_id, sessionId, provider, cwd } = asFields(record);
			const info = infoEvents({
				sessionId: firstText(sessionId, session_id, session),
				// Logs of requests, such as OpenHands', name the model only in the answer.
				model: firstText(model, asFields(response).model),
				provider: firstText(provider),
				cwd: firstText(cwd),
			});
			if (messages === undefined) {
				const events = readMessage(log, record, line);
				const isHeader = info.length > 0 && events.every(({ t }) => t === 'skipped');
				return isHeader ? info : [...info, ...events];
			}
			const newLog = new MessageLog(allInjections);
			const newEvents = messages.flatMap((message) => readMessage(newLog, message, newLog.countRecord()));
			const changes = compareDocuments(previousEvents, newEvents);
			previousEvents = newEvents;
			return [...info, ...changes];
		},
	};
}

/** Returns the messages of a document; any other record is one message. */
export function listMessages(record: unknown): unknown[] {
	return listDocumentMessages(record) ?? [record];
}

function hasBlock(message: unknown, test: (type: string) => boolean): boolean {
	const { content } = asFields(message);
	return asList(content).some((block) => isFields(block) && test(readRecordType(block)));
}

function isMessage(message: unknown): boolean {
	const { role, content } = asFields(message);
	return typeof role === 'string' && content !== undefined;
}

/** Messages of the Vercel AI SDK, both for its user interface (`parts`) and for the model. */
export const vercelMessages: Agent = {
	name: 'vercel-ai-sdk',
	label: 'AI SDK',
	isPlainFormat: true,
	recognizes: (record) =>
		listMessages(record).some((message) => {
			const { role, parts } = asFields(message);
			if (typeof role !== 'string') return false;
			if (Array.isArray(parts)) return parts.some((part) => typeof asFields(part).type === 'string');
			return hasBlock(message, (type) => type === 'tool-call' || type === 'tool-result');
		}),
	createReader: () => createMessageReader(),
};

/** Messages of Anthropic's Messages API. */
export const anthropicMessages: Agent = {
	name: 'anthropic-messages',
	label: 'Anthropic messages',
	isPlainFormat: true,
	recognizes: (record) =>
		listMessages(record).some(
			(message) =>
				isMessage(message) &&
				hasBlock(message, (type) => ['tool_use', 'tool_result', 'thinking'].includes(type)),
		),
	createReader: () => createMessageReader(),
};

/** Messages of OpenAI's Chat Completions. */
export const openAiMessages: Agent = {
	name: 'openai-messages',
	label: 'OpenAI messages',
	isPlainFormat: true,
	recognizes: (record) =>
		listMessages(record).some((message) => {
			const { role, tool_calls, tool_call_id, tool_call_ids } = asFields(message);
			if (typeof role !== 'string') return false;
			return Array.isArray(tool_calls) || typeof tool_call_id === 'string' || Array.isArray(tool_call_ids);
		}),
	createReader: () => createMessageReader(),
};

/** Returns a valid message in contextd's own format; undefined for any other record. */
function readOwnMessage(record: unknown, line: number): IdentifiedMessage | undefined {
	if (!isFields(record) || (record.role === 'tool' && firstText(record.toolCallId) === undefined))
		return undefined;
	const members = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
	const id = firstText(record.id) ?? `m${line}`;
	const fields = pickDefined({ ...members, timestamp: parseTime(record.timestamp), id });
	try {
		const [message] = contextdFormat.parse(fields);
		if (message === undefined) return undefined;
		checkUsageFigures(message);
		return { ...fields, ...message, id };
	} catch (error) {
		if (error instanceof Failure && error.kind === 'InvalidParams') return undefined;
		throw error;
	}
}

/** Returns messages in contextd's own format unchanged; reads any other record as far as possible. */
const readContextdMessage: ReadMessage = (log, record, line) => {
	const message = readOwnMessage(record, line);
	if (message === undefined) return readMessageRecord(log, record, line);
	if (message.toolCallId !== undefined) log.matchResult(message.toolCallId);
	if (message.toolCalls === undefined) return [log.add(message)];
	return [log.add({ ...message, toolCalls: log.registerCalls(message.toolCalls, message.id) })];
};

/** Messages in contextd's own format, an array or one per line; also accepts any chat without tools. */
export const contextdMessages: Agent = {
	name: 'contextd',
	label: 'contextd',
	// Tools of file servers, and of agents that are known only by their messages.
	tools: {
		reads: { readtextfile: headAndTailToolRules, readmultiplefiles: wholeFileToolRules },
		edits: { editblock: wholeFileToolRules, movefile: [{ path: ['source'] }, { path: ['destination'] }] },
		shells: { executebash: commandRule, terminal: commandRule },
	},
	isPlainFormat: true,
	recognizes: (record) => listMessages(record).some(isMessage),
	createReader: () => createMessageReader(readContextdMessage),
};
