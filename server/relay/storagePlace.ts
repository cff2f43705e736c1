/** Where a client's sessions are stored, as far as that is known before the settings are checked. */

import { resolve } from 'node:path';
import { type Fields, isFields } from '../core/shape.ts';
import { stateDirectory } from '../node/stateDirectory.ts';

/** What decides about it. */
export interface StorageSources {
	environment: Readonly<Record<string, string | undefined>>;
	platform: NodeJS.Platform;
	home: string;
	/** Of the flags, in the shape of the settings. */
	flags: Fields;
	/** Of the file of `--settings-from`; it replaces the environment, the flags and the client's settings. */
	fixed?: Fields;
	/** `initializationOptions`. */
	initializationOptions: unknown;
}

const switchedOff = /^(?:false|0|no|off)$/i;

function storageOf(settings: unknown): Fields {
	return isFields(settings) && isFields(settings.storage) ? settings.storage : {};
}

/** Returns the state folder; undefined if nothing is stored. Ignores values of a wrong type, as the settings do. */
export function storagePlace(sources: StorageSources): string | undefined {
	const { environment, platform, home, flags, fixed, initializationOptions } = sources;
	const layers = fixed === undefined ? [flags, initializationOptions] : [fixed];
	let isEnabled = fixed !== undefined || !switchedOff.test(environment.CONTEXTD_MEMORY_ENABLED ?? '');
	let directory = '';
	for (const layer of layers) {
		const { enabled, directory: chosen } = storageOf(layer);
		if (typeof enabled === 'boolean') isEnabled = enabled;
		if (typeof chosen === 'string') directory = chosen;
	}
	if (!isEnabled) return undefined;
	return directory === ''
		? stateDirectory(fixed === undefined ? environment : {}, platform, home)
		: resolve(directory);
}
