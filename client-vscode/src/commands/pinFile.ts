import * as vscode from 'vscode';
import { contextPin } from '../../../server/protocol/history.ts';
import type { Parts } from './parts.ts';
import { shownSession } from './parts.ts';

/** Pins the newest read of a file: the given one, else that of the active editor. */
export async function pinFile(parts: Parts, target?: unknown): Promise<void> {
	const { sessionId } = shownSession(parts);
	const uri = target instanceof vscode.Uri ? target : vscode.window.activeTextEditor?.document.uri;
	if (uri?.scheme !== 'file') throw new Error('Open the file first, or pick it in the explorer.');
	await parts.daemon.request(contextPin, { sessionId, uris: [uri.toString()], pinned: true });
	const name = vscode.workspace.asRelativePath(uri);
	vscode.window.setStatusBarMessage(`$(pin) The newest read of ${name} stays in the context.`, 5000);
}
