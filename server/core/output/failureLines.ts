/** A line that reports a failure. UTF-16 units from the start of the output. */
export interface FailureLine {
	start: number;
	/** After its `\n`. */
	end: number;
	/** Where the word stands that tells. */
	offset: number;
	isWarning: boolean;
}

/** Words of failures; the second group are mere warnings. No repetition, so it runs in linear time. */
const failure =
	/(error|exception|\bfail|\bfatal\b|\bpanic|traceback|assert|segmentation fault|\babort|\bnot ok\b|undefined reference|permission denied|no such file|command not found|exit code|exit status|exited with|✗|✕|✖|❌)|(\bwarn|deprecated)/gi;
/** Reports of success that hold such words. */
const none =
	/\b(?:0|no|without) (?:errors?|failures?|failed|failing|exceptions?|warnings?)\b|\b(?:errors?|failures?|failed|exceptions?|warnings?)[:=] ?0\b|\b(?:exit code|exit status|exited with(?: code)?):? 0\b/gi;
const examinedUnits = 1_000;

/**
 * The lines between two places of an output that report failures, by importance: errors before warnings,
 * and by turns the first and the last of each kind. At most `most` of each kind.
 */
export function failureLines(output: string, from: number, to: number, most: number): FailureLine[] {
	const errors = endsOf(most);
	const warnings = endsOf(most);
	const pattern = new RegExp(failure);
	pattern.lastIndex = from;
	for (let match = pattern.exec(output); match !== null && match.index < to; match = pattern.exec(output)) {
		const line = lineAround(output, match.index, from);
		const isWarning = match[1] === undefined;
		if (reportsFailure(output, line)) (isWarning ? warnings : errors).add({ ...line, isWarning });
		pattern.lastIndex = line.end;
	}
	return [...errors.byTurns(), ...warnings.byTurns()];
}

function lineAround(output: string, index: number, from: number): Omit<FailureLine, 'isWarning'> {
	const newline = output.indexOf('\n', index);
	const start = index === 0 ? 0 : output.lastIndexOf('\n', index - 1) + 1;
	return { start: Math.max(from, start), end: newline === -1 ? output.length : newline + 1, offset: index };
}

/** Whether a failure is left where the reports that there was none are taken out. */
function reportsFailure(output: string, line: Omit<FailureLine, 'isWarning'>): boolean {
	const start = Math.max(line.start, line.offset - examinedUnits / 2);
	const excerpt = output.slice(start, Math.min(line.end, start + examinedUnits));
	return new RegExp(failure).test(excerpt.replace(none, ''));
}

/** Keeps the first half and the last half of what is added. */
function endsOf(most: number) {
	const half = Math.ceil(most / 2);
	const first: FailureLine[] = [];
	const last: FailureLine[] = [];
	let next = 0;
	return {
		add(line: FailureLine): void {
			if (first.length < half) first.push(line);
			else {
				last[next % half] = line;
				next += 1;
			}
		},
		byTurns(): FailureLine[] {
			const newest = last.toSorted((a, b) => b.start - a.start);
			return first.flatMap((line, index) => (newest[index] ? [line, newest[index]] : [line]));
		},
	};
}
