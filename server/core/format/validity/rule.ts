import { type Fields, isFields } from '../../shape.ts';
import { forEachInSlices, mapInSlices, type SlicedTask } from '../../slices.ts';

/** Reports a problem with the message at an index. */
export type ReportProblem = (index: number, message: string) => void;

/** A requirement of a reader of messages. */
export interface FormatRule {
	name: string;
	/** Checks messages, in slices. */
	check(messages: readonly unknown[], report: ReportProblem): SlicedTask<void>;
}

/** Returns messages as objects, in slices; a message of another type becomes an empty object. */
export function messagesAsFields(messages: readonly unknown[]): SlicedTask<Fields[]> {
	return mapInSlices(messages, (message) => (isFields(message) ? message : {}));
}

/** Creates a rule that checks each message; `report` reports a problem with the current one. */
export function ruleForEachMessage(
	name: string,
	checkMessage: (
		message: Fields,
		report: (problem: string) => void,
		index: number,
		messages: readonly Fields[],
	) => void,
): FormatRule {
	return {
		name,
		*check(messages, report) {
			const all = yield* messagesAsFields(messages);
			yield* forEachInSlices(all, (message, index) => {
				checkMessage(message, (problem) => report(index, problem), index, all);
			});
		},
	};
}

/** One step of a history for `checkPairs`: a call, a result, or anything else. */
export interface PairStep {
	/** `other` ends the batch. */
	kind: 'call' | 'result' | 'other';
	id: string;
	index: number;
}

/**
 * Reports results without an open call, and calls that stay open. In slices. Calls stay open until the
 * next message that is neither a call nor a result, or until a call that follows a result.
 */
export function* checkPairs(steps: SlicedTask<readonly PairStep[]>, report: ReportProblem): SlicedTask<void> {
	let open = new Map<string, number[]>();
	let answering = false;
	const close = () => {
		for (const [id, indexes] of open) {
			for (const index of indexes) report(index, `call "${id}" has no result directly after it`);
		}
		open = new Map();
		answering = false;
	};
	yield* forEachInSlices(yield* steps, ({ kind, id, index }) => {
		if (kind === 'other' || (kind === 'call' && answering)) close();
		if (kind === 'call') {
			const indexes = open.get(id);
			if (indexes) indexes.push(index);
			else open.set(id, [index]);
		}
		if (kind !== 'result') return;
		answering = true;
		const indexes = open.get(id);
		if (!indexes) {
			report(index, `no call precedes result "${id}"`);
			return;
		}
		indexes.shift();
		if (indexes.length === 0) open.delete(id);
	});
	close();
}
