/** Reads the file of `--settings-from`, which replaces a client's environment and settings files. */

import { isFields, tryParseJson } from '../../core/shape.ts';
import { FileRefused, readOwnText } from './ownText.ts';

/** A settings file with its parsed content. */
export interface SettingsFile {
	path: string;
	/** The content, which should have the structure of the settings but is not checked. */
	value: Record<string, unknown>;
}

/** Thrown if the file is refused. The message is for the user who started the daemon. */
export class SettingsFileRefused extends Error {}

/**
 * Reads a settings file.
 *
 * Rejects with `SettingsFileRefused` if the file cannot be read, is not a JSON object, belongs to another user, or can be
 * written by users outside the user's own group.
 */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
	const refuse = (reason: string): never => {
		throw new SettingsFileRefused(`--settings-from ${path}: ${reason}`);
	};
	const text = await readOwnText(path).catch((error) => {
		if (error instanceof FileRefused) return refuse(error.message);
		throw error;
	});
	const value: unknown = tryParseJson(text)?.value;
	return { path, value: isFields(value) ? value : refuse('is not a JSON object') };
}
