/** The folder that the person works in. */

import * as vscode from 'vscode';

/** The folder that an editor was last active in. */
let last: vscode.WorkspaceFolder | undefined;

/**
 * The workspace folder of the active editor. Where that shows something of no folder (a comparison, a new file, nothing
 * at all) it is the folder of the editor before, else the first one; undefined without any.
 */
export function activeFolder(): vscode.WorkspaceFolder | undefined {
	const document = vscode.window.activeTextEditor?.document;
	const own = document && vscode.workspace.getWorkspaceFolder(document.uri);
	if (own) last = own;
	const folders = vscode.workspace.workspaceFolders ?? [];
	return own ?? folders.find(({ uri }) => uri.toString() === last?.uri.toString()) ?? folders[0];
}

/** The folder as sessions name it; undefined where it is not on the daemon's disk. */
export function workspaceOf(folder: vscode.WorkspaceFolder | undefined): string | undefined {
	return folder?.uri.scheme === 'file' ? folder.uri.toString() : undefined;
}
