/** Reads and writes outputs of tools in the AI SDK. Their content depends on their type. */

import type { ChatMessage, ContentPart } from '../../../protocol/conversation.ts';
import {
	type Fields,
	isFields,
	requireFields,
	requireList,
	requireName,
	requireText,
	textOrEmpty,
} from '../../shape.ts';
import { createImageFromUrl, imagePlaceholder, toContentParts } from '../wire/content.ts';

type MessageContent = ChatMessage['content'];

/** Content of an output, and whether it reports a failure. */
interface ToolOutput {
	content: MessageContent;
	isError: boolean;
}

function stringifyValue(value: unknown): string {
	return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function readMediaType(part: Fields): string {
	return textOrEmpty(part.mediaType) || 'image/*';
}

/** Reads a part of an output of type `content`; a part without a neutral form is opaque. */
function readPart(value: unknown, field: string): ContentPart {
	const part = requireFields(value, field);
	const isImage = readMediaType(part).startsWith('image/');
	switch (requireName(part.type, `${field}.type`)) {
		case 'text':
			return { type: 'text', text: requireText(part.text, `${field}.text`) };
		case 'image-data':
		case 'media':
		case 'file-data':
			if (!isImage || typeof part.data !== 'string') return { type: 'opaque', value: part };
			return { type: 'image', mediaType: readMediaType(part), data: part.data };
		case 'image-url':
			return createImageFromUrl(requireText(part.url, `${field}.url`));
		default:
			return { type: 'opaque', value: part };
	}
}

/** Reads the `output` of a result. Before version 5, this was a `result` of any shape, next to `isError`. */
export function readToolOutput(result: Fields, field: string): ToolOutput {
	if (result.output === undefined)
		return { content: stringifyValue(result.result ?? ''), isError: result.isError === true };
	const output = requireFields(result.output, `${field}.output`);
	const type = requireName(output.type, `${field}.output.type`);
	const isError = type.startsWith('error') || type === 'execution-denied';
	if (type === 'execution-denied') return { content: textOrEmpty(output.reason), isError };
	if (type !== 'content') return { content: stringifyValue(output.value ?? ''), isError };
	const parts = requireList(output.value, `${field}.output.value`);
	return { content: parts.map((part, index) => readPart(part, `${field}.output.value[${index}]`)), isError };
}

/** Writes a part of an output; undefined if the format cannot express it. */
function writePart(part: ContentPart, isOwn: boolean): unknown {
	if (part.type === 'text') return { type: 'text', text: part.text };
	if (part.type === 'opaque') return isOwn ? part.value : undefined;
	if (part.type === 'reasoning') return undefined;
	if (part.data !== undefined) return { type: 'image-data', data: part.data, mediaType: part.mediaType };
	return part.uri === undefined
		? { type: 'text', text: imagePlaceholder }
		: { type: 'image-url', url: part.uri };
}

/** Writes a tool message as an output; calls `reportLoss` for everything that an output cannot express. */
export function writeToolOutput(
	message: ChatMessage,
	isOwn: boolean,
	reportLoss: (content: string) => void,
): Fields {
	const parts = toContentParts(message.content);
	const writtenParts = parts.flatMap((part) => {
		const output = writePart(part, isOwn);
		if (output === undefined)
			reportLoss(part.type === 'opaque' ? 'an opaque part' : 'reasoning in a tool result');
		return output === undefined ? [] : [output];
	});
	const isPlain = writtenParts.every((part) => isFields(part) && part.type === 'text');
	if (!isPlain && !message.isError) return { type: 'content', value: writtenParts };
	const texts = writtenParts.flatMap((part) =>
		isFields(part) && part.type === 'text' ? [textOrEmpty(part.text)] : [],
	);
	if (!isPlain) reportLoss('an image in the result of a call that failed');
	return { type: message.isError ? 'error-text' : 'text', value: texts.join('\n') };
}
