/** A file that has no text to show. */
export interface NotText {
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
