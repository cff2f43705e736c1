import type { Worker } from 'node:worker_threads';
import { errorText, Failure, rejectIfAborted } from '../../../core/failure.ts';
import type { OpenTranscript } from '../../../session/transcript/reader.ts';
import { watchFiles } from '../watchFiles.ts';
import { nextBatchRequest, restoreError, type ThreadAnswer, type ThreadStartData } from './threadMessages.ts';

/** Starts a thread for a request; returns undefined if no thread can be started. */
export type StartThread = (request: ThreadStartData) => Worker | undefined;

/** A thread that answers requests in order. */
interface ReaderThread {
	/** Returns the next answer; a failure if the thread has ended. */
	nextAnswer(): Promise<ThreadAnswer>;
	/** Requests the next batch and returns the answer. */
	requestBatch(): Promise<ThreadAnswer>;
	/** Ends the thread, whatever it is doing. */
	end(): Promise<void>;
}

/**
 * Reads a transcript in its own thread, so that parsing blocks nothing else.
 *
 * While the caller processes a batch, up to two more are read. The thread ends with `close`, and does not keep the process alive.
 * Fails like `openTranscript`.
 * @param worker a new thread that was started with the path
 */
export async function openInThread(
	worker: Worker,
	path: string,
	signal: AbortSignal | undefined,
): Promise<OpenTranscript> {
	const thread = startReader(worker, path);
	const openAnswer = await waitForOpening(thread, signal);
	let requested: Promise<ThreadAnswer> | undefined;
	return {
		agent: openAnswer.agent,
		path: openAnswer.path,
		...(openAnswer.size !== undefined && { size: openAnswer.size }),
		...(openAnswer.newestModel && { newestModel: openAnswer.newestModel }),
		async readNext(nextSignal) {
			requested ??= thread.requestBatch();
			const answer = await rejectIfAborted(requested, nextSignal);
			requested = undefined;
			if (answer.t === 'failed') throw restoreError(answer);
			const batch = answer.t === 'piece' ? answer.batch : undefined;
			if (batch !== undefined) requested = thread.requestBatch();
			return batch;
		},
		watch: (changed) => watchFiles(openAnswer.watched, changed),
		close: thread.end,
	};
}

async function waitForOpening(thread: ReaderThread, signal: AbortSignal | undefined) {
	try {
		const answer = await rejectIfAborted(thread.nextAnswer(), signal);
		if (answer.t === 'opened') return answer;
		throw answer.t === 'failed' ? restoreError(answer) : new TypeError('a thread started with a batch');
	} catch (error) {
		await thread.end();
		throw error;
	}
}

function startReader(worker: Worker, path: string): ReaderThread {
	const waiters: ((answer: ThreadAnswer) => void)[] = [];
	let failure: ThreadAnswer | undefined;
	const failAll = (reason: string): void => {
		const message = `cannot read ${path}: the thread that read it ended (${reason})`;
		failure ??= { t: 'failed', error: new Failure('FileUnreadable', message, { path }) };
		for (const resolve of waiters.splice(0)) resolve(failure);
	};
	const nextAnswer = (): Promise<ThreadAnswer> =>
		new Promise((resolve) => {
			if (failure) resolve(failure);
			else waiters.push(resolve);
		});
	worker.on('message', (answer: ThreadAnswer) => waiters.shift()?.(answer));
	worker.on('messageerror', (error) => failAll(error.message));
	worker.on('error', (error) => failAll(errorText(error)));
	worker.on('exit', () => failAll('it was stopped'));
	worker.unref();
	return {
		nextAnswer,
		requestBatch() {
			worker.postMessage(nextBatchRequest);
			return nextAnswer();
		},
		async end() {
			await worker.terminate();
		},
	};
}
