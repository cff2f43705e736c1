import { fastPathBytes, maxPreviewCharacters, previewFileBytes } from './tuning.ts';

/**
 * Returns the tokens that file reads may take: `floor((windowTokens - usedTokens - reserveTokens) * share)`, at least 0.
 * `usedTokens` is the size of the next request so far, `reserveTokens` is kept free for the answer.
 */
export function computeFileTokenBudget(
	windowTokens: number,
	usedTokens: number,
	reserveTokens: number,
	share: number,
): number {
	return Math.max(0, Math.floor((windowTokens - usedTokens - reserveTokens) * share));
}

/** How to read a file. */
export interface ReadPlan {
	mode: 'whole' | 'range' | 'budget' | 'preview';
	/** Maximum number of UTF-16 units to read. */
	maxUnits: number;
}

/**
 * Returns how to read a file, from its size in bytes. A file below 100 KiB may take all that remains of the window. Of a
 * file above 5 MiB, only a preview of 2,000 characters is read. Any other file takes what the budget allows. For a range
 * of lines of a larger file, the size of the range's text counts.
 */
export function planRead(sizeBytes: number, range: { startLine?: number; endLine?: number } = {}): ReadPlan {
	const isRange = range.endLine !== undefined || (range.startLine ?? 1) > 1;
	if (sizeBytes < fastPathBytes) return { mode: 'whole', maxUnits: fastPathBytes };
	if (isRange) return { mode: 'range', maxUnits: previewFileBytes };
	if (sizeBytes > previewFileBytes) return { mode: 'preview', maxUnits: maxPreviewCharacters };
	return { mode: 'budget', maxUnits: previewFileBytes };
}

/** A file that cannot be shown as text. */
interface NonTextFile {
	path: string;
	/** Bytes. */
	sizeBytes: number;
	kind: 'binary' | 'image';
	/** Set for an image. */
	mediaType?: string;
	/** Pixels. */
	width?: number;
	/** Pixels. */
	height?: number;
}

/** Describes a file that cannot be shown as text, with its size. */
export function describeNonTextFile(file: NonTextFile): string {
	const pixels = file.width && file.height ? `, ${file.width}x${file.height} pixels` : '';
	const description = file.kind === 'image' ? `an image (${file.mediaType}${pixels}, ` : 'a binary file (';
	return `[${file.path} is ${description}${file.sizeBytes} bytes) and not shown as text]`;
}
