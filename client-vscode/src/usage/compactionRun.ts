/** Runs compactions, so that the meter shows them and the user can cancel them. */

import * as vscode from 'vscode';
import type { DaemonRequestOptions } from '../daemon/client.ts';
import { t } from '../text/language.ts';
import type { UsageStore } from './usageStore.ts';

/** Milliseconds after which a running compaction gets a notification with a button to cancel it. */
const notificationDelayMs = 700;

export interface CompactionRuns {
	/** Runs a compaction, with its progress in the meter. Rejects with its error, or with code -32800 if cancelled. */
	run<Result>(sessionId: string, task: (options: DaemonRequestOptions) => Promise<Result>): Promise<Result>;
	/** Runs a compaction with its progress in the meter, and also in a notification if it takes a while. */
	runWithNotification<Result>(
		sessionId: string,
		task: (options: DaemonRequestOptions) => Promise<Result>,
	): Promise<Result>;
	/** Returns whether this window is compacting a session. */
	isRunning(sessionId: string): boolean;
	/** Returns whether this window made a compaction. */
	hasMade(compactionId: string | undefined): boolean;
	/** Cancels the running compactions. */
	cancel(): void;
}

/** Returns the runner of compactions for this window. */
export function createCompactionRuns(store: UsageStore): CompactionRuns {
	/** Session ids of the running compactions, by the source that cancels the compaction. */
	const runningSessions = new Map<vscode.CancellationTokenSource, string>();

	/** Ids of compactions that this window made. */
	const ownCompactions = new Set<string>();

	async function run<Result>(
		sessionId: string,
		task: (options: DaemonRequestOptions) => Promise<Result>,
		onStep: (step: string) => void = () => {},
	): Promise<Result> {
		const source = new vscode.CancellationTokenSource();
		runningSessions.set(source, sessionId);
		store.dispatch({ type: 'compactionBegan', sessionId });
		try {
			const result = await task({
				token: source.token,
				onProgress(step) {
					store.dispatch({ type: 'compactionStep', sessionId, step });
					onStep(step);
				},
			});
			const { compactionId } = (result ?? {}) as { compactionId?: string };
			if (compactionId !== undefined) ownCompactions.add(compactionId);
			return result;
		} finally {
			runningSessions.delete(source);
			source.dispose();
			store.dispatch({ type: 'compactionEnded', sessionId });
		}
	}

	function cancel(): void {
		for (const source of runningSessions.keys()) source.cancel();
	}

	return {
		run,
		cancel,
		hasMade: (compactionId) => compactionId !== undefined && ownCompactions.has(compactionId),
		isRunning: (sessionId) => [...runningSessions.values()].includes(sessionId),
		async runWithNotification(sessionId, task) {
			let report = (_step: string): void => {};
			const result = run(sessionId, task, (step) => report(step));
			const finished = result.then(
				() => undefined,
				() => undefined,
			);
			const timer = setTimeout(() => {
				const options = {
					location: vscode.ProgressLocation.Notification,
					title: t('Compacting the context'),
					cancellable: true,
				};
				void vscode.window.withProgress(options, (progress, token) => {
					report = (message) => progress.report({ message });
					token.onCancellationRequested(cancel);
					return finished;
				});
			}, notificationDelayMs);
			try {
				return await result;
			} finally {
				clearTimeout(timer);
			}
		},
	};
}
