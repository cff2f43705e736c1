import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, Failure, ifExists } from '../../core/failure.ts';
import { splitText } from '../../core/output/textSize.ts';
import { listNewestFiles } from '../disk/listNewestFiles.ts';
import { getSessionsFolder } from '../journal/folder.ts';
import { isInside, resolveInside } from './access.ts';

/** Where outputs of tools are saved, and how long outputs in the state folder are retained. */
export interface OutputOptions {
	/** The state folder; outputs are saved in its `outputs/`. */
	stateFolder: string;
	/** Milliseconds for which a saved output is retained; default 7 days. */
	maxAgeMs?: number;
	/** Prefix of the file's name; default `tool-output`. */
	kind?: 'tool-output' | 'context-usage';
	/** Maximum bytes of all saved outputs; beyond that, the oldest are removed. Default 1 GiB. */
	maxTotalBytes?: number;
}

/** The output to save, as a text or as a stream of bytes. */
export type OutputSource = string | AsyncIterable<Uint8Array>;

/** A folder for an output, instead of the state folder. */
export interface SaveLocation {
	/** URI or path of a folder within a workspace folder or the state folder; created if it is missing. */
	directory: string;
	workspaceFolders: readonly string[];
}

const dayMs = 86_400_000;
/** Matches the names of saved outputs within a text, such as a shortened result. */
export const savedOutputPattern =
	/(?:tool-output|context-usage)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.txt/g;
const pieceUnits = 1 << 20;
const newFileFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * Saves an output to a new private file with an unguessable name (0600; new folders 0700). Returns the file's path.
 *
 * Throws `OutsideWorkspace` if the folder is outside the workspace and the state folder, `InvalidParams` if it is the folder
 * of the journals, and `StorageFailed` if writing fails; an incomplete file is removed.
 */
export async function saveOutput(
	source: OutputSource,
	options: OutputOptions,
	location?: SaveLocation,
): Promise<string> {
	const directory = await prepareFolder(options, location);
	const path = join(directory, `${options.kind ?? 'tool-output'}-${randomUUID()}.txt`);
	try {
		const handle = await open(path, newFileFlags, 0o600);
		await writeAll(handle, source, path);
	} catch (error) {
		throw toStorageFailure(path, error);
	}
	return path;
}

/**
 * Removes outputs from the state folder's `outputs/` that are expired or, from the oldest on, exceed the total size.
 *
 * Never removes files with other names, or outputs saved elsewhere. Returns the number of removed files.
 */
export async function cleanSavedOutputs(options: OutputOptions, now: number): Promise<number> {
	const { maxAgeMs = 7 * dayMs, maxTotalBytes = 2 ** 30 } = options;
	const files = await listNewestFiles(
		join(options.stateFolder, 'outputs'),
		(name) => name.match(savedOutputPattern)?.[0] === name,
	);
	let totalBytes = 0;
	let removedCount = 0;
	for (const file of files) {
		totalBytes += file.size;
		if (now - file.modifiedAt <= maxAgeMs && totalBytes <= maxTotalBytes) continue;
		await ifExists(unlink(file.path));
		removedCount += 1;
	}
	return removedCount;
}

async function prepareFolder(options: OutputOptions, location: SaveLocation | undefined): Promise<string> {
	if (location === undefined) return createFolder(join(options.stateFolder, 'outputs'));
	const allowed = [...location.workspaceFolders, options.stateFolder];
	await refuseJournals(await resolveInside(location.directory, allowed), options, location);
	const directory = await createFolder(await resolveInside(location.directory, allowed));
	await refuseJournals(await resolveInside(directory, allowed), options, location);
	return directory;
}

/** Throws if an output would be saved among the journals: it could be mistaken for a journal, and would never be removed. */
async function refuseJournals(
	directory: string,
	{ stateFolder }: OutputOptions,
	location: SaveLocation,
): Promise<void> {
	const journalsFolder = await resolveInside(getSessionsFolder(stateFolder), [stateFolder]);
	if (!isInside(directory, [journalsFolder])) return;
	throw new Failure(
		'InvalidParams',
		`saveDir: expected a folder other than that of the journals, got ${JSON.stringify(location.directory)}`,
		{ path: directory },
	);
}

async function createFolder(path: string): Promise<string> {
	try {
		await mkdir(path, { recursive: true, mode: 0o700 });
		return await realpath(path);
	} catch (error) {
		throw toStorageFailure(path, error);
	}
}

async function writeAll(handle: FileHandle, source: OutputSource, path: string): Promise<void> {
	try {
		for await (const piece of typeof source === 'string' ? splitText(source, pieceUnits) : source) {
			await handle.writeFile(piece);
		}
		await handle.close();
	} catch (error) {
		await handle.close();
		await unlink(path);
		throw error;
	}
}

function toStorageFailure(path: string, error: unknown): Failure {
	const reason = errorText(error);
	return new Failure('StorageFailed', `Could not save the output at ${path}: ${reason}`, { path }, error);
}
