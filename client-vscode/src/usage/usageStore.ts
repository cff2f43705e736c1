/** Stores the usage that the meter and the views show. */

import * as vscode from 'vscode';
import { applyUsageEvent, computeContextKeys, type UsageEvent, type UsageState } from './usage.ts';

/** The state of the meter; also keeps the editor's context keys for `when` clauses up to date. */
export class UsageStore implements vscode.Disposable {
	readonly #changed = new vscode.EventEmitter<UsageState>();
	readonly #keys = new Map<string, boolean>();
	#usage: UsageState = { kind: 'starting' };
	readonly onChange = this.#changed.event;

	current(): UsageState {
		return this.#usage;
	}

	dispatch(event: UsageEvent): void {
		const next = applyUsageEvent(this.#usage, event);
		if (next === this.#usage) return;
		this.#usage = next;
		for (const [key, value] of Object.entries(computeContextKeys(next))) {
			if (this.#keys.get(key) === value) continue;
			this.#keys.set(key, value);
			void vscode.commands.executeCommand('setContext', `contextd.${key}`, value);
		}
		this.#changed.fire(next);
	}

	dispose(): void {
		this.#changed.dispose();
	}
}
