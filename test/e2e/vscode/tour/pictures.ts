/** Converts screenshots to small files: a GIF of a film, and pictures with few colors. Chromium decodes the screenshots. */

import { readFileSync, writeFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import type { Page } from '../browser.ts';
import { gifencModule } from '../tools.ts';
import type { Frame } from './film.ts';

/** The functions of gifenc that are used here. The page has gifenc as a global. */
declare const gifenc: {
	GIFEncoder(): {
		writeFrame(index: Uint8Array, width: number, height: number, options: object): void;
		finish(): void;
		bytes(): Uint8Array;
	};
	quantize(rgba: Uint8Array, maxColors: number): number[][];
	applyPalette(rgba: Uint8Array, palette: number[][]): Uint8Array;
};

interface Size {
	width: number;
	height: number;
}

declare const createImageBitmap: (blob: Blob) => Promise<Size>;

/** The members of the browser's `OffscreenCanvas` that read pixels. */
declare class OffscreenCanvas {
	constructor(width: number, height: number);
	getContext(kind: '2d'): {
		drawImage(bitmap: Size, x: number, y: number): void;
		getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
	};
}

interface Picture extends Size {
	palette: number[][];
	/** Indexes into the palette, in base64. */
	pixels: string;
}

const gifColors = 160;
const pictureColors = 32;

/** Makes gifenc, and functions that read and return pixels, globals of a page. */
async function prepare(page: Page): Promise<void> {
	const address = `data:text/javascript;base64,${readFileSync(gifencModule).toString('base64')}`;
	await page.evaluate(`import("${address}").then((module) => { globalThis.gifenc = module; })`, null);
	await page.evaluate(`globalThis.pixelsOf = ${pixelsOf}; globalThis.base64Of = ${base64Of};`, null);
}

function pngAddress(png: Buffer): string {
	return `data:image/png;base64,${png.toString('base64')}`;
}

/** Decodes a PNG; runs in the page. */
async function pixelsOf(png: string) {
	const bitmap = await createImageBitmap(await (await fetch(png)).blob());
	const { width, height } = bitmap;
	const context = new OffscreenCanvas(width, height).getContext('2d');
	context.drawImage(bitmap, 0, 0);
	return { rgba: new Uint8Array(context.getImageData(0, 0, width, height).data.buffer), width, height };
}

/** Encodes bytes as text; runs in the page. */
function base64Of(bytes: Uint8Array): string {
	let text = '';
	for (let at = 0; at < bytes.length; at += 8192)
		text += String.fromCharCode(...bytes.subarray(at, at + 8192));
	return btoa(text);
}

/**
 * Encodes frames; runs in the page. All frames share one palette. Unchanged pixels are transparent, which compresses to
 * almost nothing.
 */
async function encodeGif({ colors, frames }: { colors: number; frames: { png: string; ms: number }[] }) {
	const decoded = await Promise.all(frames.map(async ({ png, ms }) => ({ ms, ...(await pixelsOf(png)) })));
	const sampled = decoded.filter((_, index) => index % Math.ceil(decoded.length / 12) === 0);
	const sample = new Uint8Array(sampled.reduce((sum, { rgba }) => sum + rgba.length, 0));
	let offset = 0;
	for (const { rgba } of sampled) {
		sample.set(rgba, offset);
		offset += rgba.length;
	}
	const shared = gifenc.quantize(sample, colors - 1);
	const transparentIndex = shared.length;
	const gif = gifenc.GIFEncoder();
	let before: Uint8Array | undefined;
	for (const { rgba, width, height, ms } of decoded) {
		const indexes = gifenc.applyPalette(rgba, shared);
		const last = before;
		const changed = last
			? indexes.map((index, at) => (index === last[at] ? transparentIndex : index))
			: indexes;
		const palette = last ? undefined : [...shared, [0, 0, 0]];
		gif.writeFrame(changed, width, height, {
			palette,
			transparent: true,
			transparentIndex,
			delay: ms,
			dispose: 1,
		});
		before = indexes;
	}
	gif.finish();
	return base64Of(gif.bytes());
}

/** Reduces a picture to few colors; runs in the page. */
async function reduceColors({ colors, png }: { colors: number; png: string }): Promise<Picture> {
	const { rgba, width, height } = await pixelsOf(png);
	const palette = gifenc.quantize(rgba, colors);
	return { width, height, palette, pixels: base64Of(gifenc.applyPalette(rgba, palette)) };
}

/** Returns one chunk of a PNG. */
function chunk(type: string, data: Buffer): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const length = Buffer.alloc(4);
	length.writeUInt32BE(data.length);
	const sum = Buffer.alloc(4);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([length, body, sum]);
}

/** Returns a PNG with one byte per pixel (RFC 2083, color type 3). */
function indexedPng({ width, height, palette, pixels }: Picture): Buffer {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, 3, 0, 0, 0], 8);
	const indexes = Buffer.from(pixels, 'base64');
	const rows = Array.from({ length: height }, (_, row) =>
		Buffer.concat([Buffer.alloc(1), indexes.subarray(row * width, (row + 1) * width)]),
	);
	return Buffer.concat([
		Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
		chunk('IHDR', header),
		chunk('PLTE', Buffer.from(palette.flatMap(([red = 0, green = 0, blue = 0]) => [red, green, blue]))),
		chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
		chunk('IEND', Buffer.alloc(0)),
	]);
}

/** Writes a film as a GIF. `page` must allow all scripts, such as `about:blank`. */
export async function writeGif(page: Page, frames: readonly Frame[], file: string): Promise<void> {
	await prepare(page);
	const film = { colors: gifColors, frames: frames.map(({ png, ms }) => ({ png: pngAddress(png), ms })) };
	writeFileSync(file, Buffer.from(await page.evaluate(encodeGif, film), 'base64'));
}

/** Writes a screenshot as a PNG with few colors. `page` must allow all scripts. */
export async function writePicture(page: Page, png: Buffer, file: string): Promise<void> {
	await prepare(page);
	const picture = { colors: pictureColors, png: pngAddress(png) };
	writeFileSync(file, indexedPng(await page.evaluate(reduceColors, picture)));
}
