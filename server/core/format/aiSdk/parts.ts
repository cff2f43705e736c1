/** Reads the parts of the AI SDK's ModelMessages. */

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
	textOrEmpty,
} from '../../shape.ts';
import { createImageFromUrl } from '../wire/content.ts';
import type { BlockMeaning } from '../wire/layout.ts';
import { assignMessageIds, type BlockReader, splitBlocks, type WireSection } from '../wire/sections.ts';
import { readToolOutput } from './output.ts';

/** Reads an image. JSON contains bytes as base64 or a data URL; any other scheme is the image's location. */
function readImage(value: string, mediaType: string | undefined): ImagePart {
	if (/^[a-z][a-z0-9+.-]*:/i.test(value.slice(0, 40))) return createImageFromUrl(value);
	return { type: 'image', mediaType: mediaType ?? 'image/*', data: value };
}

function readMedia(part: Fields): ContentPart {
	const mediaType = readOptionalText(part.mediaType) ?? readOptionalText(part.mimeType);
	const data = part.type === 'image' ? part.image : part.data;
	const isImage = part.type === 'image' || mediaType?.startsWith('image/');
	return isImage && typeof data === 'string' ? readImage(data, mediaType) : { type: 'opaque', value: part };
}

/** Returns the signature of a reasoning part, from the options of the provider that signed it. */
export function findSignature(part: Fields): string | undefined {
	const options = isFields(part.providerOptions) ? part.providerOptions : {};
	const signedOptions = Object.values(options).find(
		(one) => isFields(one) && typeof one.signature === 'string',
	);
	return isFields(signedOptions) ? textOrEmpty(signedOptions.signature) : undefined;
}

/** Whether a part is a call that the client answers. Providers answer their own calls in place. */
export function isOwnCall(part: Fields): boolean {
	return part.type === 'tool-call' && part.providerExecuted !== true;
}

/** Reads a part; a part without a neutral form is opaque. */
export function readAiSdkPart(value: unknown, field: string): BlockMeaning {
	const part = requireFields(value, field);
	switch (requireName(part.type, `${field}.type`)) {
		case 'text':
			return { part: { type: 'text', text: requireText(part.text, `${field}.text`) } };
		case 'image':
		case 'file':
			return { part: readMedia(part) };
		case 'reasoning': {
			const text = requireText(part.text, `${field}.text`);
			return { part: pickDefined({ type: 'reasoning', text, signature: findSignature(part) }) };
		}
		case 'tool-call': {
			if (!isOwnCall(part)) return { part: { type: 'opaque', value: part } };
			const id = requireText(part.toolCallId, `${field}.toolCallId`);
			const name = requireName(part.toolName, `${field}.toolName`);
			return { call: { id, name, args: part.input ?? part.args ?? {} } };
		}
		default:
			return { part: { type: 'opaque', value: part } };
	}
}

function readResult(value: unknown, field: string): ChatMessage {
	const result = requireFields(value, field);
	const { content, isError } = readToolOutput(result, field);
	return pickDefined({
		role: 'tool',
		content,
		toolCallId: requireText(result.toolCallId, `${field}.toolCallId`),
		toolName: readOptionalText(result.toolName) || undefined,
		isError: isError || undefined,
	});
}

const blockReader: BlockReader = {
	isResult: (part) => isFields(part) && part.type === 'tool-result',
	readBlock: readAiSdkPart,
	readResult,
};

/** Reads a tool's results, one message each. Answers to approval requests count as injected. */
function readToolMessage(parts: unknown[]): WireSection[] {
	return splitBlocks('user', parts, blockReader).map((section) =>
		section.message.role === 'tool'
			? section
			: { ...section, message: { ...section.message, metadata: { injected: true } } },
	);
}

function splitMessage(raw: Fields): WireSection[] {
	const { role, content } = raw;
	if (role === 'tool') return readToolMessage(requireList(content, 'content'));
	if (role !== 'user' && role !== 'assistant' && role !== 'system')
		throw createInvalidFieldFailure('role', '"system", "user", "assistant" or "tool"', role);
	if (typeof content === 'string')
		return [{ message: { role, content }, blocks: content === '' ? [] : [{ type: 'text', text: content }] }];
	if (!Array.isArray(content))
		throw createInvalidFieldFailure('content', 'a string or an array of parts', content);
	return splitBlocks(role, content, { ...blockReader, isResult: () => false });
}

/** Splits a ModelMessage into neutral messages, one per tool result. Throws `InvalidParams` that names the field. */
export function splitAiSdkMessage(raw: Fields): WireSection[] {
	return assignMessageIds(splitMessage(raw), raw.id);
}
