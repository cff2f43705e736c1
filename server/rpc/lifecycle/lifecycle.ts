import { AnswerError } from '../../core/answerError.ts';
import { errorCodes } from '../../protocol/errors.ts';

/** Phase of a connection's lifecycle. */
type Phase = 'new' | 'initializing' | 'ready' | 'shutdown';

export interface Lifecycle {
	readonly phase: Phase;
	/** The error of a request that is not allowed in this phase. */
	refusal(method: string): AnswerError | undefined;
	/**
	 * Runs the initialization; if it fails, the client may retry.
	 * @param afterwards runs after the result was sent, before anything else is served; must not reject
	 */
	initialize<T>(work: () => Promise<T>, afterwards: () => Promise<void>): Promise<T>;
	/** Resolves when a running initialization has ended, successful or not; undefined if none is running. */
	initialized(): Promise<void> | undefined;
	shutDown(): void;
}

function notInitialized(method: string): AnswerError {
	return new AnswerError(errorCodes.serverNotInitialized, `received ${method} before initialize`);
}

/** Enforces LSP's lifecycle: `initialize` first and once, and nothing but `exit` after `shutdown`. */
export function createLifecycle(): Lifecycle {
	let phase: Phase = 'new';
	let initialization: Promise<void> | undefined;
	return {
		get phase() {
			return phase;
		},
		refusal(method) {
			if (phase === 'shutdown') {
				return new AnswerError(errorCodes.invalidRequest, `received ${method} after shutdown`);
			}
			if (method === 'initialize') {
				if (phase === 'new') return undefined;
				return new AnswerError(errorCodes.invalidRequest, 'initialize may be sent only once');
			}
			return phase === 'new' ? notInitialized(method) : undefined;
		},
		async initialize(work, afterwards) {
			phase = 'initializing';
			let resolveDone: () => void = () => {};
			initialization = new Promise((resolve) => {
				resolveDone = resolve;
			});
			try {
				const result = await work();
				if (phase === 'initializing') phase = 'ready';
				return result;
			} catch (error) {
				if (phase === 'initializing') phase = 'new';
				throw error;
			} finally {
				// Deferred by one turn, so that the response to `initialize` is sent before any other.
				setImmediate(async () => {
					if (phase === 'ready') await afterwards();
					initialization = undefined;
					resolveDone();
				});
			}
		},
		initialized: () => initialization,
		shutDown() {
			phase = 'shutdown';
		},
	};
}
