import type { ChatMessage, ContentPart } from '../../../protocol/conversation.ts';
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
import { asFields } from '../../values.ts';
import type { BlockMeaning } from '../wire/layout.ts';
import { assignMessageIds, type BlockReader, splitBlocks, type WireSection } from '../wire/sections.ts';

/** Reads a field by its camelCase or snake_case name; the API accepts both. */
function readField(part: Fields, camel: string, snake: string): unknown {
	return part[camel] ?? part[snake];
}

export function getFunctionCall(part: unknown): Fields | undefined {
	const call = isFields(part) ? readField(part, 'functionCall', 'function_call') : undefined;
	return isFields(call) ? call : undefined;
}

export function getFunctionResponse(part: unknown): Fields | undefined {
	const response = isFields(part) ? readField(part, 'functionResponse', 'function_response') : undefined;
	return isFields(response) ? response : undefined;
}

/** Creates a function that returns a call's or response's id, generated from name and ordinal if it has none. */
function createIdAssigner(): (id: unknown, name: string) => string {
	const useCounts = new Map<string, number>();
	return (id, name) => {
		const useCount = useCounts.get(name) ?? 0;
		useCounts.set(name, useCount + 1);
		return typeof id === 'string' && id !== '' ? id : `${name}#${useCount}`;
	};
}

function readMediaPart(part: Fields): ContentPart | undefined {
	const media = asFields(
		readField(part, 'inlineData', 'inline_data') ?? readField(part, 'fileData', 'file_data'),
	);
	const mediaType = readOptionalText(readField(media, 'mimeType', 'mime_type'));
	if (!mediaType?.startsWith('image/')) return undefined;
	if (typeof media.data === 'string') return { type: 'image', mediaType, data: media.data };
	const uri = readOptionalText(readField(media, 'fileUri', 'file_uri'));
	return uri === undefined ? undefined : { type: 'image', mediaType, uri };
}

/** Creates a reader for the parts of one Gemini `Content`, in order. Parts without a neutral form become `opaque`. */
export function createPartReader(): (value: unknown, field?: string) => BlockMeaning {
	const assignId = createIdAssigner();
	return (value, field = 'parts') => {
		const part = requireFields(value, field);
		const call = getFunctionCall(part);
		if (call) {
			const name = requireName(call.name, `${field}.functionCall.name`);
			return { call: { id: assignId(call.id, name), name, args: call.args ?? {} } };
		}
		if (part.text !== undefined) {
			const text = requireText(part.text, `${field}.text`);
			if (part.thought !== true) return { part: { type: 'text', text } };
			const signature = readOptionalText(readField(part, 'thoughtSignature', 'thought_signature'));
			return { part: pickDefined({ type: 'reasoning', text, signature }) };
		}
		return { part: readMediaPart(part) ?? { type: 'opaque', value: part } };
	};
}

const textFields = ['output', 'result', 'content', 'error'];

function readResponseText(response: Fields): string {
	const [name, ...others] = Object.keys(response);
	const value = name === undefined ? '' : response[name];
	if (name === undefined) return '';
	const isPlain = others.length === 0 && textFields.includes(name) && typeof value === 'string';
	return isPlain ? value : JSON.stringify(response);
}

function readResponse(
	response: Fields,
	field: string,
	assignId: ReturnType<typeof createIdAssigner>,
): ChatMessage {
	const toolName = requireName(response.name, `${field}.functionResponse.name`);
	const body = requireFields(response.response ?? {}, `${field}.functionResponse.response`);
	const text = readResponseText(body);
	const media = Array.isArray(response.parts) ? response.parts.filter(isFields) : [];
	const images = media.map((part) => readMediaPart(part) ?? ({ type: 'opaque', value: part } as const));
	return pickDefined({
		role: 'tool',
		content: images.length > 0 ? [{ type: 'text', text }, ...images] : text,
		toolCallId: assignId(response.id, toolName),
		toolName,
		isError: body.error !== undefined || undefined,
	});
}

/** Creates the `BlockReader` of one `Content`, whose parts must be read in order. */
function createBlockReader(): BlockReader {
	const assignId = createIdAssigner();
	return {
		isResult: (part) => getFunctionResponse(part) !== undefined,
		readBlock: createPartReader(),
		readResult: (part, field) => readResponse(getFunctionResponse(part) ?? {}, field, assignId),
	};
}

const neutralRoles = { user: 'user', function: 'user', model: 'assistant', system: 'system' } as const;

/**
 * Splits a Gemini `Content` into neutral messages: one per function response, then everything
 * else from the user. Throws `InvalidParams` that names the field.
 */
export function splitGeminiContent(raw: Fields): WireSection[] {
	const parts = requireList(raw.parts, 'parts');
	const role = raw.role ?? 'user';
	if (role !== 'user' && role !== 'function' && role !== 'model' && role !== 'system')
		throw createInvalidFieldFailure('role', '"user", "model" or "function"', role);
	return assignMessageIds(splitBlocks(neutralRoles[role], parts, createBlockReader(), 'parts'), raw.id);
}
