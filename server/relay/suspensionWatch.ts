import { errorText } from '../core/failure.ts';
import { findHolder } from '../node/folderLock.ts';
import { suspendedAt } from '../node/processIdentity.ts';

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
 * Ends the waits of a client for a daemon that is suspended (SIGSTOP, debugger): the first after two checks between which
 * the daemon did not run, later ones at once until it continues. Linux only.
 */
export class SuspensionWatch {
	readonly #options: SuspensionWatchOptions;
	#timer: NodeJS.Timeout | undefined;
	/** The daemon's processor time at the last check; undefined if it was not suspended then. */
	#ticks: number | undefined;
	#suspension: string | undefined;

	constructor(options: SuspensionWatchOptions) {
		this.#options = options;
	}

	/** One sentence on the suspension because of which waits have ended; undefined if there is none. */
	get suspension(): string | undefined {
		return this.#suspension;
	}

	/** Checks once a second until the client no longer waits. */
	start(firstMs = this.#suspension === undefined ? checkMs : 0): void {
		this.#timer ??= setTimeout(() => {
			this.#look().catch((error) => this.#options.report(errorText(error)));
		}, firstMs).unref();
	}

	stop(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}

	/** Forgets earlier checks, because the daemon has shown that it runs. */
	reset(): void {
		this.#ticks = undefined;
		this.#suspension = undefined;
	}

	async #look(): Promise<void> {
		const { stateFolder, isWaiting } = this.#options;
		try {
			const holder = isWaiting() ? await findHolder(stateFolder) : undefined;
			const isLocal = holder !== undefined && !holder.isElsewhere;
			const ticks = isLocal ? await suspendedAt(holder.pid) : undefined;
			if (this.#timer !== undefined) this.#judge(holder?.pid, ticks);
		} finally {
			if (this.#timer !== undefined) {
				this.#timer = undefined;
				if (isWaiting()) this.start(checkMs);
			}
		}
	}

	/** A tracer or a limit of processor time (cpulimit) suspends a daemon again and again, but lets it run in between. */
	#judge(pid: number | undefined, ticks: number | undefined): void {
		const { isWaiting, report, giveUp } = this.#options;
		const isStill = ticks !== undefined && ticks === this.#ticks;
		this.#ticks = ticks;
		if (!isStill) {
			this.#suspension = undefined;
			return;
		}
		const text = `the daemon (process ${pid}) is suspended and does not answer; resume it, or end it with "contextd daemon stop"`;
		if (this.#suspension === undefined) report(text);
		this.#suspension = text;
		if (isWaiting()) giveUp(text);
	}
}
