import type { Worker } from 'node:worker_threads';
import { errorText, Failure } from '../../../core/failure.ts';
import type { OpenTranscript } from '../../../session/transcript/reader.ts';
import { watchFiles } from '../watchFiles.ts';
import { carriedError, nextBatchRequest, type ThreadAnswer, type ThreadRequest } from './threadMessages.ts';

/** Starts a thread for a request; undefined if none can be started. */
export type StartThread = (request: ThreadRequest) => Worker | undefined;

/** A thread that answers questions in order. */
interface ReaderThread {
	/** The next answer; a failure if the thread ended. */
	answer(): Promise<ThreadAnswer>;
	ask(): Promise<ThreadAnswer>;
	/** Ends the thread, whatever it is doing. */
	end(): Promise<void>;
}

/**
 * Reads a transcript in its own thread, as long as it is followed, so that parsing blocks nothing else.
 *
 * While one batch is processed, up to two more may wait. The thread ends with `close`, and does not keep the process alive.
 * Fails like `openTranscript`.
 * @param worker a new thread that was given the path
 */
export async function openInThread(
	worker: Worker,
	path: string,
	signal: AbortSignal | undefined,
): Promise<OpenTranscript> {
	const thread = startReader(worker, path);
	const opened = await firstAnswer(thread, signal);
	let asked: Promise<ThreadAnswer> | undefined;
	return {
		agent: opened.agent,
		path: opened.path,
		...(opened.size !== undefined && { size: opened.size }),
		...(opened.newestModel && { newestModel: opened.newestModel }),
		async next(again) {
			asked ??= thread.ask();
			const answer = await unlessAborted(asked, again);
			asked = undefined;
			if (answer.t === 'failed') throw carriedError(answer);
			const batch = answer.t === 'piece' ? answer.batch : undefined;
			if (batch !== undefined) asked = thread.ask();
			return batch;
		},
		watch: (changed) => watchFiles(opened.watched, changed),
		close: thread.end,
	};
}

async function firstAnswer(thread: ReaderThread, signal: AbortSignal | undefined) {
	try {
		const answer = await unlessAborted(thread.answer(), signal);
		if (answer.t === 'opened') return answer;
		throw answer.t === 'failed' ? carriedError(answer) : new TypeError('a thread started with a batch');
	} catch (error) {
		await thread.end();
		throw error;
	}
}

function startReader(worker: Worker, path: string): ReaderThread {
	const waiting: ((answer: ThreadAnswer) => void)[] = [];
	let lost: ThreadAnswer | undefined;
	const lose = (why: string): void => {
		const message = `cannot read ${path}: the thread that read it ended (${why})`;
		lost ??= { t: 'failed', error: new Failure('FileUnreadable', message, { path }) };
		for (const give of waiting.splice(0)) give(lost);
	};
	const answer = (): Promise<ThreadAnswer> =>
		new Promise((resolve) => {
			if (lost) resolve(lost);
			else waiting.push(resolve);
		});
	worker.on('message', (said: ThreadAnswer) => waiting.shift()?.(said));
	worker.on('messageerror', (error) => lose(error.message));
	worker.on('error', (error) => lose(errorText(error)));
	worker.on('exit', () => lose('it was stopped'));
	worker.unref();
	return {
		answer,
		ask() {
			worker.postMessage(nextBatchRequest);
			return answer();
		},
		async end() {
			await worker.terminate();
		},
	};
}

/** Resolves like a promise, unless the signal is aborted first; the promise can be awaited again. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	if (signal === undefined) return promise;
	return new Promise((resolve, reject) => {
		const stop = (): void => reject(signal.reason);
		if (signal.aborted) stop();
		signal.addEventListener('abort', stop, { once: true });
		promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
	});
}
