import { Failure } from '../../core/failure.ts';
import { countLines } from '../../core/output/textSize.ts';
import { describeBinary, truncateEnds } from '../../core/output/truncateEnds.ts';
import { looksBinary, type TruncateOptions, truncateOutput } from '../../core/output/truncateOutput.ts';
import { type Limits, resolveLimits, type Truncation } from '../../core/output/truncation.ts';
import type { TruncateToolOutputParams } from '../../protocol/output.ts';
import { type AccessedFile, openInWorkspace, resolveInside } from './access.ts';
import { decoderOf, detectEncoding, type Encoding, sampleBytes } from './encoding.ts';
import { bytesBetween, readBytes } from './readBytes.ts';
import { type SavedOutputsOptions, type SavePlace, saveOutput } from './savedOutputs.ts';

export interface ToolOutputContext {
	workspaceFolders: readonly string[];
	savedOutputs: SavedOutputsOptions;
}

/**
 * A tool output within its limits, by the promises of `truncateOutput`; `savedPath` is where the whole of it
 * was saved, if it was. Throws `InvalidParams` unless exactly one of `output` and `uri` is given, and what
 * opening (`OutsideWorkspace`, `FileUnreadable`) and saving (`StorageFailed`) throw.
 */
export async function truncateToolOutput(
	request: TruncateToolOutputParams,
	context: ToolOutputContext,
): Promise<Truncation & { savedPath?: string }> {
	const { output, uri } = request;
	await refuseForeignPlace(request, context);
	if (output !== undefined && uri === undefined) return truncateText(output, request, context);
	if (uri === undefined || output !== undefined) {
		throw new Failure('InvalidParams', 'expected either output or uri, and not both');
	}
	const file = await openInWorkspace(uri, context.workspaceFolders);
	try {
		return await truncateOpenFile(file, request, context);
	} finally {
		await file.handle.close();
	}
}

async function truncateText(output: string, request: TruncateToolOutputParams, context: ToolOutputContext) {
	const result = truncateOutput(output, request);
	if (!result.truncated || !request.saveToDisk) return result;
	const savedPath = await saveOutput(output, context.savedOutputs, placeOf(request, context));
	return { ...truncateOutput(output, { ...request, savedPath }), savedPath };
}

async function truncateOpenFile(
	file: AccessedFile,
	request: TruncateToolOutputParams,
	context: ToolOutputContext,
) {
	const result = await truncateFile(file, request);
	if (!result.truncated || !request.saveToDisk) return result;
	const bytes = bytesBetween(file.handle, 0, file.size);
	const savedPath = await saveOutput(bytes, context.savedOutputs, placeOf(request, context));
	return { ...(await truncateFile(file, { ...request, savedPath })), savedPath };
}

/** A place that may not be written to is an error even where nothing needs to be saved. */
async function refuseForeignPlace(
	request: TruncateToolOutputParams,
	context: ToolOutputContext,
): Promise<void> {
	if (!request.saveToDisk || request.saveDir === undefined) return;
	await resolveInside(request.saveDir, [...context.workspaceFolders, context.savedOutputs.stateFolder]);
}

function placeOf(request: TruncateToolOutputParams, context: ToolOutputContext): SavePlace | undefined {
	if (request.saveDir === undefined) return undefined;
	return { directory: request.saveDir, workspaceFolders: context.workspaceFolders };
}

/** A file up to this size is read whole, so its lines are counted too. */
const wholeFileBytes = 1 << 20;
/** The most that is read of either end. */
const largestEndBytes = 64 << 20;

/**
 * A file within the limits of `truncateOutput`, whose promises hold here too. Of a large file only the ends
 * are read, however large it is; its lines are then not counted and `originalSize` is the size of the file,
 * which of one that is not UTF-8 differs from that of its text. Binary files are described at any size. Throws `TooLarge` for a limit above 64 MiB
 * where the file has more than that, `FileUnreadable` when reading fails.
 */
async function truncateFile(file: AccessedFile, options: TruncateOptions = {}): Promise<Truncation> {
	const limits = resolveLimits(options);
	const endBytes = 2 * limits.maxBytes + 64;
	if (file.size <= Math.max(wholeFileBytes, 2 * endBytes)) return truncateWhole(file, options, limits);
	if (limits.maxBytes > largestEndBytes) throw tooLarge(file, limits);
	const encoding = encodingOf(await readBytes(file.handle, 0, sampleBytes));
	const [first, last] = await Promise.all([
		readBytes(file.handle, encoding.markBytes, endBytes),
		readBytes(file.handle, characterStart(file.size - endBytes, encoding), file.size),
	]);
	const ends = { head: decode(first, encoding), tail: decodeEnd(last, encoding), originalSize: file.size };
	if (looksBinary(ends.head) || looksBinary(ends.tail)) return describeBinary(ends, limits);
	return truncateEnds(ends, limits);
}

async function truncateWhole(
	file: AccessedFile,
	options: TruncateOptions,
	limits: Limits,
): Promise<Truncation> {
	if (file.size > 4 * largestEndBytes) throw tooLarge(file, limits);
	const bytes = await readBytes(file.handle, 0, file.size);
	const encoding = encodingOf(bytes.subarray(0, sampleBytes));
	const text = decode(bytes.subarray(encoding.markBytes), encoding);
	if (!looksBinary(text)) return truncateOutput(text, options);
	const ends = { head: text, tail: text, originalSize: file.size, originalLines: countLines(text) };
	return describeBinary(ends, limits);
}

/** Logs may hold a few NULs, so what is no text by its first bytes is judged by both ends later. */
function encodingOf(sample: Buffer): Encoding {
	return detectEncoding(sample) ?? { name: 'utf-8', markBytes: 0 };
}

function tooLarge(file: AccessedFile, limits: Limits): Failure {
	const message = `maxBytes ${limits.maxBytes} is more than can be read of ${file.path} (${file.size} bytes).`;
	return new Failure('TooLarge', message, { path: file.path, size: file.size });
}

function decode(bytes: Buffer, encoding: Encoding): string {
	return decoderOf(encoding).decode(bytes);
}

/** A place where a code unit starts: an even one in UTF-16. */
function characterStart(position: number, encoding: Encoding): number {
	return encoding.name.startsWith('utf-16') ? position - (position % 2) : position;
}

/** The end of a file from its first whole character on. */
function decodeEnd(bytes: Buffer, encoding: Encoding): string {
	let start = 0;
	while (encoding.name === 'utf-8' && start < 3 && isContinuation(bytes[start])) start += 1;
	return decode(bytes.subarray(start), encoding);
}

function isContinuation(byte: number | undefined): boolean {
	return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}
