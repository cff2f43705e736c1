import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readImageSize } from '../../../server/core/measure/imageSize.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';

const base64 = (...bytes: (number | string)[]) =>
	Buffer.concat(
		bytes.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from([piece]))),
	).toString('base64');

const png = base64(0x89, 'PNG\r\n\x1a\n', '\0\0\0\rIHDR', '\0\0\x07\x80', '\0\0\x04\x38', '\x08\x06\0\0\0');
const gif = base64('GIF89a', 0x40, 0x01, 0xf0, 0x00, 0, 0, 0);
const bmp = base64('BM', '\0'.repeat(12), 40, 0, 0, 0, 0x20, 0x03, 0, 0, 0xa8, 0xfd, 0xff, 0xff);
const lossy = base64('RIFF\0\0\0\0WEBPVP8 ', '\0'.repeat(7), 0x9d, 0x01, 0x2a, 0x20, 0x03, 0x58, 0x42);
const lossless = base64('RIFF\0\0\0\0WEBPVP8L\0\0\0\0', 0x2f, 0x1f, 0xc3, 0x95, 0x00);
const extended = base64('RIFF\0\0\0\0WEBPVP8X', '\0'.repeat(8), 0x1f, 0x03, 0, 0x57, 0x02, 0);
const exif = `\xff\xe1\x40\x00${'\0'.repeat(0x3ffe)}`;
const jpeg = base64(0xff, 0xd8, exif, '\xff\xff\xc2', '\0\x11\x08', '\x02\x58\x03\x20', '\x03\x01');

describe('size of an image', () => {
	it.each([
		['PNG', png, 1920, 1080],
		['GIF', gif, 320, 240],
		['BMP that stands from top to bottom', bmp, 800, 600],
		['WebP, lossy', lossy, 800, 600],
		['WebP, lossless', lossless, 800, 600],
		['WebP, extended', extended, 800, 600],
		['JPEG behind what its camera wrote', jpeg, 800, 600],
	])('the size of an image is read from the head of a %s', (_, data, width, height) => {
		expect(readImageSize(data)).toEqual({ width, height });
	});

	it('the size of an image is read from URLs, URL-safe base64 and wrapped lines', () => {
		expect(readImageSize(`data:image/png;base64,${png}`)).toEqual({ width: 1920, height: 1080 });
		expect(readImageSize(jpeg.replaceAll('/', '_').replaceAll('+', '-'))).toEqual({
			width: 800,
			height: 600,
		});
		expect(readImageSize(jpeg.replace(/.{76}/g, '$&\r\n'))).toEqual({ width: 800, height: 600 });
	});

	it('the size of an image is undefined for truncated, empty and other data', () => {
		for (const data of [
			'',
			png.slice(0, 20),
			jpeg.slice(0, 40),
			'SGVsbG8gd29ybGQ=',
			'!!!!',
			base64(0xff, 0xd8, 0xff, 0xe0, 0, 0),
		])
			expect(readImageSize(data)).toBeUndefined();
	});

	it('computing the size of an image never fails for any text', () => {
		const starts = fc.constantFrom(
			'',
			png.slice(0, 24),
			jpeg.slice(0, 8),
			lossless.slice(0, 24),
			gif.slice(0, 8),
		);
		fc.assert(
			fc.property(starts, fc.base64String(), fc.string(), (start, middle, end) => {
				const size = readImageSize(start + middle + end);
				if (size) expect(size.width > 0 && size.height > 0).toBe(true);
			}),
		);
	});

	it('the size of a huge image is found immediately', () => {
		const spent = processorClock();
		readImageSize(png + 'A'.repeat(20_000_000));
		readImageSize(base64(0xff, 0xd8) + 'A'.repeat(20_000_000));
		expect(spent()).toBeLessThan(500 * machineSlowness());
	});
});
