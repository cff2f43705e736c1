import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, realpath, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, Failure, ifThere } from '../../core/failure.ts';
import { isHighSurrogate } from '../../core/output/textSize.ts';
import { sessionsFolder } from '../journal/folder.ts';
import { isInside, resolveInside } from './access.ts';

/** Where outputs are saved, and how long those in the state folder stay. */
export interface SavedOutputsOptions {
	/** The folder that holds the daemon's state; its `outputs/` is where outputs go. */
	stateFolder: string;
	/** Milliseconds that a saved output stays; default 7 days. */
	maxAgeMs?: number;
	/** Bytes of all saved outputs together, beyond which the oldest go; default 1 GiB. */
	maxTotalBytes?: number;
}

/** An output to be saved: its text, or its bytes as they come. */
export type OutputSource = string | AsyncIterable<Uint8Array>;

/** Where an output is to be saved other than in the state folder. */
export interface SavePlace {
	/** A URI or path under a workspace folder or the state folder; it is made where it is absent. */
	directory: string;
	workspaceFolders: readonly string[];
}

const dayMs = 86_400_000;
const savedName = /^tool-output-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.txt$/;
const pieceUnits = 1 << 20;

/**
 * Saves an output to a new private file (0600, its folder 0700 where it is made) with a name that nobody can
 * guess, and gives its path. Throws `OutsideWorkspace` for a place outside the workspace and the state
 * folder, `InvalidParams` for the folder of the journals, `StorageFailed` when writing fails; nothing half written stays.
 */
export async function saveOutput(
	source: OutputSource,
	options: SavedOutputsOptions,
	place?: SavePlace,
): Promise<string> {
	const directory = await folderFor(options, place);
	const path = join(directory, `tool-output-${randomUUID()}.txt`);
	try {
		const handle = await open(path, newFileFlags(), 0o600);
		await writeAll(handle, source, path);
	} catch (error) {
		throw storageFailed(path, error);
	}
	return path;
}

/**
 * Removes from the state folder's `outputs/` what is older than it may be, then the oldest until the rest
 * fits the total size. Files of other names, and outputs saved elsewhere, are never touched. Gives the
 * number of files removed.
 */
export async function cleanSavedOutputs(options: SavedOutputsOptions, now: number): Promise<number> {
	const { maxAgeMs = 7 * dayMs, maxTotalBytes = 2 ** 30 } = options;
	const saved = await listSaved(join(options.stateFolder, 'outputs'));
	let totalBytes = 0;
	let removed = 0;
	for (const file of saved.sort((a, b) => b.modifiedAt - a.modifiedAt)) {
		totalBytes += file.size;
		if (now - file.modifiedAt <= maxAgeMs && totalBytes <= maxTotalBytes) continue;
		await ifThere(unlink(file.path));
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
	const names = (await ifThere(readdir(directory))) ?? [];
	const saved = names.filter((name) => savedName.test(name));
	const files = await Promise.all(
		saved.map(async (name) => {
			const path = join(directory, name);
			const stats = await ifThere(stat(path));
			return stats === undefined ? [] : [{ path, size: stats.size, modifiedAt: stats.mtimeMs }];
		}),
	);
	return files.flat();
}

async function folderFor(options: SavedOutputsOptions, place: SavePlace | undefined): Promise<string> {
	if (place === undefined) return makeFolder(join(options.stateFolder, 'outputs'));
	const allowed = [...place.workspaceFolders, options.stateFolder];
	await refuseJournals(await resolveInside(place.directory, allowed), options, place);
	const directory = await makeFolder(await resolveInside(place.directory, allowed));
	await refuseJournals(await resolveInside(directory, allowed), options, place);
	return directory;
}

/** What lies beside journals looks like one of them, and is never cleaned up. */
async function refuseJournals(
	directory: string,
	{ stateFolder }: SavedOutputsOptions,
	place: SavePlace,
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

/** A text in pieces that cut no surrogate pair in two. */
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
	return new Failure('StorageFailed', `The output could not be saved at ${path}: ${why}`, { path }, error);
}
