/** Finds the workspace folder that the user works in. */

import * as vscode from 'vscode';

/** The folder of the last active editor. */
let lastActiveFolder: vscode.WorkspaceFolder | undefined;

/**
 * Returns the workspace folder of the active editor. If the editor belongs to no folder (a diff, a new file), returns
 * the folder of the previous editor, or else the first folder; undefined if the window has no folder.
 */
export function findActiveFolder(): vscode.WorkspaceFolder | undefined {
	const document = vscode.window.activeTextEditor?.document;
	const folder = document && vscode.workspace.getWorkspaceFolder(document.uri);
	if (folder) lastActiveFolder = folder;
	const folders = vscode.workspace.workspaceFolders ?? [];
	return (
		folder ?? folders.find(({ uri }) => uri.toString() === lastActiveFolder?.uri.toString()) ?? folders[0]
	);
}

/** Returns the URI of a folder, as sessions store it; undefined if the folder is not on the daemon's disk. */
export function getWorkspaceUri(folder: vscode.WorkspaceFolder | undefined): string | undefined {
	return folder?.uri.scheme === 'file' ? folder.uri.toString() : undefined;
}
