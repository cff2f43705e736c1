/** A file below this many bytes comes whole wherever it fits what remains of the window. */
export const FAST_PATH_BYTES = 102_400;
/** Of a file above this many bytes only a preview comes. */
const PREVIEW_FILE_BYTES = 5_242_880;
/** Characters of a preview. */
const PREVIEW_CHARACTERS = 2_000;
/** Share of what remains of the window that file reads may take. */
const FILE_READ_BUDGET_PERCENT = 0.6;

/**
 * Tokens that file reads may take: `floor((window - current - reserve) * percent)`, never below 0.
 * `window`, `current` (what the next request holds already) and `reserve` (kept for the answer) in tokens.
 */
export function fileTokenBudget(
	window: number,
	current: number,
	reserve: number,
	percent = FILE_READ_BUDGET_PERCENT,
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
	if (sizeBytes < FAST_PATH_BYTES) return { mode: 'whole', maxUnits: FAST_PATH_BYTES };
	if (isRange) return { mode: 'range', maxUnits: PREVIEW_FILE_BYTES };
	if (sizeBytes > PREVIEW_FILE_BYTES) return { mode: 'preview', maxUnits: PREVIEW_CHARACTERS };
	return { mode: 'budget', maxUnits: PREVIEW_FILE_BYTES };
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
