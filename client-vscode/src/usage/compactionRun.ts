/** Runs compactions one at a time, so that the meter shows them and the user can stop them. */

import * as vscode from 'vscode';
import type { Ask } from '../daemon/client.ts';
import { t } from '../text/language.ts';
import type { UsageStore } from './usageStore.ts';

/** Milliseconds after which a compaction that still runs gets a notification with a button to cancel it. */
const patience = 700;

export interface CompactionRuns {
	/** Runs what compacts, with the meter spinning. Rejects as it does, or with -32800 when it was cancelled. */
	during<Result>(sessionId: string, work: (ask: Ask) => Promise<Result>): Promise<Result>;
	/** The same, shown in the window once it takes a while. */
	shown<Result>(sessionId: string, work: (ask: Ask) => Promise<Result>): Promise<Result>;
	/** Whether this window compacts a session now. */
	isRunning(sessionId: string): boolean;
	/** Whether a compaction was made by this window. */
	hasMade(compactionId: string | undefined): boolean;
	/** Stops whatever compacts now. */
	cancel(): void;
}

/** The compactions of this window. */
export function createCompactionRuns(store: UsageStore): CompactionRuns {
	/** With the session that each compacts. */
	const running = new Map<vscode.CancellationTokenSource, string>();

	/** Ids of compactions. */
	const made = new Set<string>();

	async function during<Result>(
		sessionId: string,
		work: (ask: Ask) => Promise<Result>,
		onStep: (step: string) => void = () => {},
	): Promise<Result> {
		const source = new vscode.CancellationTokenSource();
		running.set(source, sessionId);
		store.dispatch({ type: 'compactionBegan', sessionId });
		try {
			const result = await work({
				token: source.token,
				onProgress(step) {
					store.dispatch({ type: 'compactionStep', sessionId, step });
					onStep(step);
				},
			});
			const { compactionId } = (result ?? {}) as { compactionId?: string };
			if (compactionId !== undefined) made.add(compactionId);
			return result;
		} finally {
			running.delete(source);
			source.dispose();
			store.dispatch({ type: 'compactionEnded', sessionId });
		}
	}

	function cancel(): void {
		for (const source of running.keys()) source.cancel();
	}

	return {
		during,
		cancel,
		hasMade: (compactionId) => compactionId !== undefined && made.has(compactionId),
		isRunning: (sessionId) => [...running.values()].includes(sessionId),
		async shown(sessionId, work) {
			let report = (_step: string): void => {};
			const result = during(sessionId, work, (step) => report(step));
			const ended = result.then(
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
					return ended;
				});
			}, patience);
			try {
				return await result;
			} finally {
				clearTimeout(timer);
			}
		},
	};
}
