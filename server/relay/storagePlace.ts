/** Where a client's sessions are stored, determined before its settings are validated. */

import { environmentLayer } from '../core/settings/environment.ts';
import { withoutKey } from '../core/settings/settingsKey.ts';
import { type Fields, isFields } from '../core/shape.ts';
import { readUserSettings } from '../node/settings/findSettings.ts';
import { type ClientPlace, stateFolderFor } from '../node/stateFolder.ts';

/** What the location depends on. */
export interface StorageSources extends ClientPlace {
	/** The layers of settings; later ones override earlier ones. */
	layers: readonly unknown[];
}

/** The location of all data that outlives a daemon. */
export interface StoragePlace {
	stateFolder: string;
	/** Whether sessions are stored there. */
	isStored: boolean;
}

function storageOf(settings: unknown): Fields {
	return isFields(settings) && isFields(settings.storage) ? settings.storage : {};
}

/** Returns the state folder of a user's terminal commands. */
export async function userStateFolder(place: ClientPlace): Promise<string> {
	const file = await readUserSettings(place);
	const layers = [withoutKey(file?.value), environmentLayer(place.environment)];
	return storagePlace({ ...place, layers }).stateFolder;
}

/** Returns where sessions are stored. Ignores values of a wrong type, as the settings do. */
export function storagePlace({ layers, ...place }: StorageSources): StoragePlace {
	let isStored = true;
	let directory = '';
	for (const layer of layers) {
		const { enabled, directory: chosen } = storageOf(layer);
		if (typeof enabled === 'boolean') isStored = enabled;
		if (typeof chosen === 'string') directory = chosen;
	}
	return { stateFolder: stateFolderFor(place, directory), isStored };
}
