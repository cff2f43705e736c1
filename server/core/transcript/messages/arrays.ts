import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { Failure } from '../../failure.ts';
import { contextd } from '../../format/contextd.ts';
import { isFields, present } from '../../shape.ts';
import { claudeInjections } from '../claudeCode/injected.ts';
import { codexInjections } from '../codex/injected.ts';
import { geminiInjections } from '../gemini/injected.ts';
import type { Agent, TranscriptReader, TranscriptSample } from '../reading/agent.ts';
import { documentChanges } from '../reading/document.ts';
import { infoTeller, type TranscriptEvent } from '../reading/events.ts';
import { type MessageLog, messageLog } from '../reading/log.ts';
import { command, headAndTailLines, wholeFile } from '../reading/tools.ts';
import { fieldsOf, firstText, listOf, timeOf, typeName } from '../reading/values.ts';
import { messageRecordEvents } from './records.ts';

/** Such lists are what others record of an agent's requests: any of these may have put its texts in. */
const anyInjections = [...claudeInjections, ...codexInjections, ...geminiInjections];

/**
 * The messages that a document holds: it is an array of them, or has them under `messages` or `history`,
 * with the answer to them beside; undefined where it is something else.
 */
export function documentMessages(record: unknown): unknown[] | undefined {
	if (Array.isArray(record)) return record;
	const { messages, history, response, system, system_prompt } = fieldsOf(record);
	const list = Array.isArray(messages) ? messages : Array.isArray(history) ? history : undefined;
	if (list === undefined) return undefined;
	const answer = fieldsOf(listOf(fieldsOf(response).choices)[0]).message;
	const instructions = system ?? system_prompt;
	return [
		...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
		...list,
		...(isFields(answer) ? [{ usage: fieldsOf(response).usage, ...answer }] : []),
	];
}

/** The events of one message. */
type ReadMessage = (log: MessageLog, record: unknown, line: number) => TranscriptEvent[];

/** Reads a document of messages again and again as it changes, or messages one a line. */
function messageReader(read: ReadMessage = messageRecordEvents): TranscriptReader {
	const log = messageLog(anyInjections);
	const tell = infoTeller();
	let given: TranscriptEvent[] = [];
	let isDocument: boolean | undefined;
	return {
		push(record) {
			const line = log.nextRecord();
			const messages = documentMessages(record);
			isDocument ??= messages !== undefined;
			// A file is one or the other: what does not fit is no message of it.
			if (isDocument !== (messages !== undefined)) return [{ t: 'skipped', type: 'unknown' }];
			const { model, response, session, session_id, sessionId, provider, cwd } = fieldsOf(record);
			const info = tell({
				sessionId: firstText(sessionId, session_id, session),
				// Logs of requests, as of OpenHands, name the model with the answer alone.
				model: firstText(model, fieldsOf(response).model),
				provider: firstText(provider),
				cwd: firstText(cwd),
			});
			if (messages === undefined) {
				const events = read(log, record, line);
				const isHeader = info.length > 0 && events.every(({ t }) => t === 'skipped');
				return isHeader ? info : [...info, ...events];
			}
			const own = messageLog(anyInjections);
			const now = messages.flatMap((message) => read(own, message, own.nextRecord()));
			const changes = documentChanges(given, now);
			given = now;
			return [...info, ...changes];
		},
	};
}

/** The sample's messages, one by one, whether they stand in a document or one a line. */
export function sampleMessages({ records }: TranscriptSample): unknown[] {
	return records.flatMap((record) => documentMessages(record) ?? [record]);
}

function hasBlock(message: unknown, test: (type: string) => boolean): boolean {
	const { content } = fieldsOf(message);
	return listOf(content).some((block) => isFields(block) && test(typeName(block)));
}

function isMessage(message: unknown): boolean {
	const { role, content } = fieldsOf(message);
	return typeof role === 'string' && content !== undefined;
}

/** Messages of the Vercel AI SDK: those of its user interface (`parts`) and those for the model. */
export const vercelMessages: Agent = {
	name: 'vercel-ai-sdk',
	label: 'AI SDK',
	isForm: true,
	detect: (sample) =>
		sampleMessages(sample).some((message) => {
			const { role, parts } = fieldsOf(message);
			if (typeof role !== 'string') return false;
			if (Array.isArray(parts)) return parts.some((part) => typeof fieldsOf(part).type === 'string');
			return hasBlock(message, (type) => type === 'tool-call' || type === 'tool-result');
		}),
	start: () => messageReader(),
};

/** Messages of Anthropic's Messages API. */
export const anthropicMessages: Agent = {
	name: 'anthropic-messages',
	label: 'Anthropic messages',
	isForm: true,
	detect: (sample) =>
		sampleMessages(sample).some(
			(message) =>
				isMessage(message) &&
				hasBlock(message, (type) => ['tool_use', 'tool_result', 'thinking'].includes(type)),
		),
	start: () => messageReader(),
};

/** Messages of OpenAI's Chat Completions. */
export const openAiMessages: Agent = {
	name: 'openai-messages',
	label: 'OpenAI messages',
	isForm: true,
	detect: (sample) =>
		sampleMessages(sample).some((message) => {
			const { role, tool_calls, tool_call_id, tool_call_ids } = fieldsOf(message);
			if (typeof role !== 'string') return false;
			return Array.isArray(tool_calls) || typeof tool_call_id === 'string' || Array.isArray(tool_call_ids);
		}),
	start: () => messageReader(),
};

/** A message that is whole in the product's own shape, with all of its fields; undefined of any other record. */
function ownMessage(record: unknown, line: number): IdentifiedMessage | undefined {
	if (!isFields(record) || (record.role === 'tool' && firstText(record.toolCallId) === undefined)) {
		return undefined;
	}
	const given = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
	const id = firstText(record.id) ?? `m${line}`;
	const whole = present({ ...given, timestamp: timeOf(record.timestamp), id });
	try {
		const [message] = contextd.parse(whole);
		return message && { ...whole, ...message, id };
	} catch (error) {
		if (error instanceof Failure && error.kind === 'InvalidParams') return undefined;
		throw error;
	}
}

/** What is in the product's own shape is taken as it stands, anything else as far as it is understood. */
const readOwn: ReadMessage = (log, record, line) => {
	const message = ownMessage(record, line);
	if (message === undefined) return messageRecordEvents(log, record, line);
	if (message.toolCallId !== undefined) log.answered(message.toolCallId);
	if (message.toolCalls === undefined) return [log.add(message)];
	return [log.add({ ...message, toolCalls: log.register(message.toolCalls, message.id) })];
};

/** The product's own messages, an array or one a line; what any chat without tools looks like too. */
export const contextdMessages: Agent = {
	name: 'contextd',
	label: 'contextd',
	// Of file servers, and of agents of which only messages are known.
	tools: {
		reads: { readtextfile: headAndTailLines, readmultiplefiles: wholeFile },
		edits: { editblock: wholeFile, movefile: [{ path: ['source'] }, { path: ['destination'] }] },
		shells: { executebash: command, terminal: command },
	},
	isForm: true,
	detect: (sample) => sampleMessages(sample).some(isMessage),
	start: () => messageReader(readOwn),
};
