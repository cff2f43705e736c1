/** Where this daemon keeps what outlives it. */

import { type ClientPlace, stateFolderFor } from './node/stateDirectory.ts';
import type { SettingsLayers } from './rpc/settings.ts';

/** Where sessions are kept: decided at first use, when the client has said what it sets, and then for good. */
export function stateFolderOf(place: ClientPlace, layers: SettingsLayers): () => string {
	let folder: string | undefined;
	return () => {
		folder ??= stateFolderFor(place, layers.current().storage.directory);
		return folder;
	};
}
