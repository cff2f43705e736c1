/** What a file is, as far as its tokens are concerned. */
export type FileType =
	| 'text'
	| 'csv'
	| 'svg'
	| 'pdf'
	| 'document'
	| 'spreadsheet'
	| 'presentation'
	| 'image'
	| 'audio'
	| 'video'
	| 'archive'
	| 'unknown';

const BYTES_PER_TOKEN = 4;

/**
 * Tokens that a file of so many bytes will take once it is made ready for a model, before anybody reads it.
 * The figures are those of NeuroLink's `estimatePostProcessingTokens`: a third of text is added by quoting
 * it, 15% of an office document is text, a page of a PDF is about 100 bytes a token and no PDF takes more
 * than 50 000; of media and archives only a description is sent.
 */
export function estimateFileTokens(sizeBytes: number, type: FileType): number {
	switch (type) {
		case 'text':
		case 'csv':
			return Math.ceil((sizeBytes * 1.33) / BYTES_PER_TOKEN);
		case 'svg':
			return Math.ceil(sizeBytes / BYTES_PER_TOKEN);
		case 'pdf':
			return Math.min(Math.ceil(sizeBytes / 100), 50_000);
		case 'document':
		case 'spreadsheet':
		case 'presentation':
			return Math.ceil((sizeBytes * 0.15) / BYTES_PER_TOKEN);
		case 'image':
			return 1_500;
		case 'archive':
			return 1_000;
		case 'audio':
			return 300;
		case 'video':
		case 'unknown':
			return 500;
	}
}

const TYPES: [FileType, readonly string[]][] = [
	['csv', ['csv', 'tsv']],
	['svg', ['svg']],
	['pdf', ['pdf']],
	['document', ['docx', 'doc', 'odt', 'rtf']],
	['spreadsheet', ['xlsx', 'xls', 'ods']],
	['presentation', ['pptx', 'ppt', 'odp']],
	['image', ['png', 'jpg', 'jpeg', 'gif', 'webp', 'bmp', 'tif', 'tiff', 'avif', 'heic', 'ico']],
	['audio', ['mp3', 'wav', 'flac', 'ogg', 'm4a', 'aac', 'opus']],
	['video', ['mp4', 'mov', 'mkv', 'webm', 'avi', 'm4v']],
	['archive', ['zip', 'tar', 'gz', 'tgz', 'bz2', 'xz', 'zst', '7z', 'rar', 'jar']],
	['unknown', ['bin', 'exe', 'dll', 'so', 'dylib', 'o', 'a', 'wasm', 'class']],
];

/** The type of a file by the ending of its name; what is not known otherwise is taken for text. */
export function fileTypeOf(path: string): FileType {
	const name = path.slice(path.lastIndexOf('/') + 1);
	const ending = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
	return TYPES.find(([, endings]) => endings.includes(ending))?.[0] ?? 'text';
}
