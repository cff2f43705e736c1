/** Where this daemon keeps what outlives it. */

import { resolve } from 'node:path';
import { stateDirectory } from './node/stateDirectory.ts';
import type { SettingsLayers } from './rpc/settings.ts';

/** What the state folder of a client depends on, next to its settings. */
interface ClientPlace {
	environment: Readonly<Record<string, string | undefined>>;
	platform: NodeJS.Platform;
	home: string;
	/** Where relative paths begin; by default in the working folder of this process. */
	cwd?: string;
}

/** Where sessions are kept: decided at first use, when the client has said what it sets, and then for good. */
export function stateFolderOf(
	{ environment, platform, home, cwd = '' }: ClientPlace,
	layers: SettingsLayers,
): () => string {
	let folder: string | undefined;
	return () => {
		const chosen = layers.current().storage.directory;
		folder ??= chosen === '' ? stateDirectory(environment, platform, home) : resolve(cwd, chosen);
		return folder;
	};
}
