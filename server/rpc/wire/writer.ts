import type { Writable } from 'node:stream';
import { Emitter, type Message, type MessageWriter } from 'vscode-jsonrpc/node';
import type { Framing } from '../../protocol/capabilities.ts';
import type { Logger } from '../../session/ports.ts';
import { encodeMessage } from './encode.ts';

export interface WriterOptions {
	output: Writable;
	framing: Framing;
	logger: Logger;
	/** The output closed or failed; called once. */
	onLost(reason: string): void;
}

export interface OutputWriter extends MessageWriter {
	/** Resolves when all that was written has left, or can leave no more. */
	flushed(): Promise<void>;
}

/**
 * A message writer for both framings. The promise of a write resolves when the output took the bytes, so who
 * awaits it goes no faster than the client reads; it rejects when the output is lost.
 */
export function createWriter(options: WriterOptions): OutputWriter {
	const { output, logger } = options;
	const errors = new Emitter<[Error, Message | undefined, number | undefined]>();
	const closes = new Emitter<void>();
	const unfinished = new Set<(error: Error) => void>();
	let waiters: (() => void)[] = [];
	let lostReason: string | undefined;

	function wakeWhenFlushed(): void {
		if (unfinished.size > 0) return;
		for (const wake of waiters) wake();
		waiters = [];
	}

	// An output that is destroyed while a write is under way never calls back, hence the set of rejections.
	function lose(reason: string): void {
		if (lostReason !== undefined) return;
		lostReason = reason;
		for (const reject of unfinished) reject(new Error(reason));
		unfinished.clear();
		wakeWhenFlushed();
		options.onLost(reason);
	}

	output.on('error', (error: Error) => lose(`the output failed: ${error.message}`));
	output.on('close', () => lose('the output was closed'));

	function send(text: string): Promise<void> {
		return new Promise((resolve, reject) => {
			unfinished.add(reject);
			output.write(text, 'utf8', (error) => {
				if (error) {
					lose(`the output failed: ${error.message}`);
					return;
				}
				unfinished.delete(reject);
				resolve();
				wakeWhenFlushed();
			});
		});
	}

	return {
		onError: errors.event,
		onClose: closes.event,
		async write(message) {
			if (lostReason !== undefined) throw new Error(lostReason);
			const text = encodeMessage(message, options.framing, (error) => {
				logger.error(`a response could not be written as JSON: ${error}`);
			});
			await send(text);
		},
		flushed() {
			if (unfinished.size === 0) return Promise.resolve();
			return new Promise((resolve) => {
				waiters.push(resolve);
			});
		},
		end() {
			output.end();
		},
		dispose() {
			errors.dispose();
			closes.dispose();
		},
	};
}
