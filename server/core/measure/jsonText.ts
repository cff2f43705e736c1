/** JSON values as the text that a model reads, with the images and other media in them apart. */

import { dataUrl, isBase64, splitImages } from './embeddedImages.ts';
import { type ByteAt, bytesOf, littleLong, says } from './media/base64Bytes.ts';

interface ValueText {
	text: string;
	/** Base64 of each image found inside. */
	images: string[];
	/** Everything else that is no text: sounds, films, documents. */
	media: MediaBytes[];
}

/** Bytes with what they are. */
interface MediaBytes {
	/** In small letters. */
	type: string;
	base64: string;
}

/** What becomes of long base64 that nobody knows what it is: kept as text, or left out. */
export type Base64 = 'kept' | 'dropped';

interface Pending {
	value: unknown;
	/** The object that the value is a field of. */
	owner?: object;
}

/**
 * A value as JSON text without spaces, its strings as they are (no escapes). Images, as `data:` URLs or as base64
 * beside their media type, come out apart, and so do sounds, films and documents. Takes any depth and linear time.
 */
export function jsonText(value: unknown, base64: Base64): ValueText {
	const found: ValueText = { text: '', images: [], media: [] };
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
	if (isBase64(text)) {
		const stated = owner === undefined ? '' : statedMediaType(owner);
		const type = stated !== '' || base64 === 'kept' ? stated : mediaTypeOf(text);
		if (type.startsWith('image/')) found.images.push(text);
		else if (type !== '') found.media.push({ type, base64: text });
		if (type !== '' || base64 === 'dropped') return '';
	}
	const url = base64 === 'dropped' ? dataUrl(text) : undefined;
	if (url && !url.media.startsWith('image/')) {
		found.media.push({ type: url.media, base64: text.slice(-url.length) });
		return '';
	}
	const split = splitImages(text);
	for (const image of split.images) found.images.push(image);
	return split.text;
}

/** Formats as OpenAI names them beside the bytes of a sound. */
const soundFormats: ReadonlyMap<string, string> = new Map([
	['wav', 'audio/wav'],
	['mp3', 'audio/mpeg'],
	['flac', 'audio/flac'],
	['opus', 'audio/ogg'],
	['ogg', 'audio/ogg'],
	['aac', 'audio/aac'],
	['m4a', 'audio/mp4'],
	['pcm16', 'audio/pcm'],
	['g711_ulaw', 'audio/basic'],
	['g711_alaw', 'audio/basic'],
]);

/** Says nothing of what the bytes are. */
const anything = new Set(['', '*/*', 'application/octet-stream', 'binary/octet-stream']);

function textIn(owner: object, keys: readonly string[]): string {
	for (const key of keys) {
		const value: unknown = Reflect.get(owner, key);
		if (typeof value === 'string') return value.toLowerCase();
	}
	return '';
}

/** The media type that an object states for bytes that it holds, in small letters; the empty text where it is silent. */
function statedMediaType(owner: object): string {
	// The spellings of Anthropic, Gemini, MCP and OpenAI.
	const stated = textIn(owner, ['media_type', 'mediaType', 'mimeType', 'mime_type']);
	if (!anything.has(stated)) return stated;
	return soundFormats.get(textIn(owner, ['format'])) ?? '';
}

function typeOfContainer(byteAt: ByteAt): string | undefined {
	if (says(byteAt, 0, 'RIFF') && says(byteAt, 8, 'WAVE')) return 'audio/wav';
	if (says(byteAt, 0, 'RIFF') && says(byteAt, 8, 'AVI ')) return 'video/x-msvideo';
	if (says(byteAt, 4, 'ftyp')) return says(byteAt, 8, 'M4A') ? 'audio/mp4' : 'video/mp4';
	if (littleLong(byteAt, 0) === 0xa3_df_45_1a) return 'video/webm';
	// The first file in the archive of an Office document lists what the others are.
	if (says(byteAt, 0, 'PK')) {
		return says(byteAt, 30, '[Content_Types]')
			? 'application/vnd.openxmlformats-officedocument'
			: 'application/zip';
	}
	return undefined;
}

/** The media type of bytes in base64 by how they begin; the empty text where that says nothing. */
function mediaTypeOf(base64: string): string {
	const byteAt = bytesOf(base64);
	if (says(byteAt, 0, 'ID3')) return 'audio/mpeg';
	if (says(byteAt, 0, 'OggS')) return 'audio/ogg';
	if (says(byteAt, 0, 'fLaC')) return 'audio/flac';
	if (says(byteAt, 0, '%PDF')) return 'application/pdf';
	return typeOfContainer(byteAt) ?? '';
}
