/** The folders that the client has opened. */

import type { WorkspaceFolder } from 'vscode-languageserver-protocol';
import * as z from 'zod/mini';
import { createLocationKey } from '../core/files/folder.ts';
import { didChangeWorkspaceFolders } from '../protocol/lsp.ts';
import { onNotification } from './call/define.ts';
import { objectSchema } from './call/object.ts';
import type { CheckedInitializeParams } from './initializeParams.ts';

/** The folders of one client. */
export type Workspace = ReturnType<typeof createWorkspace>;

const folderSchema = objectSchema({ uri: z.string(), name: z._default(z.string(), '') });

const changeParams = objectSchema({
	event: objectSchema({ added: z.array(folderSchema), removed: z.array(folderSchema) }),
});

/** Returns the client's workspace. `onChange` is called when the client has opened or closed folders. */
export function createWorkspace(onChange: () => void) {
	let folders: WorkspaceFolder[] = [];
	return {
		listFolders: (): readonly WorkspaceFolder[] => folders,
		initialize({ workspaceFolders, rootUri, rootPath }: CheckedInitializeParams): void {
			const root = rootUri ?? rootPath;
			folders = workspaceFolders ?? (root ? [{ uri: root, name: root }] : []);
		},
		/** Handler of `workspace/didChangeWorkspaceFolders`. */
		changeMethod: onNotification(didChangeWorkspaceFolders, changeParams, ({ event }) => {
			const removedKeys = new Set(event.removed.map(({ uri }) => createLocationKey(uri)));
			folders = [...folders.filter(({ uri }) => !removedKeys.has(createLocationKey(uri))), ...event.added];
			onChange();
		}),
	};
}
