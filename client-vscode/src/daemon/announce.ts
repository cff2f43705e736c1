/** What the extension tells the daemon of itself when they first meet. */

import type { StaticFeature } from 'vscode-languageclient/node';

/**
 * Announces that pushed figures are wanted and, where the editor has language models, that it can summarize.
 * Folders that are not on this machine's disk are left out: the daemon could not read them.
 */
export function announceFeature(summarize: boolean): StaticFeature {
	return {
		fillClientCapabilities(capabilities) {
			capabilities.experimental = {
				...(capabilities.experimental as object | undefined),
				contextd: { notifications: true, summarize },
			};
		},
		fillInitializeParams(params) {
			params.workspaceFolders =
				params.workspaceFolders?.filter(({ uri }) => uri.startsWith('file:')) ?? params.workspaceFolders;
		},
		initialize() {},
		getState: () => ({ kind: 'static' }),
		clear() {},
	};
}
