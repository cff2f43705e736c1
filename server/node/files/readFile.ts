import { createHash, type Hash } from 'node:crypto';
import { Failure } from '../../core/failure.ts';
import { readImageSize } from '../../core/measure/imageSize.ts';
import { readByteChunks, readBytes } from '../disk/readBytes.ts';
import type { AccessedFile } from './access.ts';
import { createTextDecoder, detectEncoding, type Encoding, sampleBytes } from './encoding.ts';

/** Which lines to read, and how much text at most. */
export interface ReadRange {
	/** Number of the first line, from 1; default 1. */
	startLine?: number;
	/** Number of the last line, inclusive; default: the last line of the file. */
	endLine?: number;
	/** Maximum UTF-16 units of text. */
	maxUnits: number;
	signal?: AbortSignal;
}

/** A file's properties and the requested content. */
export interface FileReadResult {
	path: string;
	/** Size of the file in bytes. */
	size: number;
	/**
	 * SHA-256 of the bytes, in hexadecimal.
	 *
	 * For a file above 64 MiB, which takes seconds to read, the hash covers size, modification time, and the first and last
	 * 64 KiB.
	 */
	contentHash: string;
	content: TextContent | ImageContent | BinaryContent;
}

export interface TextContent {
	kind: 'text';
	encoding: Encoding['name'];
	/** The requested lines with their original line ends, without a byte order mark. */
	text: string;
	/** Number of the first line in `text`, from 1. */
	firstLine: number;
	/** Number of the last line in `text`; one less than `firstLine` if the text is empty. */
	lastLine: number;
	/** Whether the requested lines exceed `maxUnits`, so that some are missing and the last one may be incomplete. */
	isCut: boolean;
	/** Number of lines in the whole file. */
	totalLines: number;
	/** Whether the file was read to its end. If not, because it has more than 64 MiB, `totalLines` is an estimate. */
	isReadToEnd: boolean;
}

interface ImageContent extends ImageFacts {
	kind: 'image';
}

interface BinaryContent {
	kind: 'binary';
}

/** Files up to this size are read to the end, to count lines and hash bytes. */
const maxFullReadBytes = 64 << 20;

/**
 * Reads lines of a file and detects its kind. `maxUnits` limits the memory, whatever the file's size.
 *
 * A file that grows during the read is read up to the size that it had when it was opened. Throws `InvalidParams` for an
 * invalid range, the signal's reason if the signal is aborted, and `FileUnreadable` if the disk fails.
 */
export async function readFileRange(file: AccessedFile, range: ReadRange): Promise<FileReadResult> {
	checkRange(range);
	try {
		const sample = await readBytes(file.handle, 0, Math.min(file.size, sampleBytes));
		const encoding = detectEncoding(sample);
		const facts = { path: file.path, size: file.size };
		if (encoding !== undefined) return { ...facts, ...(await readText(file, encoding, range)) };
		const image = readImageFacts(sample);
		const contentHash = await hashContent(file, range.signal);
		return { ...facts, contentHash, content: image ? { kind: 'image', ...image } : { kind: 'binary' } };
	} catch (error) {
		throw toReadFailure(file.path, error, range.signal);
	}
}

function checkRange({ startLine = 1, endLine = startLine }: ReadRange): void {
	const isLine = (line: number) => Number.isSafeInteger(line) && line >= 1;
	if (!isLine(startLine))
		throw new Failure('InvalidParams', `startLine: expected a whole number from 1 up, got ${startLine}`);
	if (isLine(endLine) && endLine >= startLine) return;
	throw new Failure('InvalidParams', `endLine: expected a whole number from ${startLine} up, got ${endLine}`);
}

async function readText(
	file: AccessedFile,
	encoding: Encoding,
	range: ReadRange,
): Promise<{ contentHash: string; content: TextContent }> {
	const { startLine = 1, endLine = Number.POSITIVE_INFINITY, maxUnits, signal } = range;
	const isSmall = file.size <= maxFullReadBytes;
	const hash = createHash('sha256');
	const decoder = createTextDecoder(encoding);
	const lines = new LineCollector(startLine, endLine, maxUnits);
	let marksToSkip = encoding.markBytes;
	let bytesRead = 0;
	for await (const piece of readByteChunks(file.handle, 0, file.size, signal)) {
		if (isSmall) hash.update(piece);
		lines.add(decoder.decode(piece.subarray(marksToSkip), { stream: true }));
		marksToSkip = 0;
		bytesRead += piece.length;
		if (!isSmall && lines.isComplete()) break;
	}
	const isReadToEnd = isSmall || bytesRead >= file.size;
	if (isReadToEnd) lines.add(decoder.decode());
	const { totalLines, ...collected } = lines.finish();
	const content: TextContent = {
		kind: 'text',
		encoding: encoding.name,
		firstLine: startLine,
		...collected,
		totalLines: isReadToEnd ? totalLines : Math.round((totalLines * file.size) / bytesRead),
		isReadToEnd,
	};
	return { contentHash: isSmall ? hash.digest('hex') : await hashEnds(file), content };
}

