/** The folders that the client has open. */

import type { InitializeParams, WorkspaceFolder } from 'vscode-languageserver-protocol';
import * as z from 'zod';
import type { NotificationMethod } from './call/method.ts';

export interface Workspace {
	folders(): readonly WorkspaceFolder[];
	initialize(params: InitializeParams): void;
	/** `initialized` and `workspace/didChangeWorkspaceFolders`. */
	notifications: NotificationMethod[];
}

const folder = z.object({ uri: z.string(), name: z.string().optional() });

const change = z.object({ event: z.object({ added: z.array(folder), removed: z.array(folder) }) });

/** `changed` is called when the client has opened or closed folders. */
export function createWorkspace(changed: () => void = () => {}): Workspace {
	let folders: WorkspaceFolder[] = [];
	return {
		folders: () => folders,
		initialize({ workspaceFolders, rootUri }) {
			folders = workspaceFolders ?? (rootUri ? [{ uri: rootUri, name: rootUri }] : []);
		},
		notifications: [
			{ method: 'initialized', params: z.unknown(), handle: () => {} },
			{
				method: 'workspace/didChangeWorkspaceFolders',
				params: change,
				handle({ event }: { event: { added: WorkspaceFolder[]; removed: WorkspaceFolder[] } }) {
					const gone = new Set(event.removed.map(({ uri }) => uri));
					folders = [...folders.filter(({ uri }) => !gone.has(uri)), ...event.added];
					changed();
				},
			},
		],
	};
}
