import type { ContentPart, ToolCall } from '../../../protocol/conversation.ts';
import { parseArgumentsJson } from '../../format/wire/arguments.ts';
import { createImageFromUrl, joinPlainText } from '../../format/wire/content.ts';
import { type Fields, isFields } from '../../shape.ts';
import { asFields, asList, asText, firstText } from '../../values.ts';

/** A tool's result in a message's content. */
export interface ResultBlock {
	callId?: string;
	toolName?: string;
	content: string | ContentPart[];
	isError?: boolean;
}

/** A message's content, separated into parts, calls and results. */
export interface ContentBlocks {
	parts: ContentPart[];
	calls: ToolCall[];
	results: ResultBlock[];
}

/** Reads the content of any agent's message: a text, or a list of blocks with a `type`. */
export function readBlocks(content: unknown): ContentBlocks {
	const blocks: ContentBlocks = { parts: [], calls: [], results: [] };
	if (typeof content === 'string') {
		if (content !== '') blocks.parts.push({ type: 'text', text: content });
	} else if (Array.isArray(content)) {
		for (const block of content) readBlock(block, blocks);
	} else if (isFields(content)) readBlock(content, blocks);
	return blocks;
}

/** Returns parts as a message's content: a string if there is only one text part. */
export function joinContent(parts: readonly ContentPart[]): string | ContentPart[] {
	const [only] = parts;
	if (only === undefined) return '';
	return parts.length === 1 && only.type === 'text' ? only.text : [...parts];
}

/** Returns a result's content from a value of any shape. */
export function toResultContent(value: unknown): string | ContentPart[] {
	if (typeof value === 'string') return value;
	if (!Array.isArray(value)) return asText(value);
	const { parts } = readBlocks(value);
	return parts.every((part) => part.type === 'text') ? joinPlainText(parts) : joinContent(parts);
}

function readBlock(block: unknown, target: ContentBlocks): void {
	if (typeof block === 'string') {
		target.parts.push({ type: 'text', text: block });
		return;
	}
	if (!isFields(block)) return;
	switch (block.type) {
		case 'text':
		case 'input_text':
		case 'output_text':
		case 'summary_text':
			if (typeof block.text === 'string') target.parts.push({ type: 'text', text: block.text });
			return;
		case 'thinking':
		case 'reasoning':
			readReasoning(block, target);
			return;
		case 'tool_use':
		case 'toolCall':
		case 'tool-call':
			target.calls.push(readCall(block));
			return;
		case 'tool_result':
		case 'tool-result':
			target.results.push(readResult(block));
			return;
		case 'image':
		case 'image_url':
		case 'input_image':
			target.parts.push(readImage(block));
			return;
		case 'file':
			target.parts.push(readFile(block));
			return;
		default:
			if (block.type === undefined && typeof block.text === 'string') {
				target.parts.push({ type: 'text', text: block.text });
			} else target.parts.push({ type: 'opaque', value: block });
	}
}

function readReasoning(block: Fields, target: ContentBlocks): void {
	const text = firstText(block.thinking, block.text) ?? '';
	const signature = firstText(block.signature, block.thinkingSignature);
	if (text !== '' || signature !== undefined)
		target.parts.push({ type: 'reasoning', text, ...(signature !== undefined && { signature }) });
}

/** Returns a call, with the field names of any agent. The id is empty if it is missing. */
export function readCall(value: unknown): ToolCall {
	const call = asFields(value);
	const functionCall = asFields(call.function);
	const args = functionCall.arguments ?? call.args ?? call.arguments ?? call.input ?? {};
	return {
		id: firstText(call.id, call.toolCallId) ?? '',
		name: firstText(functionCall.name, call.name, call.toolName) ?? 'unknown',
		args: typeof args === 'string' ? parseArgumentsJson(args) : args,
	};
}

/** Returns the calls in a list. */
export function readCalls(value: unknown): ToolCall[] {
	return asList(value).filter(isFields).map(readCall);
}

function readResult(block: Fields): ResultBlock {
	const output = asFields(block.output);
	const value =
		block.content ??
		(output.type === undefined ? (block.output ?? block.result) : (output.value ?? block.output));
	const isError =
		block.is_error === true || block.isError === true || /^error/.test(firstText(output.type) ?? '');
	return {
		callId: firstText(block.tool_use_id, block.toolCallId),
		toolName: firstText(block.toolName, block.name),
		content: toResultContent(value),
		...(isError && { isError }),
	};
}

/** Returns a file of a prompt as text: its path, then its content. Opaque if the content is not text. */
function readFile(block: Fields): ContentPart {
	if (typeof block.content !== 'string') return { type: 'opaque', value: block };
	return { type: 'text', text: `${asText(block.path)}\n${block.content}` };
}

function readImage(block: Fields): ContentPart {
	const source = asFields(block.source);
	const data = firstText(source.data, block.data);
	const url = firstText(source.url, block.image_url, asFields(block.image_url).url, block.url, block.image);
	if (data !== undefined) {
		const mediaType = firstText(source.media_type, block.mimeType, block.mediaType) ?? 'image/*';
		return { type: 'image', mediaType, data };
	}
	return url === undefined ? { type: 'opaque', value: block } : createImageFromUrl(url, block.detail);
}

/** Returns the texts of a list of blocks of any type. */
export function extractTexts(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return asList(value).flatMap((block) => firstText(asFields(block).text) ?? []);
}
