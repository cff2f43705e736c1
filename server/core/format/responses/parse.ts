import type { ChatMessage, ContentPart, Usage } from '../../../protocol/conversation.ts';
import {
	countOrZero,
	createInvalidFieldFailure,
	type Fields,
	isFields,
	pickDefined,
	readOptionalText,
	requireFields,
	requireName,
	requireText,
} from '../../shape.ts';
import { createImageFromUrl } from '../wire/content.ts';
import { callOutputTypes, clientCallKinds, readCallItem, readItemCallId, readItemType } from './items.ts';

/** Reads a content part of an item; a part without a neutral form is opaque. */
export function readResponsesPart(value: unknown, field: string): ContentPart {
	const part = requireFields(value, field);
	switch (requireName(part.type, `${field}.type`)) {
		case 'input_text':
		case 'output_text':
		case 'text':
			return { type: 'text', text: requireText(part.text, `${field}.text`) };
		case 'input_image':
			return typeof part.image_url === 'string'
				? createImageFromUrl(part.image_url, part.detail)
				: { type: 'opaque', value: part };
		default:
			return { type: 'opaque', value: part };
	}
}

function readContent(value: unknown, field: string): string | ContentPart[] {
	if (typeof value === 'string') return value;
	if (!Array.isArray(value)) throw createInvalidFieldFailure(field, 'a string or an array of parts', value);
	return value.map((part, index) => readResponsesPart(part, `${field}[${index}]`));
}

function isContentList(value: unknown): boolean {
	return Array.isArray(value) && value.every((part) => isFields(part) && typeof part.type === 'string');
}

/** Whether JSON would lose the value. Numbers that are too large are infinite here and null in JSON. */
function isLostInJson(value: unknown): boolean {
	return value === undefined || value === null || (typeof value === 'number' && !Number.isFinite(value));
}

function readOutput(item: Fields, type: string): ChatMessage {
	const { output } = item;
	const screenshot = isFields(output) && typeof output.image_url === 'string' ? output.image_url : undefined;
	const message: ChatMessage = { role: 'tool', content: '', toolCallId: readItemCallId(item) };
	if (screenshot !== undefined) message.content = [createImageFromUrl(screenshot)];
	else if (typeof output === 'string') message.content = output;
	else if (isContentList(output)) message.content = readContent(output, 'output');
	else if (!isLostInJson(output)) message.content = JSON.stringify(output);
	else if (type === 'function_call_output')
		throw createInvalidFieldFailure('output', 'a string or an array of parts', output);
	return message;
}

function readReasoning(item: Fields): ChatMessage {
	const texts = [item.summary, item.content].flatMap((list) => (Array.isArray(list) ? list : []));
	const text = texts.map((part) => (isFields(part) ? (readOptionalText(part.text) ?? '') : '')).join('\n');
	const signature = readOptionalText(item.encrypted_content);
	const reasoning: ContentPart = pickDefined({ type: 'reasoning', text, signature });
	return { role: 'assistant', content: [reasoning] };
}

function readUsage(value: unknown): Usage | undefined {
	if (!isFields(value)) return undefined;
	const details = isFields(value.input_tokens_details) ? value.input_tokens_details : {};
	const cacheRead = countOrZero(details.cached_tokens);
	const input = Math.max(0, countOrZero(value.input_tokens) - cacheRead);
	return { input, output: countOrZero(value.output_tokens), cacheRead };
}

function readMessage(item: Fields): ChatMessage {
	const { role } = item;
	if (role !== 'user' && role !== 'assistant' && role !== 'system' && role !== 'developer')
		throw createInvalidFieldFailure('role', '"user", "assistant", "system" or "developer"', role);
	const content = readContent(item.content, 'content');
	if (role !== 'assistant') return { role: role === 'user' ? 'user' : 'system', content };
	return pickDefined({ role, content, usage: readUsage(item.usage) });
}

function readItem(item: Fields): ChatMessage {
	const type = readItemType(item);
	if (type === 'message') return readMessage(item);
	if (type === 'reasoning') return readReasoning(item);
	const kind = clientCallKinds.get(type);
	if (kind) return { role: 'assistant', content: [], toolCalls: [readCallItem(item, kind)] };
	if (callOutputTypes.has(type)) return readOutput(item, type);
	const role = type === 'mcp_approval_response' ? 'user' : 'assistant';
	return { role, content: [{ type: 'opaque', value: item }] };
}

/** Converts an item of the Responses API to a message. Throws `InvalidParams` that names the field. */
export function parseResponsesItem(raw: unknown): ChatMessage[] {
	const item = requireFields(raw, 'item');
	const message = readItem(item);
	const id = readOptionalText(item.id);
	return [id ? { ...message, id } : message];
}
