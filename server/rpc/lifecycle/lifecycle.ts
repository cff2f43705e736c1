import { AnswerError } from '../../core/answerError.ts';
import { errorCodes } from '../../protocol/errors.ts';

/** Where the conversation with the client stands. */
type Phase = 'new' | 'initializing' | 'ready' | 'shutdown';

export interface Lifecycle {
	readonly phase: Phase;
	/** The error for a request that may not be served in this phase. */
	refusal(method: string): AnswerError | undefined;
	/**
	 * Runs the initialization; if it fails, the client may try again.
	 * @param afterwards runs when the result was sent, before anything else is served; must not reject
	 */
	initialize<T>(work: () => Promise<T>, afterwards: () => Promise<void>): Promise<T>;
	/** While an initialization is under way, waits for its end, whichever it is. */
	initialized(): Promise<void> | undefined;
	shutDown(): void;
}

function notInitialized(method: string): AnswerError {
	return new AnswerError(errorCodes.serverNotInitialized, `${method} came before initialize`);
}

/** The gate of LSP's phases: `initialize` first and once, and nothing but `exit` after `shutdown`. */
export function createLifecycle(): Lifecycle {
	let phase: Phase = 'new';
	let initialization: Promise<void> | undefined;
	return {
		get phase() {
			return phase;
		},
		refusal(method) {
			if (phase === 'shutdown') {
				return new AnswerError(errorCodes.invalidRequest, `${method} came after shutdown`);
			}
			if (method === 'initialize') {
				if (phase === 'new') return undefined;
				return new AnswerError(errorCodes.invalidRequest, 'initialize may come only once');
			}
			return phase === 'new' ? notInitialized(method) : undefined;
		},
		async initialize(work, afterwards) {
			phase = 'initializing';
			let tellDone: () => void = () => {};
			initialization = new Promise((resolve) => {
				tellDone = resolve;
			});
			try {
				const result = await work();
				if (phase === 'initializing') phase = 'ready';
				return result;
			} catch (error) {
				if (phase === 'initializing') phase = 'new';
				throw error;
			} finally {
				// A turn later, so that the reply to `initialize` goes out before any other.
				setImmediate(async () => {
					if (phase === 'ready') await afterwards();
					initialization = undefined;
					tellDone();
				});
			}
		},
		initialized: () => initialization,
		shutDown() {
			phase = 'shutdown';
		},
	};
}
