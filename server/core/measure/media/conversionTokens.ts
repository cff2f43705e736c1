/**
 * Estimates the tokens of a file after its conversion to text or message parts, by type and size alone. The figures
 * come from NeuroLink's `estimatePostProcessingTokens`.
 */

/** A file whose text is not available yet. */
export interface UnconvertedFile {
	/** Size of the file in bytes. */
	sizeBytes: number;
	/** For example `application/pdf`. If absent, the extension of the name decides. */
	mediaType?: string;
	/** Path or URI of the file. */
	name?: string;
}

/** Kinds of files that are converted differently. */
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

/** Kinds by prefix of the media type; the first match wins. */
const kindsByMediaType: readonly (readonly [prefix: string, kind: FileKind])[] = [
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

const extensionsByKind: readonly (readonly [kind: FileKind, extensions: string])[] = [
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

const kindsByExtension: ReadonlyMap<string, FileKind> = new Map(
	extensionsByKind.flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind] as const)),
);

/** Returns how a provider converts a file; the bytes of the kind `text` are its text. */
export function findFileKind({ mediaType = '', name }: UnconvertedFile): FileKind {
	const entry = kindsByMediaType.find(([prefix]) => mediaType.toLowerCase().startsWith(prefix));
	if (entry) return entry[1];
	const extension = /\.([^./\\]+)$/.exec(name ?? '')?.[1]?.toLowerCase();
	if (extension !== undefined) return kindsByExtension.get(extension) ?? 'unknown';
	// A name without an extension is usually that of a Makefile, LICENSE or script.
	return name !== undefined && mediaType === '' ? 'text' : 'unknown';
}

/** Maximum tokens of a PDF, which otherwise takes one token per 100 bytes. */
const maxPdfTokens = 50_000;

/** Returns a rough estimate of the tokens that a file will take. */
export function estimateConvertedTokens(file: UnconvertedFile): number {
	return estimateTokensOfKind(findFileKind(file), file.sizeBytes);
}

/** Returns a rough estimate of the tokens of a file by its kind and its size in bytes. */
export function estimateTokensOfKind(kind: FileKind, size: number): number {
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
