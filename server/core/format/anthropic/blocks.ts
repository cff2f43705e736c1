import type { ChatMessage, ContentPart, ImagePart } from '../../../protocol/conversation.ts';
import {
	createInvalidFieldFailure,
	type Fields,
	isFields,
	pickDefined,
	requireFields,
	requireName,
	requireText,
} from '../../shape.ts';
import { createHashedId } from '../wire/callIds.ts';
import type { BlockMeaning } from '../wire/layout.ts';
import { assignMessageIds, type BlockReader, splitBlocks, type WireSection } from '../wire/sections.ts';
import type { BlockAccess } from '../wire/turns.ts';

function readImage(block: Fields, field: string): ContentPart {
	const source = requireFields(block.source, `${field}.source`);
	if (source.type === 'base64') {
		return {
			type: 'image',
			mediaType: requireText(source.media_type, `${field}.source.media_type`),
			data: requireText(source.data, `${field}.source.data`),
		};
	}
	if (source.type === 'url')
		return { type: 'image', mediaType: 'image/*', uri: requireText(source.url, `${field}.source.url`) };
	return { type: 'opaque', value: block };
}

/** Reads a block of the Messages API; a block without a neutral form is opaque. */
export function readAnthropicBlock(value: unknown, field: string): BlockMeaning {
	const block = requireFields(value, field);
	switch (requireName(block.type, `${field}.type`)) {
		case 'text':
			return { part: { type: 'text', text: requireText(block.text, `${field}.text`) } };
		case 'image':
			return { part: readImage(block, field) };
		case 'thinking': {
			const text = requireText(block.thinking, `${field}.thinking`);
			const signature = typeof block.signature === 'string' ? block.signature : undefined;
			return { part: pickDefined({ type: 'reasoning', text, signature }) };
		}
		case 'tool_use':
			return {
				call: {
					id: requireText(block.id, `${field}.id`),
					name: requireName(block.name, `${field}.name`),
					args: block.input ?? {},
				},
			};
		default:
			return { part: { type: 'opaque', value: block } };
	}
}

function readResult(block: Fields, field: string): ChatMessage {
	const { content } = block;
	if (content !== undefined && content !== null && typeof content !== 'string' && !Array.isArray(content))
		throw createInvalidFieldFailure(`${field}.content`, 'a string or an array of blocks', content);
	const parts = Array.isArray(content)
		? content.map((innerBlock, index) => {
				const meaning = readAnthropicBlock(innerBlock, `${field}.content[${index}]`);
				return 'part' in meaning ? meaning.part : ({ type: 'opaque', value: innerBlock } as const);
			})
		: (content ?? '');
	const toolCallId = requireText(block.tool_use_id, `${field}.tool_use_id`);
	const isError = block.is_error === true || undefined;
	return pickDefined({ role: 'tool', content: parts, toolCallId, isError });
}

const blockReader: BlockReader = {
	isResult: (block) => isFields(block) && block.type === 'tool_result',
	readBlock: readAnthropicBlock,
	readResult: (block, field) => readResult(requireFields(block, field), field),
};

/**
 * Splits a message of the Messages API into neutral messages: one per tool result of a user message,
 * then everything else from the user. Throws `InvalidParams` that names the field.
 */
export function splitAnthropicMessage(raw: Fields): WireSection[] {
	const { role, content } = raw;
	if (role !== 'user' && role !== 'assistant' && role !== 'system')
		throw createInvalidFieldFailure('role', '"user", "assistant" or "system"', role);
	if (typeof content === 'string') {
		const blocks = content === '' ? [] : [{ type: 'text', text: content }];
		return assignMessageIds([{ message: { role, content }, blocks }], raw.id);
	}
	if (!Array.isArray(content))
		throw createInvalidFieldFailure('content', 'a string or an array of blocks', content);
	return assignMessageIds(splitBlocks(role, content, blockReader), raw.id);
}

/** Writes an image part as a block; undefined if it has neither bytes nor a URI. */
export function writeAnthropicImage(image: ImagePart): unknown {
	if (image.data !== undefined)
		return { type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.data } };
	return image.uri === undefined ? undefined : { type: 'image', source: { type: 'url', url: image.uri } };
}

function readBlockType(block: unknown): unknown {
	return isFields(block) ? block.type : undefined;
}

function readBlockId(block: unknown, type: string, field: string): string | undefined {
	if (!isFields(block) || block.type !== type) return undefined;
	const id = block[field];
	return typeof id === 'string' ? id : undefined;
}

/** Access to the blocks of the Messages API. */
export const anthropicBlockAccess: BlockAccess = {
	isEmptyText: (block) =>
		isFields(block) && block.type === 'text' && typeof block.text === 'string' && block.text.trim() === '',
	isThinking: (block) => ['thinking', 'redacted_thinking'].includes(readBlockType(block) as string),
	isResult: (block) => readBlockType(block) === 'tool_result',
	getInnerBlocks: (block) =>
		isFields(block) && block.type === 'tool_result' && Array.isArray(block.content)
			? block.content
			: undefined,
	replaceInnerBlocks: (result, content) => (isFields(result) ? { ...result, content } : result),
	getCallId: (block) => readBlockId(block, 'tool_use', 'id'),
	withCallId: (call, id) => (isFields(call) ? { ...call, id } : call),
	getAnsweredId: (block) => readBlockId(block, 'tool_result', 'tool_use_id'),
	withAnsweredId: (result, id) => (isFields(result) ? { ...result, tool_use_id: id } : result),
	idRule: {
		uniqueWithin: 'request',
		allowedPattern: /^[a-zA-Z0-9_-]{1,128}$/,
		createId: (text) => `toolu_${createHashedId(text, 13)}`,
	},
	createText: (text) => ({ type: 'text', text }),
};
