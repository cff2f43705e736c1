import { AnswerError } from '../../core/failure.ts';
import { errorCodes } from '../../protocol/errors.ts';

/** Phase of a connection's lifecycle. */
type LifecyclePhase = 'new' | 'initializing' | 'ready' | 'shutdown';

/** Enforces LSP's lifecycle: `initialize` first and once, and nothing but `exit` after `shutdown`. */
export class Lifecycle {
	#phase: LifecyclePhase = 'new';
	#initialization: Promise<void> | undefined;

	get phase(): LifecyclePhase {
		return this.#phase;
	}

	/** Returns the error for a request that is not allowed in this phase. */
	checkAllowed(method: string): AnswerError | undefined {
		if (this.#phase === 'shutdown')
			return new AnswerError(errorCodes.invalidRequest, `received ${method} after shutdown`);
		if (method === 'initialize') {
			if (this.#phase === 'new') return undefined;
			return new AnswerError(errorCodes.invalidRequest, 'initialize may be sent only once');
		}
		if (this.#phase !== 'new') return undefined;
		return new AnswerError(errorCodes.serverNotInitialized, `received ${method} before initialize`);
	}

	/**
	 * Runs the initialization; if it fails, the client may send `initialize` again.
	 * @param afterwards runs after the result was sent and before anything else is served; must not reject
	 */
	async initialize<T>(task: () => Promise<T>, afterwards: () => Promise<void>): Promise<T> {
		this.#phase = 'initializing';
		let resolveDone: () => void = () => {};
		this.#initialization = new Promise((resolve) => {
			resolveDone = resolve;
		});
		try {
			const result = await task();
			if (this.phase === 'initializing') this.#phase = 'ready';
			return result;
		} catch (error) {
			if (this.phase === 'initializing') this.#phase = 'new';
			throw error;
		} finally {
			// Deferred by one turn of the event loop, so that the response to `initialize` is sent before any other.
			setImmediate(async () => {
				if (this.#phase === 'ready') await afterwards();
				this.#initialization = undefined;
				resolveDone();
			});
		}
	}

	/** Resolves when the running initialization has succeeded or failed; undefined if none is running. */
	waitForInitialize(): Promise<void> | undefined {
		return this.#initialization;
	}

	shutDown(): void {
		this.#phase = 'shutdown';
	}
}
