import { getOrInsert } from '../../getOrInsert.ts';
import { type Fields, isFields } from '../../shape.ts';
import { flatMapInSlices, forEachInSlices, mapInSlices, type SlicedTask } from '../../slices.ts';

/** Reports a problem with the message at an index. */
type ReportProblem = (index: number, message: string) => void;

/** A rule that messages must follow to be accepted by one API. */
export interface FormatRule {
	name: string;
	check(messages: readonly unknown[], report: ReportProblem): SlicedTask<void>;
}

/** Returns messages as objects, in slices; a message of another type becomes an empty object. */
export function convertToFields(messages: readonly unknown[]): SlicedTask<Fields[]> {
	return mapInSlices(messages, (message) => (isFields(message) ? message : {}));
}

/** Creates a rule that checks each message; `report` reports a problem with the current message. */
export function createMessageRule(
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
			const allFields = yield* convertToFields(messages);
			yield* forEachInSlices(allFields, (message, index) => {
				checkMessage(message, (problem) => report(index, problem), index, allFields);
			});
		},
	};
}

/** One step of a history for `checkPairs`: a call, a result, or anything else. */
export interface PairStep {
	/** What the step is; `other` ends the batch of calls. */
	kind: 'call' | 'result' | 'other';
	id: string;
	index: number;
}

/**
 * Reports results without a waiting call, and calls without a result. In slices. A call waits until the next message
 * that is neither a call nor a result, or until a call that follows a result.
 */
export function* checkPairs(steps: SlicedTask<readonly PairStep[]>, report: ReportProblem): SlicedTask<void> {
	let openCalls = new Map<string, number[]>();
	let isAnswering = false;
	const closeBatch = () => {
		for (const [id, indexes] of openCalls) {
			for (const index of indexes) report(index, `call "${id}" has no result directly after it`);
		}
		openCalls = new Map();
		isAnswering = false;
	};
	yield* forEachInSlices(yield* steps, ({ kind, id, index }) => {
		if (kind === 'other' || (kind === 'call' && isAnswering)) closeBatch();
		if (kind === 'call') getOrInsert(openCalls, id, () => []).push(index);
		if (kind !== 'result') return;
		isAnswering = true;
		const indexes = openCalls.get(id);
		if (!indexes) {
			report(index, `no call precedes result "${id}"`);
			return;
		}
		indexes.shift();
		if (indexes.length === 0) openCalls.delete(id);
	});
	closeBatch();
}

/** Creates a rule that checks the pairs of a format whose results are separate messages of role `tool`. */
export function createPairsRule(
	listCallIds: (message: Fields) => string[],
	listResultIds: (message: Fields) => string[],
): FormatRule {
	const listSteps = (message: Fields, index: number): PairStep[] => {
		if (message.role === 'tool') return listResultIds(message).map((id) => ({ kind: 'result', id, index }));
		const calls = listCallIds(message).map((id): PairStep => ({ kind: 'call', id, index }));
		return [{ kind: 'other', id: '', index }, ...calls];
	};
	return {
		name: 'pairs',
		*check(messages, report) {
			yield* checkPairs(flatMapInSlices(yield* convertToFields(messages), listSteps), report);
		},
	};
}
