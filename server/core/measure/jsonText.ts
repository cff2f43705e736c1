/** JSON values as the text that a model reads, with the images in them apart. */

import { dataUrl, isBase64, splitImages } from './embeddedImages.ts';
import { mediaTypeOf, statedMediaType } from './media/mediaType.ts';

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
