/** What the first bytes of an image file tell. */
export interface ImageFacts {
	mediaType: string;
	/** Pixels. */
	width?: number;
	/** Pixels. */
	height?: number;
}

/**
 * The kind and the pixels of a PNG, GIF, JPEG, WebP or BMP image by its first bytes; `undefined` for what is
 * none of them. The pixels are absent where the sample ends before they come.
 */
export function imageFacts(sample: Buffer): ImageFacts | undefined {
	if (sample.length >= 24 && sample.readUInt32BE(0) === 0x89504e47) {
		return { mediaType: 'image/png', width: sample.readUInt32BE(16), height: sample.readUInt32BE(20) };
	}
	if (sample.length >= 10 && /^GIF8[79]a$/.test(sample.toString('latin1', 0, 6))) {
		return { mediaType: 'image/gif', width: sample.readUInt16LE(6), height: sample.readUInt16LE(8) };
	}
	if (sample.length >= 26 && sample.toString('latin1', 0, 2) === 'BM' && sample.readUInt32LE(14) === 40) {
		const height = Math.abs(sample.readInt32LE(22));
		return { mediaType: 'image/bmp', width: sample.readInt32LE(18), height };
	}
	if (sample[0] === 0xff && sample[1] === 0xd8 && sample[2] === 0xff) {
		return { mediaType: 'image/jpeg', ...jpegSize(sample) };
	}
	if (sample.toString('latin1', 0, 4) === 'RIFF' && sample.toString('latin1', 8, 12) === 'WEBP') {
		return { mediaType: 'image/webp', ...webpSize(sample) };
	}
	return undefined;
}

type Size = Pick<ImageFacts, 'width' | 'height'>;

/** Walks the segments to the frame header (ITU T.81, B.2.2), which holds the size. */
function jpegSize(sample: Buffer): Size {
	let position = 2;
	while (position + 9 <= sample.length && sample[position] === 0xff) {
		const marker = sample[position + 1]!;
		if (isFrameHeader(marker)) {
			return { height: sample.readUInt16BE(position + 5), width: sample.readUInt16BE(position + 7) };
		}
		position += 2 + Math.max(2, sample.readUInt16BE(position + 2));
	}
	return {};
}

/** SOF0 to SOF15 without the Huffman, arithmetic and reserved markers among them. */
function isFrameHeader(marker: number): boolean {
	return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** The three forms of RFC 9649: lossy, lossless, extended. */
function webpSize(sample: Buffer): Size {
	if (sample.length < 30) return {};
	switch (sample.toString('latin1', 12, 16)) {
		case 'VP8 ':
			return { width: sample.readUInt16LE(26) & 0x3fff, height: sample.readUInt16LE(28) & 0x3fff };
		case 'VP8L': {
			const bits = sample.readUInt32LE(21);
			return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
		}
		case 'VP8X':
			return { width: sample.readUIntLE(24, 3) + 1, height: sample.readUIntLE(27, 3) + 1 };
		default:
			return {};
	}
}
