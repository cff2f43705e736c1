import { createHash, type Hash } from 'node:crypto';
import { Failure } from '../../core/failure.ts';
import { readImageSize } from '../../core/measure/imageSize.ts';
import type { AccessedFile } from './access.ts';
import { decoderOf, detectEncoding, type Encoding, sampleBytes } from './encoding.ts';
import { bytesBetween, readBytes } from './readBytes.ts';

/** Which lines of a file are wanted, and how much of them. */
export interface ReadRange {
	/** First line, from 1; default 1. */
	startLine?: number;
	/** Last line, included; default: the last of the file. */
	endLine?: number;
	/** UTF-16 units of text at most; default 5 MiB. */
	maxUnits?: number;
	signal?: AbortSignal;
}

/** What a file is, and what was wanted of it. */
export interface FileReading {
	/** Where the file really lies. */
	path: string;
	/** Bytes. */
	size: number;
	/** Milliseconds since the epoch. */
	modifiedAt: number;
	/**
	 * SHA-256 of the bytes, in hexadecimal. Of a file above 64 MiB: of its size, its time of change and its
	 * first and last 64 KiB, for reading all of it takes seconds.
	 */
	contentHash: string;
	content: TextContent | ImageContent | BinaryContent;
}

export interface TextContent {
	kind: 'text';
	encoding: Encoding['name'];
	/** The wanted lines, line ends as they are, without a byte order mark. */
	text: string;
	/** The first line of the text, from 1. */
	firstLine: number;
	/** The last line of the text; one less than `firstLine` where it holds none. */
	lastLine: number;
	/** Not all wanted lines fitted `maxUnits`; the last one may be there in part. */
	cut: boolean;
	/** Lines of the whole file. */
	totalLines: number;
	/** False where a file above 64 MiB was not read to its end, so `totalLines` is an estimate. */
	countedToEnd: boolean;
}

interface ImageContent extends ImageFacts {
	kind: 'image';
}

interface BinaryContent {
	kind: 'binary';
}

const defaultMaxUnits = 5 << 20;
/** A file up to this size is read to its end: its lines are counted and its bytes hashed. */
const readWholeBytes = 64 << 20;

/**
 * Reads lines of a file and tells what it is. Memory is bounded by `maxUnits`, whatever the file's size; a
 * file that grows meanwhile is read as large as it was when it was opened. Throws `InvalidParams` for a
 * range that is none, the signal's reason when that is aborted, `FileUnreadable` when the disk fails.
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
	const isSmall = file.size <= readWholeBytes;
	const hash = createHash('sha256');
	const decoder = decoderOf(encoding);
	const lines = collectLines(startLine, endLine, maxUnits);
	let marksToSkip = encoding.markBytes;
	let bytesRead = 0;
	for await (const piece of bytesBetween(file.handle, 0, file.size, signal)) {
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

/** The `contentHash` that `readFileRange` gives for a file. */
export async function contentHashOf(file: AccessedFile, signal?: AbortSignal): Promise<string> {
	if (file.size > readWholeBytes) return fingerprint(file);
	const hash = createHash('sha256');
	for await (const piece of bytesBetween(file.handle, 0, file.size, signal)) hash.update(piece);
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

/** What the first bytes of an image file tell. */
interface ImageFacts {
	mediaType: string;
	/** Pixels. */
	width?: number;
	/** Pixels. */
	height?: number;
}

/** The bytes that each kind of image starts with, in hexadecimal; dots stand for any digit. */
const signatures: readonly [RegExp, string][] = [
	[/^89504e470d0a1a0a/, 'image/png'],
	[/^47494638(?:37|39)61/, 'image/gif'],
	[/^ffd8ff/, 'image/jpeg'],
	[/^52494646.{8}57454250/, 'image/webp'],
	[/^424d.{8}00000000/, 'image/bmp'],
];
const signatureBytes = 12;

/**
 * The kind and the pixels of a PNG, GIF, JPEG, WebP or BMP image by its first bytes; `undefined` for what is
 * none of them. The pixels are absent where the sample ends before they come.
 */
function imageFacts(sample: Buffer): ImageFacts | undefined {
	const start = sample.toString('hex', 0, signatureBytes);
	const mediaType = signatures.find(([signature]) => signature.test(start))?.[1];
	return mediaType === undefined ? undefined : { mediaType, ...readImageSize(sample.toString('base64')) };
}

/** Lines taken out of a text that comes in pieces. */
interface CollectedLines {
	/** The wanted lines, with their ends, as far as they fit. */
	text: string;
	/** The last line that the text holds, if only in part; one less than the first wanted where it holds none. */
	lastLine: number;
	/** More of the wanted lines was there than fits. */
	cut: boolean;
	/** Lines of everything that came. */
	totalLines: number;
}

/** Takes pieces, then gives what was wanted of them. */
interface LineCollector {
	add(piece: string): void;
	/** Whether nothing that comes can belong to the wanted lines any more. */
	isComplete(): boolean;
	finish(): CollectedLines;
}

/**
 * Collects the lines from `startLine` to `endLine` (both from 1, included), at most `maxUnits` UTF-16 units,
 * and counts all lines. Keeps nothing else, so memory is bounded by `maxUnits` and one piece.
 */
function collectLines(startLine: number, endLine: number, maxUnits: number): LineCollector {
	const kept: string[] = [];
	let room = maxUnits;
	let line = 1;
	let lineIsOpen = false;
	let lastLine = startLine - 1;
	let cut = false;

	function keep(part: string, ofLine: number): void {
		if (room === 0) cut = true;
		const fitting = part.slice(0, wholeUnits(part, room));
		if (fitting.length < part.length) cut = true;
		if (fitting === '') return;
		kept.push(fitting);
		room = cut ? 0 : room - fitting.length;
		lastLine = ofLine;
	}

	return {
		add(piece) {
			let start = 0;
			while (start < piece.length) {
				const newline = piece.indexOf('\n', start);
				const end = newline === -1 ? piece.length : newline + 1;
				if (line >= startLine && line <= endLine) keep(piece.slice(start, end), line);
				lineIsOpen = newline === -1;
				if (!lineIsOpen) line += 1;
				start = end;
			}
		},
		isComplete: () => line > endLine || cut,
		finish: () => ({ text: kept.join(''), lastLine, cut, totalLines: lineIsOpen ? line : line - 1 }),
	};
}

/** As much of a part as fits without cutting a surrogate pair in two. */
function wholeUnits(part: string, room: number): number {
	if (room >= part.length) return part.length;
	const last = part.charCodeAt(room - 1);
	return last >= 0xd800 && last <= 0xdbff ? room - 1 : room;
}
