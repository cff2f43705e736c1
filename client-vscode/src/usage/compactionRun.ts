/** Runs compactions, so that the meter shows them and the user can cancel them. */

import * as vscode from 'vscode';
import type { DaemonRequestOptions } from '../daemon/client.ts';
import { t } from '../text/language.ts';
import type { UsageStore } from './usageStore.ts';

/** Milliseconds after which a running compaction gets a notification with a button to cancel it. */
const notificationDelayMs = 700;

type CompactionTask<Result> = (options: DaemonRequestOptions) => Promise<Result>;

/** The compactions of this window. */
export class CompactionRuns {
	readonly #store: UsageStore;
	/** Session ids of the running compactions, by the source that cancels the compaction. */
	readonly #runningSessions = new Map<vscode.CancellationTokenSource, string>();
	/** Ids of compactions that this window made. */
	readonly #compactionIds = new Set<string>();

	constructor(store: UsageStore) {
		this.#store = store;
	}

	/** Runs a compaction, with its progress in the meter. Rejects with its error, or with code -32800 if cancelled. */
	async run<Result>(
		sessionId: string,
		task: CompactionTask<Result>,
		onStep: (step: string) => void = () => {},
	): Promise<Result> {
		const source = new vscode.CancellationTokenSource();
		this.#runningSessions.set(source, sessionId);
		this.#store.dispatch({ type: 'compactionBegan', sessionId });
		try {
			const result = await task({
				token: source.token,
				onProgress: (step) => {
					this.#store.dispatch({ type: 'compactionStep', sessionId, step });
					onStep(step);
				},
			});
			const { compactionId } = (result ?? {}) as { compactionId?: string };
			if (compactionId !== undefined) this.#compactionIds.add(compactionId);
			return result;
		} finally {
			this.#runningSessions.delete(source);
			source.dispose();
			this.#store.dispatch({ type: 'compactionEnded', sessionId });
		}
	}

	/** Runs a compaction with its progress in the meter, and also in a notification if it takes a while. */
	async runWithNotification<Result>(sessionId: string, task: CompactionTask<Result>): Promise<Result> {
		let report = (_step: string): void => {};
		const result = this.run(sessionId, task, (step) => report(step));
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
				token.onCancellationRequested(() => this.cancel());
				return finished;
			});
		}, notificationDelayMs);
		try {
			return await result;
		} finally {
			clearTimeout(timer);
		}
	}

	/** Returns whether this window is compacting a session. */
	isRunning(sessionId: string): boolean {
		return [...this.#runningSessions.values()].includes(sessionId);
	}

	/** Returns whether this window made a compaction. */
	hasMade(compactionId: string | undefined): boolean {
		return compactionId !== undefined && this.#compactionIds.has(compactionId);
	}

	/** Cancels the running compactions. */
	cancel(): void {
		for (const source of this.#runningSessions.keys()) source.cancel();
	}
}
