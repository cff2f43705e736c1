/** The file of `--settings-from`: all settings of a daemon that ignores its environment. */

import { open } from 'node:fs/promises';
import { isFields, parsedJson } from '../core/shape.ts';
import { readOnly } from './transcript/openFile.ts';

/** The settings of a file. */
export interface SettingsFile {
	path: string;
	/** Has the structure of the settings. */
	value: Record<string, unknown>;
}

/** The file is refused; the message is for the user who started the daemon. */
export class SettingsFileRefused extends Error {}

/**
 * Reads a settings file.
 *
 * Rejects with `SettingsFileRefused` if it cannot be read, is not a JSON object, belongs to another user, or is writable
 * for others.
 */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
	const refuse = (why: string): never => {
		throw new SettingsFileRefused(`--settings-from ${path}: ${why}`);
	};
	const handle = await open(path, readOnly).catch((error) =>
		refuse(String(error instanceof Error ? error.message : error)),
	);
	try {
		const found = await handle.stat();
		if (!found.isFile()) refuse('is not a file');
		if (process.platform !== 'win32') {
			if (![0, process.getuid?.()].includes(found.uid)) refuse('belongs to another user');
			if ((found.mode & 0o022) !== 0) refuse('is writable for other users');
		}
		const text = await handle.readFile('utf8');
		const value: unknown = parsedJson(text)?.value;
		return { path, value: isFields(value) ? value : refuse('is not a JSON object') };
	} finally {
		await handle.close();
	}
}
