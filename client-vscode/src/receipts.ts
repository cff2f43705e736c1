/** What the compactions since the window was opened told of themselves. */

import type * as vscode from 'vscode';
import type { CompactionNews, Daemon } from './daemon.ts';

/** Receipts that are kept; the oldest goes first. */
const mostReceipts = 50;

export interface Receipts extends vscode.Disposable {
	/** By the ids of compactions. */
	readonly known: ReadonlyMap<string, CompactionNews['result']>;
}

/** Keeps the receipts that come by. */
export function keepReceipts(daemon: Daemon): Receipts {
	const known = new Map<string, CompactionNews['result']>();
	const watching = daemon.onDidCompact(({ result }) => {
		if (result.compactionId === undefined) return;
		known.set(result.compactionId, result);
		const [oldest] = known.keys();
		if (known.size > mostReceipts && oldest !== undefined) known.delete(oldest);
	});
	return { known, dispose: () => watching.dispose() };
}