/** Computes the `contentHash` of a file, as in `FileReadResult`. */
export async function hashContent(file: AccessedFile, signal?: AbortSignal): Promise<string> {
	if (file.size > maxFullReadBytes) return hashEnds(file);
	const hash = createHash('sha256');
	for await (const piece of readByteChunks(file.handle, 0, file.size, signal)) hash.update(piece);
	return hash.digest('hex');
}

async function hashEnds(file: AccessedFile): Promise<string> {
	const hash: Hash = createHash('sha256').update(`${file.size} ${file.modifiedAt}\n`);
	hash.update(await readBytes(file.handle, 0, sampleBytes));
	return hash.update(await readBytes(file.handle, file.size - sampleBytes, file.size)).digest('hex');
}

function toReadFailure(path: string, error: unknown, signal: AbortSignal | undefined): unknown {
	if (signal?.aborted || error instanceof Failure || !(error instanceof Error)) return error;
	return new Failure('FileUnreadable', `${path} cannot be read: ${error.message}`, { path }, error);
}

/** Facts about an image that its first bytes reveal. */
interface ImageFacts {
	mediaType: string;
	/** Width in pixels. */
	width?: number;
	/** Height in pixels. */
	height?: number;
}

/** The first bytes of each image format, in hexadecimal; a dot matches any digit. */
const imageSignatures: readonly [RegExp, string][] = [
	[/^89504e470d0a1a0a/, 'image/png'],
	[/^47494638(?:37|39)61/, 'image/gif'],
	[/^ffd8ff/, 'image/jpeg'],
	[/^52494646.{8}57454250/, 'image/webp'],
	[/^424d.{8}00000000/, 'image/bmp'],
];
const signatureBytes = 12;

/**
 * Reads format and size of a PNG, GIF, JPEG, WebP or BMP image from its first bytes; `undefined` for other files. Width and
 * height are absent if the sample does not contain them.
 */
function readImageFacts(sample: Buffer): ImageFacts | undefined {
	const start = sample.toString('hex', 0, signatureBytes);
	const mediaType = imageSignatures.find(([signature]) => signature.test(start))?.[1];
	return mediaType === undefined ? undefined : { mediaType, ...readImageSize(sample.toString('base64')) };
}

/** The requested lines of a text that arrived in pieces. */
interface CollectedLines {
	/** The requested lines that fit, with their line ends. */
	text: string;
	/** Number of the last line in `text`, even if incomplete; one less than the first requested line if the text is empty. */
	lastLine: number;
	/** Whether some requested lines did not fit. */
	isCut: boolean;
	/** Number of lines in the whole text. */
	totalLines: number;
}

/**
 * Collects the lines from `startLine` to `endLine` (from 1, inclusive) up to `maxUnits` UTF-16 units.
 *
 * Counts all lines. Memory is limited by `maxUnits` and one piece. Stops collecting at the first line that does not fit.
 */
class LineCollector {
	readonly #startLine: number;
	readonly #endLine: number;
	readonly #collected: string[] = [];
	#remainingUnits: number;
	/** The line that the next piece begins or continues, from 1. */
	#lineNumber = 1;
	#isLineOpen = false;
	#lastLine: number;
	#isTruncated = false;

	constructor(startLine: number, endLine: number, maxUnits: number) {
		this.#startLine = startLine;
		this.#endLine = endLine;
		this.#remainingUnits = maxUnits;
		this.#lastLine = startLine - 1;
	}

	add(piece: string): void {
		let start = 0;
		while (start < piece.length) {
			const newline = piece.indexOf('\n', start);
			const end = newline === -1 ? piece.length : newline + 1;
			if (this.#lineNumber >= this.#startLine && this.#lineNumber <= this.#endLine)
				this.#collect(piece.slice(start, end));
			this.#isLineOpen = newline === -1;
			if (!this.#isLineOpen) this.#lineNumber += 1;
			start = end;
		}
	}

	/** Whether later pieces can no longer contain requested lines. */
	isComplete(): boolean {
		return this.#lineNumber > this.#endLine || this.#isTruncated;
	}

	finish(): CollectedLines {
		const totalLines = this.#isLineOpen ? this.#lineNumber : this.#lineNumber - 1;
		return { text: this.#collected.join(''), lastLine: this.#lastLine, isCut: this.#isTruncated, totalLines };
	}

	#collect(part: string): void {
		if (this.#remainingUnits === 0) this.#isTruncated = true;
		const fitting = part.slice(0, countFittingUnits(part, this.#remainingUnits));
		if (fitting.length < part.length) this.#isTruncated = true;
		if (fitting === '') return;
		this.#collected.push(fitting);
		this.#remainingUnits = this.#isTruncated ? 0 : this.#remainingUnits - fitting.length;
		this.#lastLine = this.#lineNumber;
	}
}

/** Returns how many UTF-16 units of a text fit without splitting a surrogate pair. */
function countFittingUnits(part: string, maxUnits: number): number {
	if (maxUnits >= part.length) return part.length;
	const last = part.charCodeAt(maxUnits - 1);
	return last >= 0xd800 && last <= 0xdbff ? maxUnits - 1 : maxUnits;
}
