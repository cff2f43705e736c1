import { imageSize } from '../../core/measure/imageSize.ts';

/** What the first bytes of an image file tell. */
export interface ImageFacts {
	mediaType: string;
	/** Pixels. */
	width?: number;
	/** Pixels. */
	height?: number;
}

/** The bytes that each kind of image starts with, in hexadecimal; dots stand for any digit. */
const SIGNATURES: readonly [RegExp, string][] = [
	[/^89504e470d0a1a0a/, 'image/png'],
	[/^47494638(?:37|39)61/, 'image/gif'],
	[/^ffd8ff/, 'image/jpeg'],
	[/^52494646.{8}57454250/, 'image/webp'],
	[/^424d.{8}00000000/, 'image/bmp'],
];
const SIGNATURE_BYTES = 12;

/**
 * The kind and the pixels of a PNG, GIF, JPEG, WebP or BMP image by its first bytes; `undefined` for what is
 * none of them. The pixels are absent where the sample ends before they come.
 */
export function imageFacts(sample: Buffer): ImageFacts | undefined {
	const start = sample.toString('hex', 0, SIGNATURE_BYTES);
	const mediaType = SIGNATURES.find(([signature]) => signature.test(start))?.[1];
	return mediaType === undefined ? undefined : { mediaType, ...imageSize(sample.toString('base64')) };
}
