/** Reads the size of an image from the head of its bytes: PNG, JPEG, GIF, WebP and BMP. */

import {
	type ByteReader,
	createByteReader,
	hasAscii,
	readBigEndian16,
	readBigEndian32,
	readLittleEndian16,
	readLittleEndian32,
} from './media/base64Bytes.ts';

/** Size of an image, in pixels. */
export interface ImageSize {
	width: number;
	height: number;
}

/**
 * Returns width and height of an image in base64 (standard or URL-safe; a `data:` prefix and line
 * breaks are allowed), or undefined if its bytes do not state them. Decodes only the bytes it reads.
 */
export function readImageSize(base64: string): ImageSize | undefined {
	const byteAt = createByteReader(base64);
	const size =
		readPng(byteAt) ??
		readGif(byteAt) ??
		readBmp(byteAt) ??
		readWebp(byteAt) ??
		readJpeg(byteAt, base64.length);
	return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function readPng(byteAt: ByteReader): ImageSize | undefined {
	if (byteAt(0) !== 0x89 || !hasAscii(byteAt, 1, 'PNG')) return undefined;
	return { width: readBigEndian32(byteAt, 16), height: readBigEndian32(byteAt, 20) };
}

function readGif(byteAt: ByteReader): ImageSize | undefined {
	return hasAscii(byteAt, 0, 'GIF8')
		? { width: readLittleEndian16(byteAt, 6), height: readLittleEndian16(byteAt, 8) }
		: undefined;
}

function readBmp(byteAt: ByteReader): ImageSize | undefined {
	if (!hasAscii(byteAt, 0, 'BM')) return undefined;
	if (readLittleEndian16(byteAt, 14) === 12)
		return { width: readLittleEndian16(byteAt, 18), height: readLittleEndian16(byteAt, 20) };
	// A negative height means that rows are stored from top to bottom.
	const readSide = (index: number) => Math.abs(readLittleEndian32(byteAt, index) | 0);
	return { width: readSide(18), height: readSide(22) };
}

function readWebp(byteAt: ByteReader): ImageSize | undefined {
	if (!hasAscii(byteAt, 0, 'RIFF') || !hasAscii(byteAt, 8, 'WEBP')) return undefined;
	if (hasAscii(byteAt, 12, 'VP8X')) {
		const readSide = (index: number) => readLittleEndian16(byteAt, index) + byteAt(index + 2) * 65_536 + 1;
		return { width: readSide(24), height: readSide(27) };
	}
	if (hasAscii(byteAt, 12, 'VP8L')) {
		const first = readLittleEndian16(byteAt, 21);
		const second = readLittleEndian16(byteAt, 23);
		return { width: (first & 0x3fff) + 1, height: ((first >> 14) | ((second & 0xfff) << 2)) + 1 };
	}
	if (hasAscii(byteAt, 12, 'VP8 '))
		return {
			width: readLittleEndian16(byteAt, 26) & 0x3fff,
			height: readLittleEndian16(byteAt, 28) & 0x3fff,
		};
	return undefined;
}

/** Reads the size from the frame header, which may follow other segments, such as the camera's metadata. */
function readJpeg(byteAt: ByteReader, length: number): ImageSize | undefined {
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
		if (isFrame)
			return { width: readBigEndian16(byteAt, index + 7), height: readBigEndian16(byteAt, index + 5) };
		const isStandalone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
		const segment = isStandalone ? 0 : readBigEndian16(byteAt, index + 2);
		if (Number.isNaN(segment) || (!isStandalone && segment < 2)) return undefined;
		index += 2 + segment;
	}
	return undefined;
}
