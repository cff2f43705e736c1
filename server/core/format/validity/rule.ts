import { type Fields, isFields } from '../../shape.ts';
import { mapInSlices, type Slices, visited } from '../../slices.ts';

/** Takes what is wrong with the message of an index. */
export type Report = (index: number, message: string) => void;

/** One thing that a reader of messages demands. */
export interface Rule {
	name: string;
	/** Looks at messages in slices. */
	check(messages: readonly unknown[], report: Report): Slices<void>;
}

/** Messages as objects, in slices; one that is none has no members. */
export function messagesAsFields(messages: readonly unknown[]): Slices<Fields[]> {
	return mapInSlices(messages, (message) => (isFields(message) ? message : {}));
}

/** A rule that looks at one message after another; `report` takes what is wrong with the one at hand. */
export function eachMessage(
	name: string,
	look: (
		message: Fields,
		report: (problem: string) => void,
		index: number,
		messages: readonly Fields[],
	) => void,
): Rule {
	return {
		name,
		*check(messages, report) {
			const all = yield* messagesAsFields(messages);
			yield* visited(all, (message, index) => {
				look(message, (problem) => report(index, problem), index, all);
			});
		},
	};
}

/** What came first among the calls of a batch must be answered once, all together, before anything else. */
export interface PairStep {
	/** Calls and results by id, in order; `kind` other ends the batch. */
	kind: 'call' | 'result' | 'other';
	id: string;
	index: number;
}

/**
 * Reports results that answer no open call and calls that were left open. Calls are open from where they stand
 * until the next message that is neither a call nor a result, or until a call that follows a result. In slices.
 */
export function* checkPairs(steps: Slices<readonly PairStep[]>, report: Report): Slices<void> {
	let open = new Map<string, number[]>();
	let answering = false;
	const close = () => {
		for (const [id, indexes] of open) {
			for (const index of indexes) report(index, `call "${id}" has no result directly after it`);
		}
		open = new Map();
		answering = false;
	};
	yield* visited(yield* steps, ({ kind, id, index }) => {
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
			report(index, `result "${id}" follows no call of that id`);
			return;
		}
		indexes.shift();
		if (indexes.length === 0) open.delete(id);
	});
	close();
}
