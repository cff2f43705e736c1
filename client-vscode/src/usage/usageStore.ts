/** Stores the usage that the meter and the views show. */

import * as vscode from 'vscode';
import { applyUsageEvent, computeContextKeys, type UsageEvent, type UsageState } from './usage.ts';

export interface UsageStore extends vscode.Disposable {
	current(): UsageState;
	dispatch(event: UsageEvent): void;
	readonly onChange: vscode.Event<UsageState>;
}

/** Returns the store, which also keeps the editor's context keys for `when` clauses up to date. */
export function createUsageStore(): UsageStore {
	const changed = new vscode.EventEmitter<UsageState>();
	const keys = new Map<string, boolean>();
	let usage: UsageState = { kind: 'starting' };

	function publishKeys(): void {
		for (const [key, value] of Object.entries(computeContextKeys(usage))) {
			if (keys.get(key) === value) continue;
			keys.set(key, value);
			void vscode.commands.executeCommand('setContext', `contextd.${key}`, value);
		}
	}

	return {
		current: () => usage,
		dispatch(event) {
			const next = applyUsageEvent(usage, event);
			if (next === usage) return;
			usage = next;
			publishKeys();
			changed.fire(usage);
		},
		onChange: changed.event,
		dispose: () => changed.dispose(),
	};
}
