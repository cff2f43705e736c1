/**
 * Appends records in groups: what is asked for while a group is on its way to the disk goes with the next one,
 * in one write and one sync.
 */

import { errorCode, Failure } from '../../core/failure.ts';
import type { BodyRef, Logger } from '../../session/ports.ts';
import type { JournalFile } from './bodies.ts';
import { storageFailure } from './failure.ts';
import { encodeRecord } from './format.ts';
import { bufferedIn, type Group, isFull, newGroup, writeGroup } from './group.ts';
import type { JournalPlace } from './place.ts';

/** The writing end of a journal. */
export interface GroupWriter {
	append(value: unknown, bodies: readonly string[]): { bodies: BodyRef[]; durable: Promise<void> };
	/** The bytes of a body that is not on disk yet. */
	buffered(ref: BodyRef): Buffer | undefined;
	/** Bytes written and buffered. */
	size(): number;
	/** Takes nothing more, and fails what is not on disk; the file stays as it is. */
	stop(failure: Failure): void;
	/** Takes nothing more; resolves when all that was taken is on disk or has failed. */
	finish(): Promise<void>;
}

/** Starts to write behind the first `start` bytes of a journal. */
export function groupWriter(
	file: JournalFile,
	place: JournalPlace,
	logger: Logger,
	start: number,
): GroupWriter {
	const { path } = file;
	let size = start;
	let durableSize = start;
	let waiting: Group[] = [];
	let writing: Group | undefined;
	let stopped: Failure | undefined;
	let running: Promise<void> | undefined;

	async function run(): Promise<void> {
		// What else this turn of the event loop appends goes with the first group.
		await new Promise(setImmediate);
		for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
			writing = group;
			let isBegun = false;
			try {
				await place.expectSize(group.offset);
				isBegun = true;
				await writeGroup(file.handle, group);
				await file.handle.datasync();
				await place.ensure(group.offset, group.offset + group.length);
				durableSize = group.offset + group.length;
				group.resolve();
			} catch (error) {
				const failure = storageFailure('write', path, error);
				refuse(failure);
				// What was answered as failed must neither be read nor come back at the next open.
				if (isBegun) await cutUnfinished();
				fail(failure);
			}
			writing = undefined;
		}
		running = undefined;
	}

	function refuse(failure: Failure): void {
		stopped = failure;
		size = durableSize;
		logger.error(`${failure.message}; the session takes nothing more until it is opened again`);
	}

	function fail(failure: Failure): void {
		writing?.reject(failure);
		for (const group of waiting) group.reject(failure);
		waiting = [];
	}

	async function cutUnfinished(): Promise<void> {
		try {
			if ((await file.handle.stat()).size > durableSize) await file.handle.truncate(durableSize);
		} catch (error) {
			logger.warn(
				`cannot cut off what was half written to ${path} (${errorCode(error)}): the next open will`,
			);
		}
	}

	return {
		append(value, bodies) {
			if (stopped !== undefined) throw stopped;
			const last = waiting.at(-1);
			const open = last === undefined || isFull(last) ? undefined : last;
			const record = encodeRecord(value, bodies, size, open ? 'within its group' : 'first of its group');
			const group = open ?? newGroup(size);
			if (group !== open) waiting.push(group);
			group.records.push(record);
			group.length += record.length;
			size += record.length;
			running ??= run();
			return { bodies: record.refs, durable: group.durable };
		},
		buffered(ref) {
			if (ref.offset < durableSize) return undefined;
			const groups = writing === undefined ? waiting : [writing, ...waiting];
			const group = groups.findLast((each) => each.offset <= ref.offset);
			return group && bufferedIn(group, ref);
		},
		size: () => size,
		stop(failure) {
			if (stopped !== undefined) return;
			refuse(failure);
			fail(failure);
		},
		async finish() {
			stopped ??= new Failure('StorageFailed', `${path} is closed`, { path });
			await running;
		},
	};
}
