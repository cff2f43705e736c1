import type { ChatMessage, ContentPart, ToolCall, Usage } from '../../../protocol/conversation.ts';
import {
	countOrZero,
	createInvalidFieldFailure,
	type Fields,
	isFields,
	pickDefined,
	readOptionalText,
	requireFields,
	requireList,
	requireName,
	requireText,
} from '../../shape.ts';
import type { FormatAdapter } from '../wire/adapter.ts';
import { parseArgumentsJson } from '../wire/arguments.ts';
import { toContentParts } from '../wire/content.ts';
import { createLegacyCallId, readOpenaiContent } from './parts.ts';
import { renderOpenai } from './render.ts';

const stopReasons: Record<string, string> = {
	stop: 'stop',
	length: 'length',
	tool_calls: 'tool',
	function_call: 'tool',
};

function readCall(value: unknown, field: string): ToolCall {
	const call = requireFields(value, field);
	const id = requireText(call.id, `${field}.id`);
	if (isFields(call.custom)) {
		const name = requireName(call.custom.name, `${field}.custom.name`);
		return { id, name, args: requireText(call.custom.input, `${field}.custom.input`) };
	}
	const fields = requireFields(call.function, `${field}.function`);
	return { id, name: requireName(fields.name, `${field}.function.name`), args: readArguments(fields, field) };
}

/** Reads arguments, which are JSON text; some compatible servers send an object. */
function readArguments(functionCall: Fields, field: string): unknown {
	const { arguments: args } = functionCall;
	if (typeof args === 'string') return parseArgumentsJson(args);
	if (args === undefined || args === null) return {};
	if (isFields(args)) return args;
	throw createInvalidFieldFailure(`${field}.function.arguments`, 'a JSON string', args);
}

/** Reads usage figures. The API includes cached tokens in the input; the neutral figure excludes cached tokens. */
function readUsage(value: unknown): Usage | undefined {
	if (!isFields(value)) return undefined;
	const details = isFields(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
	const cacheRead = countOrZero(details.cached_tokens ?? value.prompt_cache_hit_tokens);
	const prompt = countOrZero(value.prompt_tokens);
	return {
		input: Math.max(0, prompt - cacheRead),
		output: countOrZero(value.completion_tokens),
		cacheRead,
	};
}

function readCalls(raw: Fields): ToolCall[] {
	const calls = requireList(raw.tool_calls ?? [], 'tool_calls').map((call, index) =>
		readCall(call, `tool_calls[${index}]`),
	);
	if (!isFields(raw.function_call)) return calls;
	const name = requireName(raw.function_call.name, 'function_call.name');
	return [
		...calls,
		{ id: createLegacyCallId(name), name, args: readArguments(raw.function_call, 'function_call') },
	];
}

function readAssistant(raw: Fields): ChatMessage {
	const content = readOpenaiContent(raw.content);
	const leadingParts: ContentPart[] = [];
	const trailingParts: ContentPart[] = [];
	const reasoning = readOptionalText(raw.reasoning_content) || readOptionalText(raw.reasoning);
	if (reasoning) leadingParts.push({ type: 'reasoning', text: reasoning });
	if (readOptionalText(raw.refusal))
		trailingParts.push({ type: 'opaque', value: { type: 'refusal', refusal: raw.refusal } });
	if (isFields(raw.audio)) trailingParts.push({ type: 'opaque', value: { type: 'audio', audio: raw.audio } });
	const isPlain = leadingParts.length === 0 && trailingParts.length === 0;
	const calls = readCalls(raw);
	const reason = readOptionalText(raw.finish_reason) || undefined;
	return pickDefined({
		role: 'assistant',
		content: isPlain ? content : [...leadingParts, ...toContentParts(content), ...trailingParts],
		toolCalls: calls.length > 0 ? calls : undefined,
		usage: readUsage(raw.usage),
		stopReason: reason && (stopReasons[reason] ?? reason),
	});
}

function readMessage(raw: Fields): ChatMessage {
	switch (raw.role) {
		case 'system':
		case 'developer':
			return { role: 'system', content: readOpenaiContent(raw.content) };
		case 'user':
			return { role: 'user', content: readOpenaiContent(raw.content) };
		case 'assistant':
			return readAssistant(raw);
		case 'tool': {
			const toolCallId = requireText(raw.tool_call_id, 'tool_call_id');
			const toolName = readOptionalText(raw.name) || undefined;
			return pickDefined({
				role: 'tool',
				content: readOpenaiContent(raw.content),
				toolCallId,
				toolName,
			});
		}
		case 'function': {
			const toolName = requireName(raw.name, 'name');
			return {
				role: 'tool',
				content: readOpenaiContent(raw.content),
				toolCallId: createLegacyCallId(toolName),
				toolName,
			};
		}
		default:
			throw createInvalidFieldFailure(
				'role',
				'"system", "developer", "user", "assistant", "tool" or "function"',
				raw.role,
			);
	}
}

/** Converts a Chat Completions message to a neutral one. Throws `InvalidParams` that names the field. */
function parse(raw: unknown): ChatMessage[] {
	const fields = requireFields(raw, 'message');
	const message = readMessage(fields);
	const id = readOptionalText(fields.id);
	return [id ? { ...message, id } : message];
}

/** Format of OpenAI's Chat Completions, which many servers share. */
export const openaiFormat: FormatAdapter = { name: 'openai', parse, render: renderOpenai };
