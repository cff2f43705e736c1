/** Determines the state folder of a client. */

import { type ClientPlace, stateFolderFor } from '../node/stateFolder.ts';
import type { SettingsLayers } from '../rpc/settings.ts';

/** Returns the state folder: fixed at first use, after the client has sent its settings. */
export function stateFolderOf(place: ClientPlace, layers: SettingsLayers): () => string {
	let folder: string | undefined;
	return () => {
		folder ??= stateFolderFor(place, layers.current().storage.directory);
		return folder;
	};
}
