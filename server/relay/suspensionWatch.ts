import { errorText } from '../core/failure.ts';
import { findHolder } from '../node/folderLock.ts';
import { isSuspended } from '../node/processIdentity.ts';

/** Milliseconds between two checks of the daemon's process while a client waits. */
const checkMs = 1_000;

export interface SuspensionWatchOptions {
	stateFolder: string;
	/** Whether the client waits for the daemon. */
	isWaiting(): boolean;
	/** Called with one sentence for each suspension. */
	report(text: string): void;
	/** Ends the wait with that sentence. */
	giveUp(text: string): void;
}

/**
 * Ends the waits of a client for a daemon that is suspended (SIGSTOP, debugger): the first after two checks, later ones
 * at once until the daemon continues. Linux only.
 */
export class SuspensionWatch {
	readonly #options: SuspensionWatchOptions;
	#timer: NodeJS.Timeout | undefined;
	/** Checks in a row that found the daemon suspended. */
	#count = 0;

	constructor(options: SuspensionWatchOptions) {
		this.#options = options;
	}

	/** Checks once a second until the client no longer waits. */
	start(firstMs = this.#count > 1 ? 0 : checkMs): void {
		this.#timer ??= setTimeout(() => {
			this.#look().catch((error) => this.#options.report(errorText(error)));
		}, firstMs).unref();
	}

	stop(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}

	async #look(): Promise<void> {
		const { stateFolder, isWaiting, report, giveUp } = this.#options;
		const holder = isWaiting() ? await findHolder(stateFolder) : undefined;
		const isLocal = holder !== undefined && !holder.isElsewhere;
		const isStopped = isLocal && (await isSuspended(holder.pid)) === true;
		if (this.#timer === undefined) return;
		this.#timer = undefined;
		this.#count = isStopped ? this.#count + 1 : 0;
		const text = `the daemon (process ${holder?.pid}) is suspended and does not answer; resume it, or end it with "contextd daemon stop"`;
		if (this.#count === 1) report(text);
		if (this.#count > 1 && isWaiting()) giveUp(text);
		if (isWaiting()) this.start(checkMs);
	}
}
