import { createHash, type Hash } from 'node:crypto';
import { Failure } from '../../core/failure.ts';
import { readImageSize } from '../../core/measure/imageSize.ts';
import type { AccessedFile } from './access.ts';
import { decoderOf, detectEncoding, type Encoding, sampleBytes } from './encoding.ts';
import { readByteChunks, readBytes } from './readBytes.ts';

/** The lines to read, and their maximum size. */
export interface ReadRange {
	/** First line, from 1; default 1. */
	startLine?: number;
	/** Last line, inclusive; default: the last of the file. */
	endLine?: number;
	/** Maximum UTF-16 units of text; default 5 MiB. */
	maxUnits?: number;
	signal?: AbortSignal;
}

/** A file's properties and the requested content. */
export interface FileReading {
	/** The real path. */
	path: string;
	/** Bytes. */
	size: number;
	/** Milliseconds since the epoch. */
	modifiedAt: number;
	/**
	 * SHA-256 of the bytes, in hexadecimal.
	 *
	 * For a file above 64 MiB it covers the size, the modification time and the first and last 64 KiB, since reading all of
	 * it takes seconds.
	 */
	contentHash: string;
	content: TextContent | ImageContent | BinaryContent;
}

export interface TextContent {
	kind: 'text';
	encoding: Encoding['name'];
	/** The requested lines with their original line ends, without a byte order mark. */
	text: string;
	/** The first line of the text, from 1. */
	firstLine: number;
	/** The last line of the text; one less than `firstLine` if the text is empty. */
	lastLine: number;
	/** Whether the requested lines exceeded `maxUnits`; the last line may be incomplete. */
	cut: boolean;
	/** Number of lines of the whole file. */
	totalLines: number;
	/** False if a file above 64 MiB was not read to its end, so that `totalLines` is an estimate. */
	countedToEnd: boolean;
}

interface ImageContent extends ImageFacts {
	kind: 'image';
}

interface BinaryContent {
	kind: 'binary';
}

const defaultMaxUnits = 5 << 20;
/** Files up to this size are read to the end, to count lines and hash bytes. */
const maxWholeBytes = 64 << 20;

/**
 * Reads lines of a file and detects its kind. Memory is bounded by `maxUnits`, whatever the file's size.
 *
 * A file that grows meanwhile is read up to its size at opening. Throws `InvalidParams` for an invalid range, the signal's
 * reason if that is aborted, and `FileUnreadable` if the disk fails.
 */
export async function readFileRange(file: AccessedFile, range: ReadRange = {}): Promise<FileReading> {
	checkRange(range);
	try {
		const sample = await readBytes(file.handle, 0, Math.min(file.size, sampleBytes));
		const encoding = detectEncoding(sample);
		const facts = { path: file.path, size: file.size, modifiedAt: file.modifiedAt };
		if (encoding !== undefined) return { ...facts, ...(await readText(file, encoding, range)) };
		const image = imageFacts(sample);
		const contentHash = await contentHashOf(file, range.signal);
		return { ...facts, contentHash, content: image ? { kind: 'image', ...image } : { kind: 'binary' } };
	} catch (error) {
		throw asUnreadable(file.path, error, range.signal);
	}
}

function checkRange({ startLine = 1, endLine = startLine }: ReadRange): void {
	const isLine = (line: number) => Number.isSafeInteger(line) && line >= 1;
	if (!isLine(startLine)) {
		throw new Failure('InvalidParams', `startLine: expected a whole number from 1 up, got ${startLine}`);
	}
	if (isLine(endLine) && endLine >= startLine) return;
	throw new Failure('InvalidParams', `endLine: expected a whole number from ${startLine} up, got ${endLine}`);
}

async function readText(
	file: AccessedFile,
	encoding: Encoding,
	range: ReadRange,
): Promise<{ contentHash: string; content: TextContent }> {
	const { startLine = 1, endLine = Number.POSITIVE_INFINITY, maxUnits = defaultMaxUnits, signal } = range;
	const isSmall = file.size <= maxWholeBytes;
	const hash = createHash('sha256');
	const decoder = decoderOf(encoding);
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
	const countedToEnd = isSmall || bytesRead >= file.size;
	if (countedToEnd) lines.add(decoder.decode());
	const { totalLines, ...collected } = lines.finish();
	const content: TextContent = {
		kind: 'text',
		encoding: encoding.name,
		firstLine: startLine,
		...collected,
		totalLines: countedToEnd ? totalLines : Math.round((totalLines * file.size) / bytesRead),
		countedToEnd,
	};
	return { contentHash: isSmall ? hash.digest('hex') : await fingerprint(file), content };
}

