import type { Worker } from 'node:worker_threads';
import { errorText, Failure } from '../core/failure.ts';
import { restoreError } from '../node/transcript/thread/threadMessages.ts';
import type { Logger } from '../session/ports.ts';
import { ErasureMark } from './archive/erasureMark.ts';
import { getRecorderFolder, readRecorderSettings } from './settings.ts';
import type { RecorderCall, RecorderReply, RecorderStart } from './threadMessages.ts';

export interface RecorderOptions extends Omit<RecorderStart, 'folder'> {
	stateFolder: string;
	/** Starts the thread; returns undefined if an update has replaced the program's files. */
	startThread(data: RecorderStart): Worker | undefined;
	log: Logger;
}

/** A call that has no result yet. */
interface PendingCall {
	resolve(result: unknown): void;
	reject(error: unknown): void;
}

/** Milliseconds before a failed thread is started again. */
const restartDelayMs = 10_000;

/**
 * The daemon's side of the recorder, which works in a thread of its own, because SQLite blocks.
 *
 * `start` starts the thread if the user consented to recording; otherwise the first call does. If the thread fails while
 * sessions are recorded, it is started again later.
 */
export class Recorder {
	readonly #options: RecorderOptions;
	readonly #folder: string;
	readonly #calls = new Map<number, PendingCall>();
	#worker: Worker | undefined;
	#lastId = 0;
	#isRecording = false;
	#isStopped = false;
	#restart: NodeJS.Timeout | undefined;

	constructor(options: RecorderOptions) {
		this.#options = options;
		this.#folder = getRecorderFolder(options.stateFolder);
	}

	/** Whether sessions are recorded, so that the daemon must stay alive. */
	get isRecording(): boolean {
		return this.#isRecording;
	}

	/** Starts recording if the user consented, and completes an interrupted erasure. Unreadable settings count as no consent. */
	start(): void {
		try {
			this.#isRecording = readRecorderSettings(this.#folder).recording;
		} catch (error) {
			this.#options.log.error(`sessions are not recorded: ${errorText(error)}`);
		}
		if (this.#isRecording || new ErasureMark(this.#folder).isSet) this.#getThread();
	}

	/** Calls a method of the thread. Rejects with the method's error, or with `StorageFailed` if the thread does not run. */
	ask<Result>(method: string, params: object): Promise<Result> {
		return new Promise<unknown>((resolve, reject) => {
			const worker = this.#getThread();
			if (worker === undefined) return reject(createUnavailableFailure('the daemon is ending'));
			const id = ++this.#lastId;
			this.#calls.set(id, { resolve, reject });
			worker.postMessage({ id, method, params } satisfies RecorderCall);
		}) as Promise<Result>;
	}

	/** Lets the thread commit and close the archive, and resolves when the thread has ended. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		clearTimeout(this.#restart);
		const worker = this.#worker;
		if (worker === undefined) return;
		const ended = new Promise((resolve) => worker.once('exit', resolve));
		worker.postMessage({ id: 0, method: 'stop', params: {} } satisfies RecorderCall);
		await ended;
	}

	/** Returns the thread, which is started if it does not run; undefined after `stop` or if it cannot be started. */
	#getThread(): Worker | undefined {
		if (this.#worker !== undefined || this.#isStopped) return this.#worker;
		const { startThread, home, platform, log } = this.#options;
		const worker = startThread({ folder: this.#folder, home, platform });
		if (worker === undefined) return undefined;
		this.#worker = worker;
		worker.on('message', (reply: RecorderReply) => this.#receive(reply));
		worker.on('error', (error) => log.error(`the recorder failed: ${errorText(error)}`));
		worker.on('exit', () => this.#handleExit());
		worker.unref();
		return worker;
	}

	#receive(reply: RecorderReply): void {
		switch (reply.t) {
			case 'log':
				this.#options.log[reply.level](reply.message);
				return;
			case 'recording':
				this.#isRecording = reply.recording;
				return;
			case 'result':
				this.#calls.get(reply.id)?.resolve(reply.result);
				break;
			case 'failure':
				this.#calls.get(reply.id)?.reject(restoreError(reply.failure));
				break;
		}
		this.#calls.delete(reply.id);
	}

	#handleExit(): void {
		this.#worker = undefined;
		for (const { reject } of this.#calls.values()) reject(createUnavailableFailure('its thread has ended'));
		this.#calls.clear();
		if (this.#isStopped || !this.#isRecording) return;
		this.#restart = setTimeout(() => this.start(), restartDelayMs).unref();
	}
}

function createUnavailableFailure(reason: string): Failure {
	return new Failure('StorageFailed', `the recorder does not answer: ${reason}`);
}
