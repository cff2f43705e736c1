import type { ChatMessage, ContentPart, ImagePart, ToolCall } from '../../../protocol/conversation.ts';
import { type Fields, fieldsAt, invalid, isFields, nameAt, present, textAt } from '../../shape.ts';
import { idOfPart } from '../wire/grouping.ts';
import type { BlockMeaning } from '../wire/layout.ts';

/** One neutral message of a wire message, with the wire blocks that it stands for. */
export interface Piece {
	message: ChatMessage;
	blocks: unknown[];
}

function readImage(block: Fields, field: string): ContentPart {
	const source = fieldsAt(block.source, `${field}.source`);
	if (source.type === 'base64') {
		return {
			type: 'image',
			mediaType: textAt(source.media_type, `${field}.source.media_type`),
			data: textAt(source.data, `${field}.source.data`),
		};
	}
	if (source.type === 'url') {
		return { type: 'image', mediaType: 'image/*', uri: textAt(source.url, `${field}.source.url`) };
	}
	return { type: 'opaque', value: block };
}

/** What a block of the Messages API says; a block without a neutral form is opaque. */
export function readBlock(value: unknown, field: string): BlockMeaning {
	const block = fieldsAt(value, field);
	switch (nameAt(block.type, `${field}.type`)) {
		case 'text':
			return { part: { type: 'text', text: textAt(block.text, `${field}.text`) } };
		case 'image':
			return { part: readImage(block, field) };
		case 'thinking': {
			const text = textAt(block.thinking, `${field}.thinking`);
			const signature = typeof block.signature === 'string' ? block.signature : undefined;
			return { part: present({ type: 'reasoning', text, signature }) };
		}
		case 'tool_use':
			return {
				call: {
					id: textAt(block.id, `${field}.id`),
					name: nameAt(block.name, `${field}.name`),
					args: block.input ?? {},
				},
			};
		default:
			return { part: { type: 'opaque', value: block } };
	}
}

function readResult(block: Fields, field: string): ChatMessage {
	const { content } = block;
	if (content !== undefined && content !== null && typeof content !== 'string' && !Array.isArray(content)) {
		throw invalid(`${field}.content`, 'a string or an array of blocks', content);
	}
	const parts = Array.isArray(content)
		? content.map((inner, index) => {
				const means = readBlock(inner, `${field}.content[${index}]`);
				return 'part' in means ? means.part : ({ type: 'opaque', value: inner } as const);
			})
		: (content ?? '');
	const message: ChatMessage = {
		role: 'tool',
		content: parts,
		toolCallId: textAt(block.tool_use_id, `${field}.tool_use_id`),
	};
	if (block.is_error === true) message.isError = true;
	return message;
}

function readAssistant(blocks: unknown[]): ChatMessage {
	const parts: ContentPart[] = [];
	const calls: ToolCall[] = [];
	blocks.forEach((block, index) => {
		const means = readBlock(block, `content[${index}]`);
		if ('part' in means) parts.push(means.part);
		else calls.push(means.call);
	});
	return present({
		role: 'assistant',
		content: parts,
		toolCalls: calls.length > 0 ? calls : undefined,
	});
}

function readUser(blocks: unknown[]): Piece[] {
	const results: Piece[] = [];
	const rest: unknown[] = [];
	const parts: ContentPart[] = [];
	blocks.forEach((block, index) => {
		const field = `content[${index}]`;
		if (isFields(block) && block.type === 'tool_result') {
			results.push({ message: readResult(block, field), blocks: [block] });
			return;
		}
		const means = readBlock(block, field);
		rest.push(block);
		parts.push('part' in means ? means.part : { type: 'opaque', value: block });
	});
	if (rest.length === 0 && results.length > 0) return results;
	return [...results, { message: { role: 'user', content: parts }, blocks: rest }];
}

/**
 * A message of the Messages API as neutral messages: the tool results of a user message first, one each, then
 * what else the user said. Throws `InvalidParams` naming the field.
 */
export function splitMessage(raw: Fields): Piece[] {
	const { role, content } = raw;
	if (role !== 'user' && role !== 'assistant' && role !== 'system') {
		throw invalid('role', '"user", "assistant" or "system"', role);
	}
	let pieces: Piece[];
	if (typeof content === 'string') {
		const blocks = content === '' ? [] : [{ type: 'text', text: content }];
		pieces = [{ message: { role, content }, blocks }];
	} else if (Array.isArray(content)) {
		const whole = (): Piece => ({ message: { ...readAssistant(content), role }, blocks: content });
		pieces = role === 'user' ? readUser(content) : [whole()];
	} else {
		throw invalid('content', 'a string or an array of blocks', content);
	}
	pieces.forEach((piece, part) => {
		const id = idOfPart(raw.id, part);
		if (id !== undefined) piece.message.id = id;
	});
	return pieces;
}

/** An image part as a block, or undefined where it holds neither bytes nor a URI. */
export function imageBlock(image: ImagePart): unknown {
	if (image.data !== undefined) {
		return { type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.data } };
	}
	return image.uri === undefined ? undefined : { type: 'image', source: { type: 'url', url: image.uri } };
}
