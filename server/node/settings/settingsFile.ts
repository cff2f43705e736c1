/** Reads settings files that nobody but the user or root can have written. */

import { type FileHandle, open } from 'node:fs/promises';
import { errorText } from '../../core/failure.ts';
import { isFields, tryParseJson } from '../../core/shape.ts';
import { readBytes } from '../disk/readBytes.ts';
import { readOnlyFlags } from '../transcript/openFile.ts';

/** Maximum size of a settings file. Limited, because a project's file may come from anybody and every client reads it. */
const maxSettingsBytes = 64 * 1024;

/** Thrown if a file cannot be used. The message says why, without the path. */
export class FileRefusedError extends Error {}

/**
 * Returns the text of a file.
 *
 * Rejects with `FileRefusedError` if the file cannot be read, is not a regular file, is larger than 64 KB, belongs to another user, or
 * can be written by users outside the user's own group. The `cause` of the error is the system's error, if there is one.
 */
export async function readOwnText(path: string): Promise<string> {
	let handle: FileHandle | undefined;
	try {
		handle = await open(path, readOnlyFlags);
		const stats = await handle.stat();
		const { uid, gid, mode } = stats;
		if (!stats.isFile()) throw new FileRefusedError('is not a file');
		if (process.platform !== 'win32') {
			if (![0, process.getuid?.()].includes(uid)) throw new FileRefusedError('belongs to another user');
			// Many systems give each user a group with the user's id, and make new files writable for this group.
			const writers = gid === uid ? 0o002 : 0o022;
			if ((mode & writers) !== 0) throw new FileRefusedError('is writable for other users');
		}
		// Not the file's stated size, which is 0 for special files of the system.
		const bytes = await readBytes(handle, 0, maxSettingsBytes + 1);
		if (bytes.length > maxSettingsBytes) throw new FileRefusedError('is larger than 64 KB');
		return bytes.toString('utf8');
	} catch (error) {
		if (error instanceof FileRefusedError) throw error;
		throw new FileRefusedError(`cannot be read: ${errorText(error)}`, { cause: error });
	} finally {
		await handle?.close();
	}
}

/** The file of `--settings-from`, which replaces a client's environment and settings files. */
export interface SettingsFile {
	path: string;
	/** The content, which should have the structure of the settings but is not checked. */
	value: Record<string, unknown>;
}

/** Thrown if the file is refused. The message is for the user who started the daemon. */
export class SettingsFileRefusedError extends Error {}

/**
 * Reads a settings file.
 *
 * Rejects with `SettingsFileRefusedError` if the file cannot be read, is not a JSON object, belongs to another user, or can be
 * written by users outside the user's own group.
 */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
	const refuse = (reason: string): never => {
		throw new SettingsFileRefusedError(`--settings-from ${path}: ${reason}`);
	};
	const text = await readOwnText(path).catch((error) => {
		if (error instanceof FileRefusedError) return refuse(error.message);
		throw error;
	});
	const value: unknown = tryParseJson(text)?.value;
	return { path, value: isFields(value) ? value : refuse('is not a JSON object') };
}
