import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode, Failure } from '../../core/failure.ts';
import { agents, type CompanionFile } from '../../core/transcript/index.ts';
import { readBytes } from '../disk/readBytes.ts';
import { createDocumentSource, maxDocumentBytes, tryParseDocument } from './documentFile.ts';
import { LineBytes } from './lineBytes.ts';
import { createLineSource } from './lineFile.ts';
import { type FileStart, openFile, readWholeFile, toUnreadableFailure } from './openFile.ts';
import { findRecordTree, RecordTreeSource } from './recordTree.ts';
import { createDatabaseSource, createNoSessionFailure, splitDatabasePath } from './sessionDatabase.ts';
import type { RecordBatch, RecordSource } from './source.ts';
import { decompressFile, startsLikeZstd } from './zstd.ts';

/** The first bytes of a SQLite database. */
const databaseStart = 'SQLite format 3\u0000';
/** Bytes at the start of a file that show whether it is a file of lines or one document. */
const headBytes = 1 << 16;

/** Creates the source of records for a path, chosen by the content and not by the name. Fails with `FileUnreadable`. */
export async function openSource(path: string): Promise<RecordSource> {
	try {
		const database = splitDatabasePath(path);
		if (database) return await createDatabaseSource(database.file, database.sessionId);
		const isFolder = (await stat(path)).isDirectory();
		const tree = await findRecordTree(path, isFolder);
		if (tree !== undefined) return new RecordTreeSource(tree);
		const kind = await detectFileType(path);
		switch (kind) {
			case 'compressed':
				return createZstdSource(path);
			case 'database':
				throw await createNoSessionFailure(path);
			case 'document':
				return createFileSource(path, true);
			case 'lines':
				return createFileSource(path, false);
		}
	} catch (error) {
		throw toUnreadableFailure(path, error);
	}
}

/**
 * Whether a path is a file of lines without a companion document. Fails with `FileUnreadable`.
 * @param start at least the first 64 KiB of the file
 */
export async function isPlainLineFile(path: string, start: FileStart): Promise<boolean> {
	if (splitDatabasePath(path) !== undefined) return false;
	if (agents.some(({ companion }) => companion?.findCompanionName(basename(path)) !== undefined))
		return false;
	try {
		if ((await findRecordTree(path, false)) !== undefined) return false;
		return (await detectTypeByStart(path, start)) === 'lines';
	} catch (error) {
		throw toUnreadableFailure(path, error);
	}
}

/** Creates the source of a file, combined with a companion document if an agent writes one next to such files. */
function createFileSource(path: string, isDocument: boolean): RecordSource {
	for (const { companion } of agents) {
		const name = companion?.findCompanionName(basename(path));
		if (companion && name !== undefined) return createCompanionSource(path, companion, name);
	}
	return isDocument ? createDocumentSource(path) : createLineSource(path);
}

type FileType = 'compressed' | 'database' | 'document' | 'lines';

async function detectFileType(path: string): Promise<FileType> {
	const { handle, stats } = await openFile(path);
	try {
		const bytes = await readBytes(handle, 0, Math.min(stats.size, headBytes));
		return await detectTypeByStart(path, { bytes, size: stats.size });
	} finally {
		await handle.close();
	}
}

/**
 * Detects the kind of a file by its start. A document has several lines: its first line alone is not JSON, but the whole text is.
 */
async function detectTypeByStart(path: string, { bytes, size }: FileStart): Promise<FileType> {
	if (startsLikeZstd(bytes)) return 'compressed';
	if (bytes.subarray(0, databaseStart.length).toString('latin1') === databaseStart) return 'database';
	const text = bytes
		.toString('utf8')
		.replace(/^\uFEFF/, '')
		.trimStart();
	const newline = text.indexOf('\n');
	if (!/^[{[]/.test(text) || newline < 0 || size > maxDocumentBytes) return 'lines';
	if (tryParseDocument(text.slice(0, newline)) !== undefined) return 'lines';
	const fullBytes = bytes.length < size ? await readWholeFile(path, maxDocumentBytes) : bytes;
	return tryParseDocument(fullBytes.toString('utf8')) === undefined ? 'lines' : 'document';
}

/** Creates the source of a compressed JSON Lines file. After a change, it returns all records again. */
function createZstdSource(path: string): RecordSource {
	let seenStamp: string | undefined;
	let pieces: AsyncGenerator<RecordBatch> | undefined;
	return {
		listWatchedPaths: () => [path],
		async close() {
			await pieces?.return(undefined);
			pieces = undefined;
		},
		async next() {
			try {
				if (pieces === undefined) {
					const { size, mtimeMs } = await stat(path);
					const now = `${size}:${mtimeMs}`;
					if (now === seenStamp) return undefined;
					pieces = readCompressed(path, seenStamp !== undefined);
					seenStamp = now;
				}
				const { value, done } = await pieces.next();
				if (done) pieces = undefined;
				return done ? undefined : value;
			} catch (error) {
				pieces = undefined;
				if (seenStamp !== undefined && errorCode(error) === 'ENOENT') return undefined;
				throw toUnreadableFailure(path, error);
			}
		},
	};
}

async function* readCompressed(path: string, isReadAgain: boolean): AsyncGenerator<RecordBatch> {
	const lines = new LineBytes();
	let isRestart = isReadAgain;
	for await (const chunk of decompressFile(path)) {
		const { records, badLineCount } = lines.push(chunk);
		if (records.length === 0 && badLineCount === 0) continue;
		yield { records, badLineCount, isRestart, bytes: chunk.length };
		isRestart = false;
	}
	const { records, badLineCount } = lines.end();
	if (records.length > 0 || isRestart) yield { records, badLineCount, isRestart, bytes: 0 };
}

/**
 * Creates the source of a transcript with a companion document. Combines the records of both, and reads both again when either
 * of them changes. An unreadable document is left out.
 */
function createCompanionSource(
	path: string,
	{ combineRecords, isTranscriptDocument }: CompanionFile,
	name: string,
): RecordSource {
	const source = isTranscriptDocument ? createDocumentSource(path) : createLineSource(path);
	const companionPath = join(dirname(path), name);
	const companionFile = createDocumentSource(companionPath);
	let document: unknown[] = [];
	let companion: unknown;
	return {
		listWatchedPaths: () => [...source.listWatchedPaths(), companionPath],
		async close() {
			await Promise.all([source.close(), companionFile.close()]);
		},
		async next(signal) {
			const batch = await source.next(signal);
			const change = await readIfReadable(companionFile.next(signal));
			if (batch === undefined && change === undefined) return undefined;
			if (batch && isTranscriptDocument) document = batch.records;
			if (change) [companion] = change.records;
			const isNeeded = isTranscriptDocument || change !== undefined || batch?.isRestart === true;
			return {
				records: combineRecords(
					isTranscriptDocument ? document : (batch?.records ?? []),
					isNeeded ? companion : undefined,
				),
				badLineCount: batch?.badLineCount ?? 0,
				isRestart: batch?.isRestart ?? false,
				bytes: (batch?.bytes ?? 0) + (change?.bytes ?? 0),
			};
		},
	};
}

async function readIfReadable(batch: Promise<RecordBatch | undefined>): Promise<RecordBatch | undefined> {
	try {
		return await batch;
	} catch (error) {
		if (error instanceof Failure && error.kind === 'FileUnreadable') return undefined;
		throw error;
	}
}
