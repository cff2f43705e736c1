/** The size of an image, read from the head of its own bytes: PNG, JPEG, GIF, WebP and BMP. */

import { type ByteAt, big, bytesOf, little, says } from './media/base64Bytes.ts';

/** How large an image is. */
export interface ImageSize {
	/** Pixels. */
	width: number;
	/** Pixels. */
	height: number;
}

/**
 * Width and height of an image given as base64 (standard or URL-safe, a `data:` prefix and line breaks allowed),
 * or nothing where its bytes do not say. Decodes only the bytes that it looks at.
 */
export function imageSize(base64: string): ImageSize | undefined {
	const byteAt = bytesOf(base64);
	const size = png(byteAt) ?? gif(byteAt) ?? bmp(byteAt) ?? webp(byteAt) ?? jpeg(byteAt, base64.length);
	return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function png(byteAt: ByteAt): ImageSize | undefined {
	if (byteAt(0) !== 0x89 || !says(byteAt, 1, 'PNG')) return undefined;
	const long = (index: number) => big(byteAt, index) * 65_536 + big(byteAt, index + 2);
	return { width: long(16), height: long(20) };
}

function gif(byteAt: ByteAt): ImageSize | undefined {
	return says(byteAt, 0, 'GIF8') ? { width: little(byteAt, 6), height: little(byteAt, 8) } : undefined;
}

function bmp(byteAt: ByteAt): ImageSize | undefined {
	if (!says(byteAt, 0, 'BM')) return undefined;
	if (little(byteAt, 14) === 12) return { width: little(byteAt, 18), height: little(byteAt, 20) };
	// A negative height says that the rows stand from top to bottom.
	const signed = (index: number) =>
		Math.abs((little(byteAt, index) + little(byteAt, index + 2) * 65_536) | 0);
	return { width: signed(18), height: signed(22) };
}

function webp(byteAt: ByteAt): ImageSize | undefined {
	if (!says(byteAt, 0, 'RIFF') || !says(byteAt, 8, 'WEBP')) return undefined;
	if (says(byteAt, 12, 'VP8X')) {
		const wide = (index: number) => little(byteAt, index) + byteAt(index + 2) * 65_536 + 1;
		return { width: wide(24), height: wide(27) };
	}
	if (says(byteAt, 12, 'VP8L')) {
		const first = little(byteAt, 21);
		const second = little(byteAt, 23);
		return { width: (first & 0x3fff) + 1, height: ((first >> 14) | ((second & 0xfff) << 2)) + 1 };
	}
	if (says(byteAt, 12, 'VP8 '))
		return { width: little(byteAt, 26) & 0x3fff, height: little(byteAt, 28) & 0x3fff };
	return undefined;
}

/** Walks the segments to the frame header, which stands behind whatever the camera wrote about itself. */
function jpeg(byteAt: ByteAt, length: number): ImageSize | undefined {
	if (byteAt(0) !== 0xff || byteAt(1) !== 0xd8) return undefined;
	let index = 2;
	while (index < length) {
		if (byteAt(index) !== 0xff) return undefined;
		const marker = byteAt(index + 1);
		if (marker === 0xff) {
			index++;
			continue;
		}
		const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
		if (isFrame) return { width: big(byteAt, index + 7), height: big(byteAt, index + 5) };
		const standsAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
		const segment = standsAlone ? 0 : big(byteAt, index + 2);
		if (Number.isNaN(segment) || (!standsAlone && segment < 2)) return undefined;
		index += 2 + segment;
	}
	return undefined;
}
