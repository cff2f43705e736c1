/** Blocks of Bedrock's Converse API: objects with one member, named for what it holds. */

import type { ChatMessage, ContentPart, ImagePart } from '../../../protocol/conversation.ts';
import {
	type Fields,
	fieldsAt,
	invalid,
	isFields,
	listAt,
	nameAt,
	optionalText,
	present,
	textAt,
} from '../../shape.ts';
import type { BlockMeaning } from '../wire/layout.ts';
import { type BlockReader, type Piece, readSaid, readUser, withIds } from '../wire/pieces.ts';

/** The member of a block, where it is of that name. */
export function memberOf(block: unknown, name: string): Fields | undefined {
	const member = isFields(block) ? block[name] : undefined;
	return isFields(member) ? member : undefined;
}

/** Bytes are base64 in JSON; what a program's own bytes became there is carried along as it is. */
function readImage(block: Fields, image: Fields): ContentPart {
	const { format } = image;
	const source = isFields(image.source) ? image.source : {};
	if (typeof format !== 'string') return { type: 'opaque', value: block };
	const mediaType = `image/${format}`;
	if (typeof source.bytes === 'string') return { type: 'image', mediaType, data: source.bytes };
	const uri = isFields(source.s3Location) ? optionalText(source.s3Location.uri) : undefined;
	return uri === undefined ? { type: 'opaque', value: block } : { type: 'image', mediaType, uri };
}

/** What a block says; a block without a neutral form is opaque. */
export function readBlock(value: unknown, field: string): BlockMeaning {
	const block = fieldsAt(value, field);
	if (block.text !== undefined) return { part: { type: 'text', text: textAt(block.text, `${field}.text`) } };
	const image = memberOf(block, 'image');
	if (image) return { part: readImage(block, image) };
	const reasoning = memberOf(memberOf(block, 'reasoningContent'), 'reasoningText');
	if (reasoning) {
		const text = textAt(reasoning.text, `${field}.reasoningContent.reasoningText.text`);
		return { part: present({ type: 'reasoning', text, signature: optionalText(reasoning.signature) }) };
	}
	const call = memberOf(block, 'toolUse');
	if (!call) return { part: { type: 'opaque', value: block } };
	const id = textAt(call.toolUseId, `${field}.toolUse.toolUseId`);
	return { call: { id, name: nameAt(call.name, `${field}.toolUse.name`), args: call.input ?? {} } };
}

/** What a block inside a result says: JSON as its text. */
export function readInside(value: unknown, field: string): ContentPart {
	if (isFields(value) && value.json !== undefined) return { type: 'text', text: JSON.stringify(value.json) };
	const means = readBlock(value, field);
	return 'part' in means ? means.part : { type: 'opaque', value };
}

function readResult(block: unknown, field: string): ChatMessage {
	const result = fieldsAt(memberOf(block, 'toolResult'), `${field}.toolResult`);
	const content = listAt(result.content ?? [], `${field}.toolResult.content`);
	const message: ChatMessage = {
		role: 'tool',
		content: content.map((inner, index) => readInside(inner, `${field}.toolResult.content[${index}]`)),
		toolCallId: textAt(result.toolUseId, `${field}.toolResult.toolUseId`),
	};
	if (result.status === 'error') message.isError = true;
	return message;
}

const reader: BlockReader = {
	isResult: (block) => isFields(block) && block.toolResult !== undefined,
	readBlock,
	readResult,
};

/**
 * A message of the Converse API as neutral messages: the results of a user message first, one each, then what else the
 * user said. Throws `InvalidParams` naming the field.
 */
export function splitMessage(raw: Fields): Piece[] {
	const { role } = raw;
	if (role !== 'user' && role !== 'assistant' && role !== 'system') {
		throw invalid('role', '"user", "assistant" or "system"', role);
	}
	const blocks = listAt(raw.content, 'content');
	const pieces =
		role === 'user' ? readUser(blocks, reader) : [{ message: readSaid(role, blocks, reader), blocks }];
	return withIds(pieces, raw.id);
}

/** What the API takes as `format` of an image. */
const imageFormats = new Set(['png', 'jpeg', 'gif', 'webp']);

/** An image part as a block, or undefined where the API does not take it: it wants bytes, or a place in S3. */
export function imageBlock(image: ImagePart): unknown {
	const format = image.mediaType.replace('image/', '').replace('jpg', 'jpeg');
	if (!imageFormats.has(format)) return undefined;
	if (image.data !== undefined) return { image: { format, source: { bytes: image.data } } };
	if (!image.uri?.startsWith('s3://')) return undefined;
	return { image: { format, source: { s3Location: { uri: image.uri } } } };
}
