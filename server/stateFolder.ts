/** Where this daemon keeps what outlives it. */

import { resolve } from 'node:path';
import { stateDirectory } from './node/stateDirectory.ts';
import type { SettingsLayers } from './rpc/settings.ts';
import type { FloorsOptions } from './wiring.ts';

/** Where sessions are kept: decided at first use, when the client has said what it sets, and then for good. */
export function stateFolderOf(
	{ environment, platform, home }: Pick<FloorsOptions, 'environment' | 'platform' | 'home'>,
	layers: SettingsLayers,
): () => string {
	let folder: string | undefined;
	return () => {
		const chosen = layers.current().storage.directory;
		folder ??= chosen === '' ? stateDirectory(environment, platform, home) : resolve(chosen);
		return folder;
	};
}
