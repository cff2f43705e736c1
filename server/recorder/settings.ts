/** The recorder's settings, including the user's consent, in a file that only `recorder/set` writes. */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../core/failure.ts';
import { countOrZero, tryParseJson } from '../core/shape.ts';
import { asFields, asList } from '../core/values.ts';
import type { RecorderSettings } from '../protocol/recorder.ts';

/** The recorder's settings, and the variables that say where agents keep their files. */
export interface StoredRecorderSettings extends RecorderSettings {
	/** Environment variables with folders of agents, from the client that turned recording on. */
	environment: Record<string, string>;
}

const defaultRecorderSettings: StoredRecorderSettings = {
	recording: false,
	maxBytes: 5 * 2 ** 30,
	maxDays: 365,
	excludedFolders: [],
	environment: {},
};

/** Returns the recorder's folder in a state folder. */
export function getRecorderFolder(stateFolder: string): string {
	return join(stateFolder, 'recorder');
}

/** Reads the settings in the recorder's folder. Missing or damaged settings turn recording off. */
export function readRecorderSettings(folder: string): StoredRecorderSettings {
	const { recording, maxBytes, maxDays, excludedFolders, environment } = asFields(
		tryParseJson(readSettingsText(folder))?.value,
	);
	const isText = (value: unknown): value is string => typeof value === 'string';
	return {
		recording: recording === true,
		maxBytes: countOrZero(maxBytes) || defaultRecorderSettings.maxBytes,
		maxDays: countOrZero(maxDays) || defaultRecorderSettings.maxDays,
		excludedFolders: asList(excludedFolders).filter(isText),
		environment: Object.fromEntries(
			Object.entries(asFields(environment)).flatMap(([name, value]) =>
				isText(value) ? [[name, value]] : [],
			),
		),
	};
}

/** Replaces the settings in the recorder's folder atomically. */
export function writeRecorderSettings(folder: string, settings: StoredRecorderSettings): void {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const path = join(folder, 'settings.json');
	writeFileSync(`${path}.new`, `${JSON.stringify(settings, null, '\t')}\n`, { mode: 0o600, flush: true });
	renameSync(`${path}.new`, path);
}

function readSettingsText(folder: string): string {
	try {
		return readFileSync(join(folder, 'settings.json'), 'utf8');
	} catch (error) {
		if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return '';
		throw error;
	}
}
