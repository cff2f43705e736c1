import { errorText } from '../core/failure.ts';
import { findHolder } from '../node/folderLock.ts';
import { readSuspendedTicks } from '../node/processIdentity.ts';

/** Milliseconds between two checks of the daemon's process while a client waits. */
const checkMs = 1_000;

export interface SuspensionWatchOptions {
	stateFolder: string;
	/** Whether the client waits for the daemon. */
	isWaiting(): boolean;
	/** Called once per suspension, with a sentence for the user. */
	reportSuspension(text: string): void;
	/** Refuses the client's waiting requests with the reported sentence. */
	refuseRequests(text: string): void;
}

/**
 * Refuses a client's requests while its daemon is suspended (SIGSTOP, debugger). The first refusal needs two checks
 * between which the daemon did not run; later requests are refused at once until it continues. Linux only.
 */
export class SuspensionWatch {
	readonly #options: SuspensionWatchOptions;
	#timer: NodeJS.Timeout | undefined;
	/** The daemon's processor time in ticks at the last check; undefined if the daemon was not suspended. */
	#lastTicks: number | undefined;
	#suspension: string | undefined;

	constructor(options: SuspensionWatchOptions) {
		this.#options = options;
	}

	/** The sentence with which requests are refused during a suspension; undefined if there is none. */
	get suspension(): string | undefined {
		return this.#suspension;
	}

	/** Checks once a second until the client no longer waits. */
	start(firstMs = this.#suspension === undefined ? checkMs : 0): void {
		this.#timer ??= setTimeout(() => {
			this.#check().catch((error) => this.#options.reportSuspension(errorText(error)));
		}, firstMs).unref();
	}

	stop(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}

	/** Forgets earlier checks, because the daemon has shown that it runs. */
	reset(): void {
		this.#lastTicks = undefined;
		this.#suspension = undefined;
	}

	async #check(): Promise<void> {
		const { stateFolder, isWaiting } = this.#options;
		try {
			const holder = isWaiting() ? await findHolder(stateFolder) : undefined;
			const isLocal = holder !== undefined && !holder.isElsewhere;
			const ticks = isLocal ? await readSuspendedTicks(holder.pid) : undefined;
			if (this.#timer !== undefined) this.#update(holder?.pid, ticks);
		} finally {
			if (this.#timer !== undefined) {
				this.#timer = undefined;
				if (isWaiting()) this.start(checkMs);
			}
		}
	}

	/**
	 * Refuses requests only if the daemon did not run between two checks: a tracer or a limit of processor time
	 * (cpulimit) suspends it again and again, but lets it run in between.
	 */
	#update(pid: number | undefined, ticks: number | undefined): void {
		const { isWaiting, reportSuspension, refuseRequests } = this.#options;
		const isSuspended = ticks !== undefined && ticks === this.#lastTicks;
		this.#lastTicks = ticks;
		if (!isSuspended) {
			this.#suspension = undefined;
			return;
		}
		const text = `the daemon (process ${pid}) is suspended and does not answer; resume it, or end it with "contextd daemon stop"`;
		if (this.#suspension === undefined) reportSuspension(text);
		this.#suspension = text;
		if (isWaiting()) refuseRequests(text);
	}
}
