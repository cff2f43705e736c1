/** What is asked of the daemon, and what it tells unasked. */

import type * as vscode from 'vscode';
import type { CompactResult } from '../../server/protocol/compact.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';

export type DaemonState = { kind: 'starting' } | { kind: 'running' } | { kind: 'stopped'; reason: string };

export interface CompactionNews {
	sessionId: string;
	result: Omit<CompactResult, 'messages'>;
}

export interface FileNews {
	uri: string;
	change: 'changed' | 'deleted' | 'created';
	sessionIds: string[];
}

export interface Ask {
	token?: vscode.CancellationToken;
	/** Hears what the daemon says of its progress. */
	onProgress?: (message: string) => void;
}

/** What the connection tells of itself and passes on. */
export interface DaemonEvents {
	state: vscode.EventEmitter<DaemonState>;
	didChange: vscode.EventEmitter<{ sessionId: string; stats: ContextStats | null }>;
	didCompact: vscode.EventEmitter<CompactionNews>;
	didChangeFile: vscode.EventEmitter<FileNews>;
}
