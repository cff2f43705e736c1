/** Converts JSON values to the text that a model reads, and separates images and other media. */

import { isBase64, parseDataUrl, splitImages } from './embeddedImages.ts';
import { type ByteReader, createByteReader, hasAscii, readLittleEndian32 } from './media/base64Bytes.ts';

interface ExtractedText {
	text: string;
	/** Base64 of each image found inside. */
	images: string[];
	/** Audio, video and documents. */
	media: MediaBytes[];
}

/** Base64 bytes and their media type. */
export interface MediaBytes {
	/** Media type in lower case. */
	type: string;
	base64: string;
}

/** What happens to long base64 of unknown type: it is kept and counts as text, or it is dropped. */
export type Base64Handling = 'kept' | 'dropped';

interface PendingValue {
	value: unknown;
	/** The object or array that contains the value. */
	owner?: object;
}

/**
 * Returns a value as JSON text without spaces or escapes and, separately, its images (`data:` URLs, or base64 next to
 * a media type), audio, video and documents. Any depth; linear time.
 */
export function extractJsonText(value: unknown, base64Handling: Base64Handling): ExtractedText {
	const extracted: ExtractedText = { text: '', images: [], media: [] };
	const segments: string[] = [];
	const pending: (string | PendingValue)[] = [{ value }];
	for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
		if (typeof next === 'string') segments.push(next);
		else if (typeof next.value === 'string')
			segments.push('"', convertString(next.value, next.owner, base64Handling, extracted), '"');
		else if (next.value === null || typeof next.value !== 'object') segments.push(String(next.value ?? ''));
		else pushMembers(next.value, pending);
	}
	extracted.text = segments.join('');
	return extracted;
}

/** Pushes the parts of an object or array on the stack, last part first. */
function pushMembers(value: object, pending: (string | PendingValue)[]): void {
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

function convertString(
	text: string,
	owner: object | undefined,
	base64Handling: Base64Handling,
	extracted: ExtractedText,
): string {
	if (isBase64(text)) {
		const statedType = owner === undefined ? '' : readStatedMediaType(owner);
		const type = statedType !== '' || base64Handling === 'kept' ? statedType : detectMediaType(text);
		if (type.startsWith('image/')) extracted.images.push(text);
		else if (type !== '') extracted.media.push({ type, base64: text });
		if (type !== '' || base64Handling === 'dropped') return '';
	}
	const url = base64Handling === 'dropped' ? parseDataUrl(text) : undefined;
	if (url && !url.media.startsWith('image/')) {
		extracted.media.push({ type: url.media, base64: text.slice(-url.length) });
		return '';
	}
	const split = splitImages(text);
	for (const image of split.images) extracted.images.push(image);
	return split.text;
}

/** Media types of OpenAI's audio format names. */
const audioFormats: ReadonlyMap<string, string> = new Map([
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

/** Media types that say nothing about the bytes. */
const genericTypes = new Set(['', '*/*', 'application/octet-stream', 'binary/octet-stream']);

function findLowercaseText(owner: object, keys: readonly string[]): string {
	for (const key of keys) {
		const value: unknown = Reflect.get(owner, key);
		if (typeof value === 'string') return value.toLowerCase();
	}
	return '';
}

/** Returns the media type that an object states for its bytes, in lower case; empty if the object states none. */
function readStatedMediaType(owner: object): string {
	// Anthropic, Gemini, MCP and OpenAI spell the member differently.
	const statedType = findLowercaseText(owner, ['media_type', 'mediaType', 'mimeType', 'mime_type']);
	if (!genericTypes.has(statedType)) return statedType;
	return audioFormats.get(findLowercaseText(owner, ['format'])) ?? '';
}

function detectContainerType(byteAt: ByteReader): string | undefined {
	if (hasAscii(byteAt, 0, 'RIFF') && hasAscii(byteAt, 8, 'WAVE')) return 'audio/wav';
	if (hasAscii(byteAt, 0, 'RIFF') && hasAscii(byteAt, 8, 'AVI ')) return 'video/x-msvideo';
	if (hasAscii(byteAt, 4, 'ftyp')) return hasAscii(byteAt, 8, 'M4A') ? 'audio/mp4' : 'video/mp4';
	if (readLittleEndian32(byteAt, 0) === 0xa3_df_45_1a) return 'video/webm';
	// An Office document is an archive whose first file lists the types of the others.
	if (hasAscii(byteAt, 0, 'PK')) {
		return hasAscii(byteAt, 30, '[Content_Types]')
			? 'application/vnd.openxmlformats-officedocument'
			: 'application/zip';
	}
	return undefined;
}

/** Returns the media type of base64 bytes by their signature; empty if unknown. */
function detectMediaType(base64: string): string {
	const byteAt = createByteReader(base64);
	if (hasAscii(byteAt, 0, 'ID3')) return 'audio/mpeg';
	if (hasAscii(byteAt, 0, 'OggS')) return 'audio/ogg';
	if (hasAscii(byteAt, 0, 'fLaC')) return 'audio/flac';
	if (hasAscii(byteAt, 0, '%PDF')) return 'application/pdf';
	return detectContainerType(byteAt) ?? '';
}
