import { errorText } from '../core/failure.ts';
import { findHolder } from '../node/folderLock.ts';
import { isSuspended } from '../node/processIdentity.ts';

/** Milliseconds between two checks of the daemon's process while a client waits. */
const lookMs = 1_000;

export interface SuspensionWatchOptions {
	stateFolder: string;
	/** Whether the client waits for the daemon. */
	isWaiting(): boolean;
	/** Called with one sentence for each suspension. */
	report(text: string): void;
}

/** Reports that the daemon is suspended (SIGSTOP, debugger) while a client waits for it. Linux only. */
export class SuspensionWatch {
	readonly #options: SuspensionWatchOptions;
	#timer: NodeJS.Timeout | undefined;
	#isReported = false;

	constructor(options: SuspensionWatchOptions) {
		this.#options = options;
	}

	/** Checks once a second until the client no longer waits. */
	start(): void {
		this.#timer ??= setTimeout(() => {
			this.#look().catch((error) => this.#options.report(errorText(error)));
		}, lookMs).unref();
	}

	stop(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#isReported = false;
	}

	async #look(): Promise<void> {
		if (!this.#options.isWaiting()) return this.stop();
		const holder = await findHolder(this.#options.stateFolder);
		const isLocal = holder !== undefined && !holder.isElsewhere;
		const isStopped = isLocal && (await isSuspended(holder.pid)) === true;
		if (isStopped && !this.#isReported) {
			this.#options.report(
				`the daemon (process ${holder.pid}) is suspended and does not answer; resume it, or end it with "contextd daemon stop"`,
			);
		}
		this.#isReported = isStopped;
		// No effect if the watch was stopped in the meantime.
		this.#timer?.refresh();
	}
}
