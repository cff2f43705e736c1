/** Counts the tokens of an image by the rule of the model that sees it. */

import { defaultImageRules, type ImageRule } from '../models/imageRule.ts';
import type { ImageSize } from './imageSize.ts';

/** Size of an image in pixels, and the requested resolution. A missing or invalid side counts as 1024. */
export interface ImageShape {
	width?: number;
	height?: number;
	detail?: 'low' | 'high' | 'auto';
}

const defaultSidePixels = 1024;
/** Maximum side in pixels. No provider accepts larger images, so larger numbers are mistakes. */
const maxSidePixels = 16_384;

/** Returns the tokens of an image; always a positive integer. */
export function computeImageTokens(image: ImageShape, rule: ImageRule): number {
	const size = { width: clampSide(image.width), height: clampSide(image.height) };
	const detail = image.detail ?? 'auto';
	switch (rule.kind) {
		case 'squares':
			return countSquares(size, rule.maxEdge, rule.maxTokens);
		case 'tiles':
			return countTiles(size, detail, rule.base, rule.tile);
		case 'patches':
			return Math.ceil(countPatches(size, rule.maxPatches) * rule.factor);
		case 'crops':
			return countCrops(size);
		case 'resolution':
			return detail === 'low' ? 280 : 1120;
		case 'largest':
			return Math.max(...defaultImageRules.map((defaultRule) => computeImageTokens(image, defaultRule)));
	}
}

function clampSide(pixels: number | undefined): number {
	if (typeof pixels !== 'number' || !Number.isFinite(pixels) || pixels < 1) return defaultSidePixels;
	return Math.min(maxSidePixels, Math.floor(pixels));
}

/** Returns the number of squares of an image that was scaled down to both limits. */
function countSquares({ width, height }: ImageSize, maxEdgePixels: number, maxTokens: number): number {
	const countAt = (scale: number) =>
		Math.max(1, Math.ceil((width * scale) / 28)) * Math.max(1, Math.ceil((height * scale) / 28));
	const maxScale = Math.min(1, maxEdgePixels / Math.max(width, height));
	if (countAt(maxScale) <= maxTokens) return countAt(maxScale);
	let fittingScale = 0;
	let exceedingScale = maxScale;
	for (let step = 0; step < 40; step++) {
		const middle = (fittingScale + exceedingScale) / 2;
		if (countAt(middle) <= maxTokens) fittingScale = middle;
		else exceedingScale = middle;
	}
	return countAt(fittingScale);
}

function countTiles(
	{ width, height }: ImageSize,
	detail: 'low' | 'high' | 'auto',
	base: number,
	tile: number,
): number {
	if (detail === 'low' || (detail === 'auto' && width <= 512 && height <= 512)) return base;
	const fitScale = Math.min(1, 2048 / Math.max(width, height));
	const shrinkScale = Math.min(1, 768 / (Math.min(width, height) * fitScale)) * fitScale;
	const count = (length: number) => Math.max(1, Math.ceil(Math.floor(length * shrinkScale) / 512));
	return base + tile * count(width) * count(height);
}

/** Returns the number of patches. An image with too many is scaled until whole patches fit in both directions. */
function countPatches({ width, height }: ImageSize, maxPatches: number): number {
	const count = Math.ceil(width / 32) * Math.ceil(height / 32);
	if (count <= maxPatches) return count;
	const shrinkScale = Math.sqrt((32 * 32 * maxPatches) / (width * height));
	const across = (width * shrinkScale) / 32;
	const down = (height * shrinkScale) / 32;
	const scale = Math.min(Math.floor(across) / across, Math.floor(down) / down) || 1;
	return Math.min(maxPatches, Math.max(1, Math.ceil(across * scale) * Math.ceil(down * scale)));
}

function countCrops({ width, height }: ImageSize): number {
	if (width <= 384 && height <= 384) return 258;
	return 258 * Math.ceil(width / 768) * Math.ceil(height / 768);
}