/** The `contentHash` that `readFileRange` returns for a file. */
export async function contentHashOf(file: AccessedFile, signal?: AbortSignal): Promise<string> {
	if (file.size > maxWholeBytes) return fingerprint(file);
	const hash = createHash('sha256');
	for await (const piece of readByteChunks(file.handle, 0, file.size, signal)) hash.update(piece);
	return hash.digest('hex');
}

async function fingerprint(file: AccessedFile): Promise<string> {
	const hash: Hash = createHash('sha256').update(`${file.size} ${file.modifiedAt}\n`);
	hash.update(await readBytes(file.handle, 0, sampleBytes));
	return hash.update(await readBytes(file.handle, file.size - sampleBytes, file.size)).digest('hex');
}

function asUnreadable(path: string, error: unknown, signal: AbortSignal | undefined): unknown {
	if (signal?.aborted || error instanceof Failure || !(error instanceof Error)) return error;
	return new Failure('FileUnreadable', `${path} cannot be read: ${error.message}`, { path }, error);
}

/** What the first bytes of an image file reveal. */
interface ImageFacts {
	mediaType: string;
	/** Pixels. */
	width?: number;
	/** Pixels. */
	height?: number;
}

/** The first bytes of each image format, in hexadecimal; a dot matches any digit. */
const signatures: readonly [RegExp, string][] = [
	[/^89504e470d0a1a0a/, 'image/png'],
	[/^47494638(?:37|39)61/, 'image/gif'],
	[/^ffd8ff/, 'image/jpeg'],
	[/^52494646.{8}57454250/, 'image/webp'],
	[/^424d.{8}00000000/, 'image/bmp'],
];
const signatureBytes = 12;

/**
 * The format and size of a PNG, GIF, JPEG, WebP or BMP image, from its first bytes; `undefined` for other files.
 * The size is absent if the sample ends before it.
 */
function imageFacts(sample: Buffer): ImageFacts | undefined {
	const start = sample.toString('hex', 0, signatureBytes);
	const mediaType = signatures.find(([signature]) => signature.test(start))?.[1];
	return mediaType === undefined ? undefined : { mediaType, ...readImageSize(sample.toString('base64')) };
}

/** Lines selected from a text that arrives in pieces. */
interface CollectedLines {
	/** The requested lines with their line ends, as far as they fit. */
	text: string;
	/** The last line in the text, even if incomplete; one less than the first requested if the text is empty. */
	lastLine: number;
	/** Whether not all requested lines fitted. */
	cut: boolean;
	/** Number of all lines. */
	totalLines: number;
}

/**
 * Collects the lines from `startLine` to `endLine` (from 1, inclusive) up to `maxUnits` UTF-16 units.
 *
 * Counts all lines. Memory is bounded by `maxUnits` and one piece. Once a line did not fit, nothing more is collected.
 */
class LineCollector {
	readonly #startLine: number;
	readonly #endLine: number;
	readonly #collected: string[] = [];
	#remainingUnits: number;
	/** The line that the next piece begins or continues, from 1. */
	#line = 1;
	#isLineOpen = false;
	#lastLine: number;
	#cut = false;

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
			if (this.#line >= this.#startLine && this.#line <= this.#endLine)
				this.#collect(piece.slice(start, end));
			this.#isLineOpen = newline === -1;
			if (!this.#isLineOpen) this.#line += 1;
			start = end;
		}
	}

	/** Whether later pieces can no longer contain requested lines. */
	isComplete(): boolean {
		return this.#line > this.#endLine || this.#cut;
	}

	finish(): CollectedLines {
		const totalLines = this.#isLineOpen ? this.#line : this.#line - 1;
		return { text: this.#collected.join(''), lastLine: this.#lastLine, cut: this.#cut, totalLines };
	}

	#collect(part: string): void {
		if (this.#remainingUnits === 0) this.#cut = true;
		const fitting = part.slice(0, wholeUnits(part, this.#remainingUnits));
		if (fitting.length < part.length) this.#cut = true;
		if (fitting === '') return;
		this.#collected.push(fitting);
		this.#remainingUnits = this.#cut ? 0 : this.#remainingUnits - fitting.length;
		this.#lastLine = this.#line;
	}
}

/** Number of units that fit without splitting a surrogate pair. */
function wholeUnits(part: string, maxUnits: number): number {
	if (maxUnits >= part.length) return part.length;
	const last = part.charCodeAt(maxUnits - 1);
	return last >= 0xd800 && last <= 0xdbff ? maxUnits - 1 : maxUnits;
}
