/** The settings that the user consented to, in a file that only `recorder/set` writes. */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../core/failure.ts';
import { countOrZero, tryParseJson } from '../core/shape.ts';
import { asFields, asList } from '../core/transcript/reading/values.ts';
import type { RecorderSettings } from '../protocol/recorder.ts';

/** The settings, and where agents keep their files. */
export interface StoredRecorderSettings extends RecorderSettings {
	/** Variables with folders of agents, from the client that started the recorder. */
	environment: Record<string, string>;
}

const defaults: StoredRecorderSettings = {
	recording: false,
	maxBytes: 5 * 2 ** 30,
	maxDays: 365,
	excludedFolders: [],
	environment: {},
};

/** The folder of the recorder in a state folder. */
export function recorderFolder(stateFolder: string): string {
	return join(stateFolder, 'recorder');
}

/** The settings in the recorder's folder; nothing is recorded if there are none, or if they are damaged. */
export function readRecorderSettings(folder: string): StoredRecorderSettings {
	const { recording, maxBytes, maxDays, excludedFolders, environment } = asFields(
		tryParseJson(textOfSettings(folder))?.value,
	);
	const isText = (value: unknown): value is string => typeof value === 'string';
	return {
		recording: recording === true,
		maxBytes: countOrZero(maxBytes) || defaults.maxBytes,
		maxDays: countOrZero(maxDays) || defaults.maxDays,
		excludedFolders: asList(excludedFolders).filter(isText),
		environment: Object.fromEntries(
			Object.entries(asFields(environment)).flatMap(([name, value]) =>
				isText(value) ? [[name, value]] : [],
			),
		),
	};
}

/** Replaces the settings, completely or not at all. */
export function writeRecorderSettings(folder: string, settings: StoredRecorderSettings): void {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const path = join(folder, 'settings.json');
	writeFileSync(`${path}.new`, `${JSON.stringify(settings, null, '\t')}\n`, { mode: 0o600, flush: true });
	renameSync(`${path}.new`, path);
}

function textOfSettings(folder: string): string {
	try {
		return readFileSync(join(folder, 'settings.json'), 'utf8');
	} catch (error) {
		if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return '';
		throw error;
	}
}
