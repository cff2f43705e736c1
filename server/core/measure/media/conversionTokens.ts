/**
 * Tokens that a file may take once it is converted into text or parts of a message, by its type and size alone; the
 * figures of NeuroLink's `estimatePostProcessingTokens`.
 */

/** A file whose text is not there yet. */
export interface Unconverted {
	/** Bytes. */
	size: number;
	/** For example `application/pdf`; where absent, the name's ending tells. */
	mediaType?: string;
	/** A path or URI. */
	name?: string;
}

/** What decides how a file is converted. */
export type FileKind =
	| 'video'
	| 'audio'
	| 'image'
	| 'archive'
	| 'pdf'
	| 'office'
	| 'svg'
	| 'text'
	| 'unknown';

/** Types by the beginning of their name, first match first. */
const kindsOfType: readonly (readonly [beginning: string, kind: FileKind])[] = [
	['image/svg', 'svg'],
	['video/', 'video'],
	['audio/', 'audio'],
	['image/', 'image'],
	['application/pdf', 'pdf'],
	['application/vnd.openxmlformats-officedocument', 'office'],
	['application/zip', 'archive'],
	['application/gzip', 'archive'],
	['application/x-tar', 'archive'],
	['application/x-7z-compressed', 'archive'],
	['text/', 'text'],
	['application/json', 'text'],
	['application/xml', 'text'],
];

const endings: readonly (readonly [kind: FileKind, endings: string])[] = [
	['video', 'mp4 mov avi mkv webm m4v mpg mpeg'],
	['audio', 'mp3 wav flac ogg opus m4a aac'],
	['image', 'png jpg jpeg gif webp bmp tif tiff heic avif ico'],
	['archive', 'zip tar gz tgz bz2 xz 7z rar zst'],
	['pdf', 'pdf'],
	['office', 'xlsx docx pptx'],
	['svg', 'svg'],
	[
		'text',
		'txt md csv tsv json jsonl xml yaml yml toml ini html css log sql sh py rb go rs java kt c h cc cpp cs',
	],
	['text', 'js mjs cjs jsx ts mts tsx vue svelte php swift scala lua r diff patch conf env'],
];

const kindOfEnding: ReadonlyMap<string, FileKind> = new Map(
	endings.flatMap(([kind, names]) => names.split(' ').map((ending) => [ending, kind] as const)),
);

function kindOf({ mediaType = '', name }: Unconverted): FileKind {
	const stated = kindsOfType.find(([beginning]) => mediaType.toLowerCase().startsWith(beginning));
	if (stated) return stated[1];
	const ending = /\.([^./\\]+)$/.exec(name ?? '')?.[1]?.toLowerCase();
	if (ending !== undefined) return kindOfEnding.get(ending) ?? 'unknown';
	// A name without an ending is that of a Makefile, LICENSE or script more often than of anything else.
	return name !== undefined && mediaType === '' ? 'text' : 'unknown';
}

/** Whether what such a file says is its own bytes. */
export function isPlainText(file: Unconverted): boolean {
	return kindOf(file) === 'text';
}

/** A PDF takes a token per 100 bytes, but at most this many. */
const maxPdfTokens = 50_000;

/** Tokens that a file will take, roughly. */
export function conversionTokens(file: Unconverted): number {
	return tokensOfKind(kindOf(file), file.size);
}

/** Returns the tokens that a file of a kind and this many bytes will take, roughly. */
export function tokensOfKind(kind: FileKind, size: number): number {
	switch (kind) {
		case 'video':
			return 500;
		case 'audio':
			return 300;
		case 'image':
			return 1500;
		case 'archive':
			return 1000;
		case 'pdf':
			return Math.min(Math.ceil(size / 100), maxPdfTokens);
		case 'office':
			return Math.ceil((size * 0.15) / 4);
		case 'svg':
			return Math.ceil(size / 4);
		case 'text':
			return Math.ceil((size * 1.33) / 4);
		case 'unknown':
			return 500;
	}
}
