/** JSON values as the text that a model reads, with the images in them apart. */

import { dataUrl, isBase64, splitImages } from './embeddedImages.ts';

interface ValueText {
	text: string;
	/** Base64 of each image found inside. */
	images: string[];
	/** Length in bytes of each document (PDF) found inside. */
	documents: number[];
}

/** What becomes of long base64 that is neither an image nor a document: kept as text, or left out. */
export type Base64 = 'kept' | 'dropped';

interface Pending {
	value: unknown;
	/** The object that the value is a field of. */
	owner?: object;
}

/**
 * A value as JSON text without spaces, its strings as they are (no escapes). Images, as `data:` URLs or as base64
 * beside their media type, come out apart. Takes any depth and linear time.
 */
export function jsonText(value: unknown, base64: Base64): ValueText {
	const found: ValueText = { text: '', images: [], documents: [] };
	const pieces: string[] = [];
	const pending: (string | Pending)[] = [{ value }];
	for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
		if (typeof next === 'string') pieces.push(next);
		else if (typeof next.value === 'string')
			pieces.push('"', leaf(next.value, next.owner, base64, found), '"');
		else if (next.value === null || typeof next.value !== 'object') pieces.push(String(next.value ?? ''));
		else open(next.value, pending);
	}
	found.text = pieces.join('');
	return found;
}

/** Puts what an object or array consists of on the stack, last part first. */
function open(value: object, pending: (string | Pending)[]): void {
	if (Array.isArray(value)) {
		pending.push(']');
		for (let i = value.length - 1; i >= 0; i--) {
			pending.push({ value: value[i], owner: value });
			if (i > 0) pending.push(',');
		}
		pending.push('[');
		return;
	}
	const entries = Object.entries(value);
	pending.push('}');
	for (let i = entries.length - 1; i >= 0; i--) {
		const [key, item] = entries[i]!;
		pending.push({ value: item, owner: value }, `${i > 0 ? ',' : ''}"${key}":`);
	}
	pending.push('{');
}

function leaf(text: string, owner: object | undefined, base64: Base64, found: ValueText): string {
	const media = owner === undefined ? '' : mediaType(owner);
	if (media !== '' && isBase64(text)) {
		if (media.startsWith('image/')) found.images.push(text);
		else if (media === 'application/pdf') found.documents.push(Math.floor(text.length * 0.75));
		return '';
	}
	if (base64 === 'dropped') {
		if (isBase64(text)) return '';
		const url = dataUrl(text);
		if (url?.media === 'application/pdf') found.documents.push(Math.floor(url.length * 0.75));
		if (url && !url.media.startsWith('image/')) return '';
	}
	const split = splitImages(text);
	for (const image of split.images) found.images.push(image);
	return split.text;
}

/** The spellings of Anthropic, Gemini, MCP and OpenAI. */
function mediaType(owner: object): string {
	const fields = owner as Record<string, unknown>;
	for (const key of ['media_type', 'mediaType', 'mimeType', 'mime_type']) {
		const value = fields[key];
		if (typeof value === 'string') return value.toLowerCase();
	}
	return '';
}
