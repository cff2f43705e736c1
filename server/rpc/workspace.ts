/** The folders that the client has opened. */

import type { WorkspaceFolder } from 'vscode-languageserver-protocol';
import * as z from 'zod/mini';
import { createLocationKey } from '../core/files/folder.ts';
import { didChangeWorkspaceFolders } from '../protocol/lsp.ts';
import { type NotificationMethod, onNotification } from './call/define.ts';
import { objectSchema } from './call/object.ts';
import type { CheckedInitializeParams } from './initializeParams.ts';

export interface Workspace {
	listFolders(): readonly WorkspaceFolder[];
	initialize(params: CheckedInitializeParams): void;
	/** Handler of `workspace/didChangeWorkspaceFolders`. */
	notifications: NotificationMethod[];
}

const folderSchema = objectSchema({ uri: z.string(), name: z._default(z.string(), '') });

const changeParams = objectSchema({
	event: objectSchema({ added: z.array(folderSchema), removed: z.array(folderSchema) }),
});

/** Returns the client's workspace. `changed` is called when the client has opened or closed folders. */
export function createWorkspace(changed: () => void = () => {}): Workspace {
	let folders: WorkspaceFolder[] = [];
	return {
		listFolders: () => folders,
		initialize({ workspaceFolders, rootUri, rootPath }) {
			const root = rootUri ?? rootPath;
			folders = workspaceFolders ?? (root ? [{ uri: root, name: root }] : []);
		},
		notifications: [
			onNotification(didChangeWorkspaceFolders, changeParams, ({ event }) => {
				const removedKeys = new Set(event.removed.map(({ uri }) => createLocationKey(uri)));
				folders = [...folders.filter(({ uri }) => !removedKeys.has(createLocationKey(uri))), ...event.added];
				changed();
			}),
		],
	};
}
