/** Blocks of Bedrock's Converse API: objects with one member, named after its content. */

import type { ChatMessage, ContentPart, ImagePart } from '../../../protocol/conversation.ts';
import {
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
import { createHashedId } from '../wire/callIds.ts';
import type { BlockMeaning } from '../wire/layout.ts';
import { assignMessageIds, type BlockReader, splitBlocks, type WireSection } from '../wire/sections.ts';
import type { BlockAccess } from '../wire/turns.ts';

/** Returns a block's member with this name; undefined if the member is missing or not an object. */
export function getBlockMember(block: unknown, name: string): Fields | undefined {
	const member = isFields(block) ? block[name] : undefined;
	return isFields(member) ? member : undefined;
}

/** Reads an image. JSON contains bytes as base64; the serialized byte arrays of some programs become opaque. */
function readImage(block: Fields, image: Fields): ContentPart {
	const { format } = image;
	const source = isFields(image.source) ? image.source : {};
	if (typeof format !== 'string') return { type: 'opaque', value: block };
	const mediaType = `image/${format}`;
	if (typeof source.bytes === 'string') return { type: 'image', mediaType, data: source.bytes };
	const uri = isFields(source.s3Location) ? readOptionalText(source.s3Location.uri) : undefined;
	return uri === undefined ? { type: 'opaque', value: block } : { type: 'image', mediaType, uri };
}

/** Reads a block; a block without a neutral form is opaque. */
export function readBedrockBlock(value: unknown, field: string): BlockMeaning {
	const block = requireFields(value, field);
	if (block.text !== undefined)
		return { part: { type: 'text', text: requireText(block.text, `${field}.text`) } };
	const image = getBlockMember(block, 'image');
	if (image) return { part: readImage(block, image) };
	const reasoning = getBlockMember(getBlockMember(block, 'reasoningContent'), 'reasoningText');
	if (reasoning) {
		const text = requireText(reasoning.text, `${field}.reasoningContent.reasoningText.text`);
		return {
			part: pickDefined({ type: 'reasoning', text, signature: readOptionalText(reasoning.signature) }),
		};
	}
	const call = getBlockMember(block, 'toolUse');
	if (!call) return { part: { type: 'opaque', value: block } };
	const id = requireText(call.toolUseId, `${field}.toolUse.toolUseId`);
	return { call: { id, name: requireName(call.name, `${field}.toolUse.name`), args: call.input ?? {} } };
}

/** Reads a block inside a result; JSON becomes text. */
function readNestedBlock(value: unknown, field: string): ContentPart {
	if (isFields(value) && value.json !== undefined) return { type: 'text', text: JSON.stringify(value.json) };
	const meaning = readBedrockBlock(value, field);
	return 'part' in meaning ? meaning.part : { type: 'opaque', value };
}

function readResult(block: unknown, field: string): ChatMessage {
	const result = requireFields(getBlockMember(block, 'toolResult'), `${field}.toolResult`);
	const content = requireList(result.content ?? [], `${field}.toolResult.content`);
	return pickDefined({
		role: 'tool',
		content: content.map((inner, index) => readNestedBlock(inner, `${field}.toolResult.content[${index}]`)),
		toolCallId: requireText(result.toolUseId, `${field}.toolResult.toolUseId`),
		isError: result.status === 'error' || undefined,
	});
}

const blockReader: BlockReader = {
	isResult: (block) => isFields(block) && block.toolResult !== undefined,
	readBlock: readBedrockBlock,
	readResult,
};

/**
 * Splits a message of the Converse API into neutral messages: one per result of a user message, then
 * everything else from the user. Throws `InvalidParams` that names the field.
 */
export function splitBedrockMessage(raw: Fields): WireSection[] {
	const { role } = raw;
	if (role !== 'user' && role !== 'assistant' && role !== 'system')
		throw createInvalidFieldFailure('role', '"user", "assistant" or "system"', role);
	return assignMessageIds(splitBlocks(role, requireList(raw.content, 'content'), blockReader), raw.id);
}

/** Values of an image's `format` that the API accepts. */
const imageFormats = new Set(['png', 'jpeg', 'gif', 'webp']);

/** Writes an image part as a block; undefined if it has neither accepted bytes nor an S3 location. */
export function writeBedrockImage(image: ImagePart): unknown {
	const format = image.mediaType.replace('image/', '').replace('jpg', 'jpeg');
	if (!imageFormats.has(format)) return undefined;
	if (image.data !== undefined) return { image: { format, source: { bytes: image.data } } };
	if (!image.uri?.startsWith('s3://')) return undefined;
	return { image: { format, source: { s3Location: { uri: image.uri } } } };
}

function mergeMember(block: unknown, name: string, fields: object): unknown {
	return isFields(block) ? { ...block, [name]: { ...getBlockMember(block, name), ...fields } } : block;
}

function readBlockId(block: unknown, name: string): string | undefined {
	const id = getBlockMember(block, name)?.toolUseId;
	return typeof id === 'string' ? id : undefined;
}

/** Access to the blocks of the Converse API, whose call ids have at most 64 letters, digits, `_` and `-`. */
export const bedrockBlockAccess: BlockAccess = {
	isEmptyText: (block) => isFields(block) && typeof block.text === 'string' && block.text.trim() === '',
	isThinking: (block) => isFields(block) && block.reasoningContent !== undefined,
	isResult: (block) => getBlockMember(block, 'toolResult') !== undefined,
	getInnerBlocks(block) {
		const content = getBlockMember(block, 'toolResult')?.content;
		return Array.isArray(content) ? content : undefined;
	},
	replaceInnerBlocks: (result, content) => mergeMember(result, 'toolResult', { content }),
	getCallId: (block) => readBlockId(block, 'toolUse'),
	withCallId: (call, toolUseId) => mergeMember(call, 'toolUse', { toolUseId }),
	getAnsweredId: (block) => readBlockId(block, 'toolResult'),
	withAnsweredId: (result, toolUseId) => mergeMember(result, 'toolResult', { toolUseId }),
	idRule: {
		uniqueWithin: 'request',
		allowedPattern: /^[a-zA-Z0-9_-]{1,64}$/,
		createId: (text) => `tooluse_${createHashedId(text, 13)}`,
	},
	createText: (text) => ({ text }),
};
