/** What is asked of the daemon, and what it tells unasked. */

import type * as vscode from 'vscode';
import type {
	DidChangeFileParams,
	DidChangeParams,
	DidCompactParams,
} from '../../../server/protocol/push.ts';

export type DaemonState = { kind: 'starting' } | { kind: 'running' } | { kind: 'stopped'; reason: string };

export interface Ask {
	token?: vscode.CancellationToken;
	/** Hears what the daemon says of its progress. */
	onProgress?: (message: string) => void;
}

/** What the connection tells of itself and passes on. */
export interface DaemonEvents {
	state: vscode.EventEmitter<DaemonState>;
	didChange: vscode.EventEmitter<DidChangeParams>;
	didCompact: vscode.EventEmitter<DidCompactParams>;
	didChangeFile: vscode.EventEmitter<DidChangeFileParams>;
}
