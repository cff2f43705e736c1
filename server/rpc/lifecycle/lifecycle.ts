import { AnswerError } from '../../core/failure.ts';
import { errorCodes } from '../../protocol/errors.ts';

/** Phase of a connection's lifecycle. */
type LifecyclePhase = 'new' | 'initializing' | 'ready' | 'shutdown';

export interface Lifecycle {
	readonly phase: LifecyclePhase;
	/** Returns the error for a request that is not allowed in this phase. */
	checkAllowed(method: string): AnswerError | undefined;
	/**
	 * Runs the initialization; if it fails, the client may send `initialize` again.
	 * @param afterwards runs after the result was sent and before anything else is served; must not reject
	 */
	initialize<T>(task: () => Promise<T>, afterwards: () => Promise<void>): Promise<T>;
	/** Resolves when the running initialization has succeeded or failed; undefined if none is running. */
	waitForInitialize(): Promise<void> | undefined;
	shutDown(): void;
}

function createNotInitializedError(method: string): AnswerError {
	return new AnswerError(errorCodes.serverNotInitialized, `received ${method} before initialize`);
}

/** Enforces LSP's lifecycle: `initialize` first and once, and nothing but `exit` after `shutdown`. */
export function createLifecycle(): Lifecycle {
	let phase: LifecyclePhase = 'new';
	let initialization: Promise<void> | undefined;
	return {
		get phase() {
			return phase;
		},
		checkAllowed(method) {
			if (phase === 'shutdown') {
				return new AnswerError(errorCodes.invalidRequest, `received ${method} after shutdown`);
			}
			if (method === 'initialize') {
				if (phase === 'new') return undefined;
				return new AnswerError(errorCodes.invalidRequest, 'initialize may be sent only once');
			}
			return phase === 'new' ? createNotInitializedError(method) : undefined;
		},
		async initialize(task, afterwards) {
			phase = 'initializing';
			let resolveDone: () => void = () => {};
			initialization = new Promise((resolve) => {
				resolveDone = resolve;
			});
			try {
				const result = await task();
				if (phase === 'initializing') phase = 'ready';
				return result;
			} catch (error) {
				if (phase === 'initializing') phase = 'new';
				throw error;
			} finally {
				// Deferred by one turn of the event loop, so that the response to `initialize` is sent before any other.
				setImmediate(async () => {
					if (phase === 'ready') await afterwards();
					initialization = undefined;
					resolveDone();
				});
			}
		},
		waitForInitialize: () => initialization,
		shutDown() {
			phase = 'shutdown';
		},
	};
}
