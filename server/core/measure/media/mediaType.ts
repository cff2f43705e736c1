/** What the bytes of a part are, by what is said of them, else by how they begin. */

import { type ByteAt, bytesOf, littleLong, says } from './base64Bytes.ts';

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
export function statedMediaType(owner: object): string {
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
export function mediaTypeOf(base64: string): string {
	const byteAt = bytesOf(base64);
	if (says(byteAt, 0, 'ID3')) return 'audio/mpeg';
	if (says(byteAt, 0, 'OggS')) return 'audio/ogg';
	if (says(byteAt, 0, 'fLaC')) return 'audio/flac';
	if (says(byteAt, 0, '%PDF')) return 'application/pdf';
	return typeOfContainer(byteAt) ?? '';
}
