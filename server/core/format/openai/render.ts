import { type Fields, isFields } from '../../shape.ts';
import {
	filterInSlices,
	flatMapInSlices,
	forEachInSlices,
	mapInSlices,
	type SlicedTask,
} from '../../slices.ts';
import { type RenderEntry, RenderLosses, type RenderOptions, type RenderResult } from '../wire/adapter.ts';
import { CallIds, createHashedId, type IdRule } from '../wire/callIds.ts';
import { splitSegments } from '../wire/grouping.ts';
import { writeOpenaiMessage } from './message.ts';
import { detectOpenAiDialect, type OpenAiDialect } from './parts.ts';

/** OpenAI refuses call ids above 40 characters. */
const shortIdRule: IdRule = {
	uniqueWithin: 'batch',
	allowedPattern: /^.{1,40}$/s,
	createId: (text) => `call_${createHashedId(text, 13)}`,
};
/** The rule of each dialect. Mistral requires exactly nine letters and digits. */
const idRules: Record<OpenAiDialect, IdRule> = {
	openai: shortIdRule,
	deepseek: shortIdRule,
	mistral: {
		uniqueWithin: 'request',
		allowedPattern: /^[a-zA-Z0-9]{9}$/,
		createId: (text) => createHashedId(text, 9),
	},
};

function listCalls(message: Fields | undefined): unknown[] {
	return Array.isArray(message?.tool_calls) ? message.tool_calls : [];
}

function isEmptyMessage(message: Fields): boolean {
	const { content } = message;
	if (message.role !== 'assistant') return false;
	if (listCalls(message).length > 0 || message.function_call || message.refusal || message.audio)
		return false;
	return content === null || content === undefined || (Array.isArray(content) && content.length === 0);
}

function toWireParts(content: unknown): unknown[] {
	if (Array.isArray(content)) return content;
	return content ? [{ type: 'text', text: content }] : [];
}

function joinContent(contents: readonly unknown[]): unknown {
	const nonEmptyContents = contents.filter(Boolean);
	return nonEmptyContents.length > 1 ? nonEmptyContents.flatMap(toWireParts) : (nonEmptyContents[0] ?? null);
}

/** Whether a message continues the answer of a run: the run has calls, and none of their results has come yet. */
function continuesAnswer(run: readonly Fields[] | undefined, message: Fields): boolean {
	if (message.role !== 'assistant' || run?.[0]?.role !== 'assistant') return false;
	return run.length > 1 || listCalls(run[0]).length > 0;
}

/** Joins messages with calls of one answer into one message, so that all results can directly follow it. */
function* joinCallMessages(messages: readonly Fields[]): SlicedTask<Fields[]> {
	const runs: Fields[][] = [];
	yield* forEachInSlices(messages, (message) => {
		const run = runs.at(-1);
		if (run && continuesAnswer(run, message)) run.push(message);
		else runs.push([message]);
	});
	return yield* mapInSlices(runs, (run) => {
		if (run.length === 1) return run[0]!;
		const fields: Fields = Object.assign({}, ...run.toReversed());
		const content = joinContent(run.map((message) => message.content));
		return { ...fields, content, tool_calls: run.flatMap(listCalls) };
	});
}

function assignWireIds(messages: readonly Fields[], rule: IdRule): SlicedTask<Fields[]> {
	const ids = new CallIds(rule);
	return mapInSlices(messages, (message) => {
		if (message.role === 'assistant') {
			ids.endBatch();
			const calls = listCalls(message);
			if (calls.length === 0) return message;
			const renamedCalls = calls.map((call) => {
				if (!isFields(call) || typeof call.id !== 'string') return call;
				const id = ids.assignCallId(call.id);
				return id === call.id ? call : { ...call, id };
			});
			return renamedCalls.every((call, index) => call === calls[index])
				? message
				: { ...message, tool_calls: renamedCalls };
		}
		if (message.role !== 'tool' || typeof message.tool_call_id !== 'string') return message;
		const id = ids.findResultId(message.tool_call_id);
		return id === message.tool_call_id ? message : { ...message, tool_call_id: id };
	});
}

/** Removes reasoning before the last user message, which DeepSeek refuses. */
function removeEarlierReasoning(messages: readonly Fields[]): SlicedTask<Fields[]> {
	const lastUser = messages.findLastIndex((message) => message.role === 'user');
	return mapInSlices(messages, (message, index) => {
		if (index > lastUser || message.reasoning_content === undefined) return message;
		const { reasoning_content: _, ...rest } = message;
		return rest;
	});
}

/** Inserts a short answer before each user message that follows a tool message, because Mistral refuses that order. */
function insertAnswersAfterTools(messages: readonly Fields[]): SlicedTask<Fields[]> {
	return flatMapInSlices(messages, (message, index) => {
		const followsTool = message.role === 'user' && messages[index - 1]?.role === 'tool';
		return followsTool ? [{ role: 'assistant', content: 'Understood.' }, message] : [message];
	});
}

/** Converts system messages after an answer or a tool message to user messages, because Mistral refuses them there. */
function convertLateSystems(messages: readonly Fields[]): SlicedTask<Fields[]> {
	return mapInSlices(messages, (message, index) => {
		const roleBefore = messages[index - 1]?.role;
		if (message.role !== 'system' || (roleBefore !== 'assistant' && roleBefore !== 'tool')) return message;
		return { ...message, role: 'user' };
	});
}

/** Renders the history as Chat Completions messages of the provider's dialect. */
export function* renderOpenai(
	entries: readonly RenderEntry[],
	options: RenderOptions = {},
): SlicedTask<RenderResult> {
	const dialect = detectOpenAiDialect(options);
	const losses = new RenderLosses('openai');
	const writtenMessages = yield* mapInSlices(yield* splitSegments('openai', entries), (segment) =>
		segment.kind === 'whole'
			? (segment.raw as Fields)
			: writeOpenaiMessage(segment.entry, losses, dialect === 'deepseek'),
	);
	const nonEmptyMessages = yield* filterInSlices(writtenMessages, (message) => !isEmptyMessage(message));
	let messages = yield* assignWireIds(yield* joinCallMessages(nonEmptyMessages), idRules[dialect]);
	if (dialect === 'deepseek') messages = yield* removeEarlierReasoning(messages);
	if (dialect === 'mistral') messages = yield* insertAnswersAfterTools(yield* convertLateSystems(messages));
	return { messages, warnings: losses.listSentences() };
}
