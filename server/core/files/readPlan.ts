import { fastPathBytes, fileReadBudgetPercent, maxPreviewCharacters, previewFileBytes } from './tuning.ts';

/**
 * Tokens that file reads may take: `floor((window - current - reserve) * percent)`, at least 0. All in
 * tokens: `current` is the size of the next request so far, `reserve` is kept for the answer.
 */
export function fileTokenBudget(
	window: number,
	current: number,
	reserve: number,
	percent = fileReadBudgetPercent,
): number {
	return Math.max(0, Math.floor((window - current - reserve) * percent));
}

/** How to read a file. */
export interface ReadPlan {
	mode: 'whole' | 'range' | 'budget' | 'preview';
	/** Maximum number of UTF-16 units to read. */
	maxUnits: number;
}

/**
 * Returns how to read a file, from its size in bytes. Below 100 KiB it may take everything that
 * remains of the window. Above 5 MiB only a preview of 2,000 characters is read. In between, bounds included, it
 * takes what the budget allows. For a range of lines of a file that is not small, the size of their text counts
 * instead of the file's.
 */
export function planRead(sizeBytes: number, range: { startLine?: number; endLine?: number } = {}): ReadPlan {
	const isRange = range.endLine !== undefined || (range.startLine ?? 1) > 1;
	if (sizeBytes < fastPathBytes) return { mode: 'whole', maxUnits: fastPathBytes };
	if (isRange) return { mode: 'range', maxUnits: previewFileBytes };
	if (sizeBytes > previewFileBytes) return { mode: 'preview', maxUnits: maxPreviewCharacters };
	return { mode: 'budget', maxUnits: previewFileBytes };
}

/** A file that cannot be shown as text. */
interface NotText {
	path: string;
	/** Bytes. */
	size: number;
	kind: 'binary' | 'image';
	/** Set for an image. */
	mediaType?: string;
	/** Pixels. */
	width?: number;
	/** Pixels. */
	height?: number;
}

/** Describes a file that cannot be shown as text, with its size. */
export function notTextNotice(file: NotText): string {
	const pixels = file.width && file.height ? `, ${file.width}x${file.height} pixels` : '';
	const what = file.kind === 'image' ? `an image (${file.mediaType}${pixels}, ` : 'a binary file (';
	return `[${file.path} is ${what}${file.size} bytes) and not shown as text]`;
}
