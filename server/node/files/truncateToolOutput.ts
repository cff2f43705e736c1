import { Failure } from '../../core/failure.ts';
import { looksBinary, shortenResult } from '../../core/output/shortenResult.ts';
import { isContinuationByte } from '../../core/output/textEnd.ts';
import { countLines } from '../../core/output/textSize.ts';
import {
	describeBinary,
	type LimitOptions,
	type OutputLimits,
	resolveLimits,
	type Truncation,
	truncateEnds,
} from '../../core/output/truncation.ts';
import type { TruncateToolOutputParams } from '../../protocol/output.ts';
import { readByteChunks, readBytes } from '../disk/readBytes.ts';
import { type AccessedFile, openInWorkspace, resolveInside } from './access.ts';
import { createTextDecoder, detectEncoding, type Encoding, sampleBytes } from './encoding.ts';
import { type OutputOptions, type OutputSource, type SaveLocation, saveOutput } from './savedOutputs.ts';

/** Limits of an output, and which part of it to keep. */
type TruncateOptions = LimitOptions & Pick<TruncateToolOutputParams, 'strategy'>;

export interface OutputContext {
	workspaceFolders: readonly string[];
	savedOutputs: OutputOptions;
}

/**
 * Truncates a tool output like `shortenResult`. `savedPath` is the file to which the whole output was saved, if it was saved.
 *
 * Throws `InvalidParams` unless exactly one of `output` and `uri` is given. Also throws errors of opening
 * (`OutsideWorkspace`, `FileUnreadable`) and saving (`StorageFailed`).
 */
export async function truncateToolOutput(
	request: TruncateToolOutputParams,
	context: OutputContext,
): Promise<Truncation & { savedPath?: string }> {
	const { output, uri } = request;
	await refuseForeignFolder(request, context);
	if (output !== undefined && uri === undefined) {
		const truncate = async (options: TruncateOptions) => shortenResult(output, options, options.strategy);
		return truncateAndSave(request, context, truncate, () => output);
	}
	if (uri === undefined || output !== undefined)
		throw new Failure('InvalidParams', 'expected either output or uri, and not both');
	const file = await openInWorkspace(uri, context.workspaceFolders);
	try {
		const truncate = (options: TruncateOptions) => truncateFile(file, options);
		return await truncateAndSave(request, context, truncate, () => readByteChunks(file.handle, 0, file.size));
	} finally {
		await file.handle.close();
	}
}

/** Truncates an output; on request, also saves the whole output and names its file in the result. */
async function truncateAndSave(
	request: TruncateToolOutputParams,
	context: OutputContext,
	truncate: (options: TruncateOptions) => Promise<Truncation>,
	readWhole: () => OutputSource,
) {
	const result = await truncate(request);
	if (!result.truncated || !request.saveToDisk) return result;
	const savedPath = await saveOutput(readWhole(), context.savedOutputs, createSaveLocation(request, context));
	return { ...(await truncate({ ...request, savedPath })), savedPath };
}

/** Throws if the request names a folder that may not be written to, even if nothing needs to be saved. */
async function refuseForeignFolder(request: TruncateToolOutputParams, context: OutputContext): Promise<void> {
	if (!request.saveToDisk || request.saveDir === undefined) return;
	await resolveInside(request.saveDir, [...context.workspaceFolders, context.savedOutputs.stateFolder]);
}

function createSaveLocation(
	request: TruncateToolOutputParams,
	context: OutputContext,
): SaveLocation | undefined {
	if (request.saveDir === undefined) return undefined;
	return { directory: request.saveDir, workspaceFolders: context.workspaceFolders };
}

/** Files up to this size are read completely, so that their lines are counted. */
const maxWholeFileBytes = 1 << 20;
/** Maximum bytes that are read from each end of a file. */
const maxEndBytes = 64 << 20;

/**
 * Truncates a file like `shortenResult`; of a large file, only the ends are read.
 *
 * The lines of a large file are not counted, and `originalSize` is the size of the file, which equals the size of its text only
 * for UTF-8. A binary file is described instead. Throws `TooLarge` if the limit exceeds 64 MiB and the file is too
 * large to be read completely, and `FileUnreadable` if reading fails.
 */
async function truncateFile(file: AccessedFile, options: TruncateOptions): Promise<Truncation> {
	const limits = resolveLimits(options);
	const endBytes = 2 * limits.maxBytes + 64;
	if (file.size <= Math.max(maxWholeFileBytes, 2 * endBytes)) return truncateWhole(file, options, limits);
	if (limits.maxBytes > maxEndBytes) throw createTooLargeError(file, limits);
	const encoding = detectEncodingOrUtf8(await readBytes(file.handle, 0, sampleBytes));
	const [first, last] = await Promise.all([
		readBytes(file.handle, encoding.markBytes, endBytes),
		readBytes(file.handle, findCharacterStart(file.size - endBytes, encoding), file.size),
	]);
	const ends = { head: decode(first, encoding), tail: decodeEnd(last, encoding), originalSize: file.size };
	if (looksBinary(ends.head) || looksBinary(ends.tail)) return describeBinary(ends, limits);
	return truncateEnds(ends, limits);
}

async function truncateWhole(
	file: AccessedFile,
	options: TruncateOptions,
	limits: OutputLimits,
): Promise<Truncation> {
	if (file.size > 4 * maxEndBytes) throw createTooLargeError(file, limits);
	const bytes = await readBytes(file.handle, 0, file.size);
	const encoding = detectEncodingOrUtf8(bytes.subarray(0, sampleBytes));
	const text = decode(bytes.subarray(encoding.markBytes), encoding);
	if (!looksBinary(text)) return shortenResult(text, options, options.strategy);
	const ends = { head: text, tail: text, originalSize: file.size, originalLines: countLines(text) };
	return describeBinary(ends, limits);
}

/** Detects the encoding of a sample; UTF-8 if the sample seems binary, because logs may contain a few NULs. */
function detectEncodingOrUtf8(sample: Buffer): Encoding {
	return detectEncoding(sample) ?? { name: 'utf-8', markBytes: 0 };
}

function createTooLargeError(file: AccessedFile, limits: OutputLimits): Failure {
	const message = `maxBytes ${limits.maxBytes} exceeds what can be read of ${file.path} (${file.size} bytes).`;
	return new Failure('TooLarge', message, { path: file.path, size: file.size });
}

function decode(bytes: Buffer, encoding: Encoding): string {
	return createTextDecoder(encoding).decode(bytes);
}

/** Returns the last start of a code unit up to `position`; in UTF-16, starts are even. */
function findCharacterStart(position: number, encoding: Encoding): number {
	return encoding.name.startsWith('utf-16') ? position - (position % 2) : position;
}

/** Decodes the end of a file from its first complete character. */
function decodeEnd(bytes: Buffer, encoding: Encoding): string {
	let start = 0;
	while (encoding.name === 'utf-8' && start < 3 && isContinuationByte(bytes[start])) start += 1;
	return decode(bytes.subarray(start), encoding);
}
