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

/** Where everything is kept that outlives a daemon. */
export interface StoragePlace {
	stateFolder: string;
	/** Whether sessions are stored there. */
	isStored: boolean;
}

/** Returns where sessions are stored. Ignores values of a wrong type, as the settings do. */
export function storagePlace(sources: StorageSources): StoragePlace {
	const { environment, platform, home, flags, fixed, initializationOptions } = sources;
	const layers = fixed === undefined ? [flags, initializationOptions] : [fixed];
	let isStored = fixed !== undefined || !switchedOff.test(environment.CONTEXTD_MEMORY_ENABLED ?? '');
	let directory = '';
	for (const layer of layers) {
		const { enabled, directory: chosen } = storageOf(layer);
		if (typeof enabled === 'boolean') isStored = enabled;
		if (typeof chosen === 'string') directory = chosen;
	}
	const stateFolder =
		directory === ''
			? stateDirectory(fixed === undefined ? environment : {}, platform, home)
			: resolve(directory);
	return { stateFolder, isStored };
}
