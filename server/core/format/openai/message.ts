import type { ChatMessage, ContentPart, FormatName, ToolCall } from '../../../protocol/conversation.ts';
import { type Fields, isFields, textOrEmpty } from '../../shape.ts';
import type { RenderEntry, RenderLosses } from '../wire/adapter.ts';
import { formatArgumentsJson, formatArgumentsText } from '../wire/arguments.ts';
import { describePart, imagePlaceholder, isSamePart, toContentParts } from '../wire/content.ts';
import { findSourceIn } from '../wire/grouping.ts';
import { createLegacyCallId, openaiPartTypes, readOpenaiPart, writeOpenaiImage } from './parts.ts';

/** Context for writing one message: its origin, what the reader accepts, and a collector of losses. */
interface WriteContext {
	raw: Fields | undefined;
	format: FormatName | undefined;
	keepsReasoning: boolean;
	reportLoss(content: string): undefined;
}

function writePart(part: ContentPart, role: ChatMessage['role'], context: WriteContext): unknown {
	if (part.type === 'text') return { type: 'text', text: part.text };
	if (part.type === 'image') {
		if (role !== 'user') {
			context.reportLoss(`an image in a message of role "${role}"`);
			return role === 'tool' ? { type: 'text', text: imagePlaceholder } : undefined;
		}
		return writeOpenaiImage(part) ?? context.reportLoss('an image without data');
	}
	if (part.type === 'reasoning') return undefined;
	const type = isFields(part.value) ? part.value.type : undefined;
	if (role === 'assistant' && (type === 'refusal' || type === 'audio')) return undefined;
	const isOwn = context.format === 'openai';
	const isAccepted =
		(context.format === undefined || context.format === 'contextd') && openaiPartTypes.has(textOrEmpty(type));
	return isOwn || isAccepted ? part.value : context.reportLoss(describePart(part.value));
}

/** Returns the original part if it is unchanged, so that it keeps its fields. */
function reusePart(part: ContentPart, index: number, raw: Fields | undefined): unknown {
	if (!Array.isArray(raw?.content)) return undefined;
	const candidate = raw.content[index];
	return isFields(candidate) && isSamePart(readOpenaiPart(candidate, 'content'), part)
		? candidate
		: undefined;
}

function writeContent(message: ChatMessage, context: WriteContext): string | unknown[] {
	if (typeof message.content === 'string') return message.content;
	const visibleParts = toContentParts(message.content).filter((part) => part.type !== 'reasoning');
	const writtenParts = visibleParts
		.map((part, index) => reusePart(part, index, context.raw) ?? writePart(part, message.role, context))
		.filter((part) => part !== undefined);
	const [only] = writtenParts;
	if (writtenParts.length === 0) return '';
	const isPlain = isFields(only) && only.type === 'text' && Object.keys(only).length === 2;
	return writtenParts.length === 1 && isPlain ? textOrEmpty(only.text) : writtenParts;
}

/** Returns the calls of the original message, by id. */
function indexOriginalCalls(raw: Fields | undefined): ReadonlyMap<unknown, unknown> {
	const rawCalls = Array.isArray(raw?.tool_calls) ? raw.tool_calls.filter(isFields) : [];
	return new Map(rawCalls.map((call) => [call.id, call]));
}

function writeCall(call: ToolCall, originalCall: unknown): unknown {
	if (isFields(originalCall) && isFields(originalCall.custom))
		return { ...originalCall, custom: { ...originalCall.custom, input: formatArgumentsText(call.args) } };
	const functionCall = { name: call.name, arguments: formatArgumentsJson(call.args) };
	const rawFields = isFields(originalCall) ? originalCall : {};
	return { ...rawFields, id: call.id, type: 'function', function: functionCall };
}

function writeReasoning(message: ChatMessage, context: WriteContext): Fields {
	const thoughts = toContentParts(message.content).filter((part) => part.type === 'reasoning');
	if (thoughts.length === 0) return {};
	const text = thoughts.map((part) => part.text).join('\n');
	const field = typeof context.raw?.reasoning === 'string' ? 'reasoning' : 'reasoning_content';
	if (context.format === 'openai' || context.keepsReasoning) return { [field]: text };
	context.reportLoss('reasoning');
	return {};
}

/** Top-level fields that are written from the neutral message. All other fields of the original are kept. */
const writtenFields = [
	'content',
	'tool_calls',
	'function_call',
	'refusal',
	'audio',
	'reasoning_content',
	'reasoning',
];

function pickKeptFields(raw: Fields | undefined): Fields {
	return Object.fromEntries(Object.entries(raw ?? {}).filter(([name]) => !writtenFields.includes(name)));
}

function writeAssistant(message: ChatMessage, context: WriteContext): Fields {
	const content = writeContent(message, context);
	const rawLegacy = context.raw?.function_call;
	const legacyName = isFields(rawLegacy) ? createLegacyCallId(textOrEmpty(rawLegacy.name)) : undefined;
	const calls = message.toolCalls ?? [];
	const originalCalls = indexOriginalCalls(context.raw);
	const toolCalls = calls
		.filter((call) => call.id !== legacyName)
		.map((call) => writeCall(call, originalCalls.get(call.id)));
	const legacyCall = calls.find((call) => call.id === legacyName);
	const fields: Fields = {
		...pickKeptFields(context.raw),
		role: 'assistant',
		content: content === '' && (calls.length > 0 || message.content !== '') ? null : content,
		...writeReasoning(message, context),
	};
	if (toolCalls.length > 0) fields.tool_calls = toolCalls;
	if (legacyCall)
		fields.function_call = { name: legacyCall.name, arguments: formatArgumentsJson(legacyCall.args) };
	for (const part of toContentParts(message.content)) {
		if (part.type !== 'opaque' || !isFields(part.value)) continue;
		if (part.value.type === 'refusal') fields.refusal = part.value.refusal;
		if (part.value.type === 'audio') fields.audio = part.value.audio;
	}
	return fields;
}

/**
 * Writes a neutral message as a Chat Completions message.
 *
 * @param keepsReasoning whether reasoning is written as `reasoning_content`
 */
export function writeOpenaiMessage(
	entry: RenderEntry,
	losses: RenderLosses,
	keepsReasoning: boolean,
): Fields {
	const { message } = entry;
	const source = findSourceIn('openai', entry);
	const raw = isFields(source?.raw) ? source.raw : undefined;
	const context: WriteContext = {
		raw,
		format: entry.source?.format,
		keepsReasoning,
		reportLoss: (lostContent) => losses.add(lostContent, message.id),
	};
	if (message.role === 'assistant') return writeAssistant(message, context);
	const content = writeContent(message, context);
	if (message.role === 'tool') {
		if (raw?.role === 'function') return { ...pickKeptFields(raw), content };
		return { ...pickKeptFields(raw), role: 'tool', tool_call_id: message.toolCallId ?? '', content };
	}
	const role = message.role === 'system' && raw?.role === 'developer' ? 'developer' : message.role;
	return { ...pickKeptFields(raw), role, content };
}
