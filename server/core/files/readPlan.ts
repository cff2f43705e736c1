import { fastPathBytes, fileReadBudgetPercent, previewCharacters, previewFileBytes } from './tuning.ts';

/**
 * Tokens that file reads may take: `floor((window - current - reserve) * percent)`, never below 0.
 * `window`, `current` (what the next request holds already) and `reserve` (kept for the answer) in tokens.
 */
export function fileTokenBudget(
	window: number,
	current: number,
	reserve: number,
	percent = fileReadBudgetPercent,
): number {
	return Math.max(0, Math.floor((window - current - reserve) * percent));
}

/** How a file is to be read. */
export interface ReadPlan {
	mode: 'whole' | 'range' | 'budget' | 'preview';
	/** UTF-16 units to read at most. */
	maxUnits: number;
}

/**
 * How to read a file, by its bytes alone: below 100 KiB it may take all that remains of the window, above
 * 5 MiB a preview of 2 000 characters is read, else what the budget holds; both bounds themselves belong to
 * the middle. Where a range of lines is wanted of a file that is not small, the size of their text counts,
 * not that of the file.
 */
export function planRead(sizeBytes: number, wanted: { startLine?: number; endLine?: number } = {}): ReadPlan {
	const isRange = wanted.endLine !== undefined || (wanted.startLine ?? 1) > 1;
	if (sizeBytes < fastPathBytes) return { mode: 'whole', maxUnits: fastPathBytes };
	if (isRange) return { mode: 'range', maxUnits: previewFileBytes };
	if (sizeBytes > previewFileBytes) return { mode: 'preview', maxUnits: previewCharacters };
	return { mode: 'budget', maxUnits: previewFileBytes };
}

/** A file that has no text to show. */
interface NotText {
	path: string;
	/** Bytes. */
	size: number;
	kind: 'binary' | 'image';
	/** Of an image. */
	mediaType?: string;
	/** Pixels. */
	width?: number;
	/** Pixels. */
	height?: number;
}

/** Says what a file is that cannot be shown as text, and how large. */
export function notTextNotice(file: NotText): string {
	const pixels = file.width && file.height ? `, ${file.width}x${file.height} pixels` : '';
	const what = file.kind === 'image' ? `an image (${file.mediaType}${pixels}, ` : 'a binary file (';
	return `[${file.path} is ${what}${file.size} bytes) and not shown as text]`;
}
