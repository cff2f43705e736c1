/** The folder that the user works in. */

import * as vscode from 'vscode';

/** The folder of the last active editor. */
let last: vscode.WorkspaceFolder | undefined;

/**
 * Returns the workspace folder of the active editor. If the editor belongs to no folder (a comparison, a new file),
 * returns the folder of the previous editor, otherwise the first one; undefined if there is none.
 */
export function activeFolder(): vscode.WorkspaceFolder | undefined {
	const document = vscode.window.activeTextEditor?.document;
	const own = document && vscode.workspace.getWorkspaceFolder(document.uri);
	if (own) last = own;
	const folders = vscode.workspace.workspaceFolders ?? [];
	return own ?? folders.find(({ uri }) => uri.toString() === last?.uri.toString()) ?? folders[0];
}

/** Returns the folder as sessions name it; undefined if it is not on the daemon's disk. */
export function workspaceOf(folder: vscode.WorkspaceFolder | undefined): string | undefined {
	return folder?.uri.scheme === 'file' ? folder.uri.toString() : undefined;
}
