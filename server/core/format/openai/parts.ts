import type { ContentPart, ImagePart } from '../../../protocol/conversation.ts';
import { createInvalidFieldFailure, requireFields, requireName, requireText } from '../../shape.ts';
import { createImageFromUrl, createImageUrl } from '../wire/content.ts';

/** Dialects of Chat Completions. */
export type OpenAiDialect = 'openai' | 'mistral' | 'deepseek';

/** Returns the dialect of a provider or model, by name; plain Chat Completions by default. */
export function detectOpenAiDialect(options: { provider?: string; model?: string }): OpenAiDialect {
	const providerAndModel = `${options.provider ?? ''} ${options.model ?? ''}`.toLowerCase();
	if (/mistral|codestral|devstral|magistral|ministral/.test(providerAndModel)) return 'mistral';
	return providerAndModel.includes('deepseek') ? 'deepseek' : 'openai';
}

/** Reads a content part of Chat Completions; a part without a neutral form is opaque. */
export function readOpenaiPart(value: unknown, field: string): ContentPart {
	const part = requireFields(value, field);
	switch (requireName(part.type, `${field}.type`)) {
		case 'text':
			return { type: 'text', text: requireText(part.text, `${field}.text`) };
		case 'image_url': {
			const image = requireFields(part.image_url, `${field}.image_url`);
			return createImageFromUrl(requireText(image.url, `${field}.image_url.url`), image.detail);
		}
		default:
			return { type: 'opaque', value: part };
	}
}

/** Reads the content of a message: a string, an array of parts, or null, which becomes no parts. */
export function readOpenaiContent(value: unknown): string | ContentPart[] {
	if (typeof value === 'string') return value;
	if (value === null || value === undefined) return [];
	if (!Array.isArray(value))
		throw createInvalidFieldFailure('content', 'a string, an array of parts or null', value);
	return value.map((part, index) => readOpenaiPart(part, `content[${index}]`));
}

/** Writes an image part for Chat Completions; undefined if it has neither bytes nor a URI. */
export function writeOpenaiImage(image: ImagePart): unknown {
	const url = createImageUrl(image);
	if (url === undefined) return undefined;
	return { type: 'image_url', image_url: image.detail ? { url, detail: image.detail } : { url } };
}

/** Types of opaque parts that clients of the neutral format may pass: content parts, and an answer's `refusal`. */
export const openaiPartTypes = new Set(['text', 'image_url', 'input_audio', 'file', 'refusal']);

/** Returns the id of a call in the old single-function form, whose result names only the function. */
export function createLegacyCallId(name: string): string {
	return `function_${name}`;
}
