/** The file of `--settings-from`: all settings of a daemon that is to take nothing from its environment. */

import { open } from 'node:fs/promises';
import { isFields, parsedJson } from './core/shape.ts';
import { readOnly } from './node/transcript/openFile.ts';

/** Settings as they stand in a file. */
export interface SettingsFile {
	path: string;
	/** In the shape of the settings. */
	value: Record<string, unknown>;
}

/** What is wrong with such a file, in words for whoever started the daemon. */
export class SettingsFileRefused extends Error {}

/**
 * Reads such a file. Rejects with `SettingsFileRefused` where it cannot be read, is no JSON object, belongs to another
 * user, or may be written by others.
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
		if (!found.isFile()) refuse('is no file');
		if (process.platform !== 'win32') {
			if (![0, process.getuid?.()].includes(found.uid)) refuse('belongs to another user');
			if ((found.mode & 0o022) !== 0) refuse('may be written by other users');
		}
		const text = await handle.readFile('utf8');
		const value: unknown = parsedJson(text)?.value;
		return { path, value: isFields(value) ? value : refuse('holds no JSON object') };
	} finally {
		await handle.close();
	}
}
