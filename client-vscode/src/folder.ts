/** The folder that the person works in. */

import * as vscode from 'vscode';

/** The workspace folder of the active editor, else the first one; undefined without any. */
export function activeFolder(): vscode.WorkspaceFolder | undefined {
	const document = vscode.window.activeTextEditor?.document;
	const own = document && vscode.workspace.getWorkspaceFolder(document.uri);
	return own ?? vscode.workspace.workspaceFolders?.[0];
}

/** The folder as sessions name it; undefined where it is not on the daemon's disk. */
export function workspaceOf(folder: vscode.WorkspaceFolder | undefined): string | undefined {
	return folder?.uri.scheme === 'file' ? folder.uri.toString() : undefined;
}
