/** Finds where a client's sessions are stored, before the client's settings are validated. */

import { createEnvironmentLayer } from '../core/settings/environment.ts';
import { unwrapSettings } from '../core/settings/settingsKey.ts';
import { asFields } from '../core/values.ts';
import { readUserSettings } from '../node/settings/findSettings.ts';
import { type ClientMachine, chooseStateFolder } from '../node/stateFolder.ts';

/** The location of all data that outlives a daemon. */
export interface StorageLocation {
	stateFolder: string;
	/** Whether sessions are stored on disk at all. */
	isOnDisk: boolean;
}

/** Returns the state folder of a user's terminal commands. */
export async function findUserStateFolder(machine: ClientMachine): Promise<string> {
	const file = await readUserSettings(machine);
	const layers = [unwrapSettings(file?.value), createEnvironmentLayer(machine.environment)];
	return findStorageLocation(machine, layers).stateFolder;
}

/**
 * Returns where sessions are stored. Ignores values of a wrong type, as the settings do.
 * @param layers the layers of settings; later ones override earlier ones
 */
export function findStorageLocation(machine: ClientMachine, layers: readonly unknown[]): StorageLocation {
	let isOnDisk = true;
	let directory = '';
	for (const layer of layers) {
		const { enabled, directory: configuredFolder } = asFields(asFields(layer).storage);
		if (typeof enabled === 'boolean') isOnDisk = enabled;
		if (typeof configuredFolder === 'string') directory = configuredFolder;
	}
	return { stateFolder: chooseStateFolder(machine, directory), isOnDisk };
}
