/** The file of `--settings-from`: all settings of a daemon that ignores its environment. */

import { isFields, tryParseJson } from '../../core/shape.ts';
import { FileRefused, readOwnText } from './ownText.ts';

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
 * for others than the user's own group.
 */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
	const refuse = (why: string): never => {
		throw new SettingsFileRefused(`--settings-from ${path}: ${why}`);
	};
	const text = await readOwnText(path).catch((error) => {
		if (error instanceof FileRefused) return refuse(error.message);
		throw error;
	});
	const value: unknown = tryParseJson(text)?.value;
	return { path, value: isFields(value) ? value : refuse('is not a JSON object') };
}
