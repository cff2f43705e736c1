import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, realpath, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, Failure, ifExists } from '../../core/failure.ts';
import { isHighSurrogate } from '../../core/output/textSize.ts';
import { sessionsFolder } from '../journal/folder.ts';
import { isInside, resolveInside } from './access.ts';

/** Where outputs are saved, and how long those in the state folder are retained. */
export interface SavedOutputsOptions {
	/** The state folder; outputs are saved in its `outputs/`. */
	stateFolder: string;
	/** Milliseconds that a saved output is retained; default 7 days. */
	maxAgeMs?: number;
	/** Beginning of the file's name; default `tool-output`. */
	kind?: 'tool-output' | 'context-usage';
	/** Total bytes of saved outputs, beyond which the oldest are removed; default 1 GiB. */
	maxTotalBytes?: number;
}

/** An output to save: its text, or a stream of its bytes. */
export type OutputSource = string | AsyncIterable<Uint8Array>;

/** A folder for an output, instead of the state folder. */
export interface SaveLocation {
	/** A URI or path in a workspace folder or the state folder; created if it is missing. */
	directory: string;
	workspaceFolders: readonly string[];
}

const dayMs = 86_400_000;
/** Matches the names of saved outputs in a text, such as that of a shortened result. */
export const savedOutputName =
	/(?:tool-output|context-usage)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.txt/g;
const pieceUnits = 1 << 20;

/**
 * Saves an output to a new private file (0600, in a new folder 0700) with an unguessable name; returns its path.
 *
 * Throws `OutsideWorkspace` for a folder outside the workspace and the state folder, `InvalidParams` for the folder of
 * the journals, and `StorageFailed` if writing fails. An incomplete file is removed.
 */
export async function saveOutput(
	source: OutputSource,
	options: SavedOutputsOptions,
	place?: SaveLocation,
): Promise<string> {
	const directory = await folderFor(options, place);
	const path = join(directory, `${options.kind ?? 'tool-output'}-${randomUUID()}.txt`);
	try {
		const handle = await open(path, newFileFlags(), 0o600);
		await writeAll(handle, source, path);
	} catch (error) {
		throw storageFailed(path, error);
	}
	return path;
}

/**
 * Removes expired outputs from the state folder's `outputs/`, then the oldest beyond the total size.
 *
 * Never touches files with other names, or outputs saved elsewhere. Returns the number of removed files.
 */
export async function cleanSavedOutputs(options: SavedOutputsOptions, now: number): Promise<number> {
	const { maxAgeMs = 7 * dayMs, maxTotalBytes = 2 ** 30 } = options;
	const saved = await listSaved(join(options.stateFolder, 'outputs'));
	let totalBytes = 0;
	let removed = 0;
	for (const file of saved.sort((a, b) => b.modifiedAt - a.modifiedAt)) {
		totalBytes += file.size;
		if (now - file.modifiedAt <= maxAgeMs && totalBytes <= maxTotalBytes) continue;
		await ifExists(unlink(file.path));
		removed += 1;
	}
	return removed;
}

interface SavedFile {
	path: string;
	size: number;
	modifiedAt: number;
}

async function listSaved(directory: string): Promise<SavedFile[]> {
	const names = (await ifExists(readdir(directory))) ?? [];
	const saved = names.filter((name) => name.match(savedOutputName)?.[0] === name);
	const files = await Promise.all(
		saved.map(async (name) => {
			const path = join(directory, name);
			const stats = await ifExists(stat(path));
			return stats === undefined ? [] : [{ path, size: stats.size, modifiedAt: stats.mtimeMs }];
		}),
	);
	return files.flat();
}

async function folderFor(options: SavedOutputsOptions, place: SaveLocation | undefined): Promise<string> {
	if (place === undefined) return makeFolder(join(options.stateFolder, 'outputs'));
	const allowed = [...place.workspaceFolders, options.stateFolder];
	await refuseJournals(await resolveInside(place.directory, allowed), options, place);
	const directory = await makeFolder(await resolveInside(place.directory, allowed));
	await refuseJournals(await resolveInside(directory, allowed), options, place);
	return directory;
}

/** Refuses the journals' folder, where an output could be mistaken for a journal and would never be cleaned up. */
async function refuseJournals(
	directory: string,
	{ stateFolder }: SavedOutputsOptions,
	place: SaveLocation,
): Promise<void> {
	const journals = await resolveInside(sessionsFolder(stateFolder), [stateFolder]);
	if (!isInside(directory, [journals])) return;
	throw new Failure(
		'InvalidParams',
		`saveDir: expected a folder other than that of the journals, got ${JSON.stringify(place.directory)}`,
		{ path: directory },
	);
}

async function makeFolder(path: string): Promise<string> {
	try {
		await mkdir(path, { recursive: true, mode: 0o700 });
		return await realpath(path);
	} catch (error) {
		throw storageFailed(path, error);
	}
}

function newFileFlags(): number {
	return constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
}

async function writeAll(handle: FileHandle, source: OutputSource, path: string): Promise<void> {
	try {
		for await (const piece of typeof source === 'string' ? piecesOf(source) : source) {
			await handle.writeFile(piece);
		}
		await handle.close();
	} catch (error) {
		await handle.close();
		await unlink(path);
		throw error;
	}
}

/** Splits a text into pieces without splitting surrogate pairs. */
function* piecesOf(text: string): Generator<string> {
	let start = 0;
	while (start < text.length) {
		let end = Math.min(text.length, start + pieceUnits);
		if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
		yield text.slice(start, end);
		start = end;
	}
}

function storageFailed(path: string, error: unknown): Failure {
	const why = errorText(error);
	return new Failure('StorageFailed', `Could not save the output at ${path}: ${why}`, { path }, error);
}
