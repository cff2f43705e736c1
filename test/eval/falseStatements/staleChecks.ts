import { type CheckedView, type FalseStatement, plainLine, type ViewLine } from './checkedView.ts';
import type { PastCall } from './pastCalls.ts';

/** Matches commands that check something: the tool and its task. */
const checkCommand =
	/^(?:uv run |poetry run |npx |pnpm exec |bunx |sudo |time )*(?:(?:npm|pnpm|yarn|bun|mise|task|just|make|gradle|\.\/gradlew|mvn|cargo|go|dotnet|deno|uv|swift)(?: run(?:-script)?)? (?:\S*(?:test|lint|check|build|clippy|vet|verify|types?)\b|vitest\b|jest\b)|(?:vitest|jest|pytest|tsc|eslint|ruff|mypy|biome|golangci-lint|phpunit|rspec)\b)/;

const failedWords =
	/\b(?!0\b)\d+ (?:tests? )?(?:fail(?:ed|ing|ures?)?|errors?)\b|\bFAIL(?:ED|S)?\b|\bfail(?:s|ed|ing)?\b|exit(?:ed)?(?: code| with)*:? *[1-9]|[✗✘×❯]|\berror\b|失敗|fehlgeschlagen/i;
/** Matches counts of zero failures in reports of tests. */
const noFailures = /\b0 (?:tests? )?(?:fail\w*|errors?|warnings?)/gi;
const passedWords =
	/\b0 fail|\bpass(?:es|ed|ing)?\b|\bok\b|succe(?:ss|eded)|\b(?:is |are )?clean\b|no (?:issues|errors)|[✓✔]|成功|通りました|laufen durch/i;

/** Matches a pipe. The exit code of a pipe says nothing about the check before it. */
const pipe = /[^|]\|[^|]/;
/** Matches results of commands that had not ended. */
const running = /^Process running with session ID|running in (?:the )?background/m;
/** Matches words which say that a failure was fixed later. */
const settledWords = /\b(?:passed|succeeded|fixed|passes|ok) later\b|\blater (?:passed|succeeded|fixed)\b/i;

interface CheckRun {
	/** The command without its options and redirections, so that runs can be compared. */
	check: string;
	/** Whether the check passed; undefined if one of several things in the command failed, or the result shows no outcome. */
	hasPassed: boolean | undefined;
	call: PastCall;
}

/**
 * Finds checks whose last outcome in a view differs from their last outcome in the history. Also finds quoted lines of
 * failures that were fixed later, if no later line of the view says so.
 */
export function staleChecks(view: CheckedView): FalseStatement[] {
	const runs = view.calls.flatMap(checkRuns);
	return [...wrongOutcomes(view, runs), ...settledFailures(view, runs)];
}

function checkRuns(call: PastCall): CheckRun[] {
	if (call.command === undefined) return [];
	const pieces = call.command.split(/\s*(?:&&|;|\n)\s*/);
	const hasFailed =
		call.isFailed ||
		/\b[1-9]\d* (?:failed|failing)\b|^(?:(?:FAIL|FAILED)\b|--- FAIL: |\(fail\) )/m.test(call.result);
	const hasEnded = !running.test(call.result);
	return pieces.flatMap((piece): CheckRun[] => {
		const check = checkOf(piece);
		if (check === undefined) return [];
		if (hasFailed) return [{ check, hasPassed: pieces.length > 1 ? undefined : false, call }];
		const showsPass = hasEnded && (!pipe.test(piece) || passedWords.test(call.result));
		return [{ check, hasPassed: showsPass ? true : undefined, call }];
	});
}

/** Returns the tool, its task, and its arguments without options; undefined if the command checks nothing. */
function checkOf(piece: string): string | undefined {
	const command = piece
		.replace(/^(?:\w+=\S+ )+/, '')
		.replace(/\s*(?:\d?>|\|).*$/s, '')
		.trim();
	return checkCommand.test(command) ? command.replace(/ -\S+/g, '') : undefined;
}

/**
 * Returns the last outcome of each check, without those that a failed command with several checks, or a run whose end another
 * call shows, left open.
 */
function lastOutcomes(runs: readonly CheckRun[]): Map<string, boolean> {
	const last = new Map<string, boolean>();
	for (const { check, hasPassed, call } of runs) {
		if (hasPassed !== undefined) last.set(check, hasPassed);
		else if (call.isFailed || running.test(call.result)) last.delete(check);
	}
	return last;
}

/** The outcome of a check that a line of the view states. */
interface StatedOutcome {
	check: string;
	hasPassed: boolean;
	index: number;
}

function wrongOutcomes({ lines }: CheckedView, runs: readonly CheckRun[]): FalseStatement[] {
	const said = outcomesSaid(lines, runs);
	return [...lastOutcomes(runs)].flatMap(([check, hasPassed]): FalseStatement[] => {
		const last = said.findLast((one) => one.check === check);
		const line = lines[last?.index ?? -1];
		if (last === undefined || line === undefined || last.hasPassed === hasPassed || !line.isOwn) return [];
		return [
			{ kind: 'stale check', line: line.text, reason: `${check} ${hasPassed ? 'passed' : 'failed'} later` },
		];
	});
}

function outcomesSaid(lines: readonly ViewLine[], runs: readonly CheckRun[]): StatedOutcome[] {
	const checks = [...new Set(runs.map(({ check }) => check))];
	const last = lastOutcomes(runs);
	return lines.flatMap(({ text, isOwn, call }, index): StatedOutcome[] => {
		if (!isOwn) {
			const shown = runs.filter((run) => run.call === call && run.hasPassed !== undefined);
			return shown.map(({ check, hasPassed = false }) => ({ check, hasPassed, index }));
		}
		const mentioned = checks.filter((check) => mentions(text, check));
		if (mentioned.length === 0) return [];
		const hasPassed = outcomeIn(reportIn(text)) ?? outcomeIn(continuationOf(lines, index));
		// A command with several checks fails if one of them does.
		const isOpen = mentioned.length > 1 && !hasPassed && mentioned.some((check) => last.get(check) !== true);
		return hasPassed === undefined || isOpen ? [] : mentioned.map((check) => ({ check, hasPassed, index }));
	});
}

function mentions(text: string, check: string): boolean {
	const at = text.indexOf(check);
	return at >= 0 && !/^(?:[\w-]|:\w)/.test(text.slice(at + check.length));
}

/** Returns the report in a line: the line without the command before an arrow, quoted words, and earlier outcomes. */
function reportIn(text: string): string {
	const report = text.slice(Math.max(0, text.lastIndexOf('→')));
	return report.replace(/"[^"]*"|'[^']*'|\b(?:before|earlier|previously):.*/g, '');
}

/** Returns the next line if it continues this line because it is indented further or begins with an arrow. */
function continuationOf(lines: readonly ViewLine[], index: number): string {
	const [line = '', next = ''] = [lines[index]?.text, lines[index + 1]?.text];
	const indent = (text: string) => text.length - text.trimStart().length;
	return indent(next) > indent(line) || /^\s*(?:→|->)/.test(next) ? next : '';
}

function outcomeIn(text: string): boolean | undefined {
	if (settledWords.test(text)) return true;
	if (failedWords.test(text.replace(noFailures, ''))) return false;
	return passedWords.test(text) ? true : undefined;
}

/** Whether a line names one of the checks by a word of its command. */
function namesCheck(text: string, checks: readonly string[]): boolean {
	return checks.flatMap((check) => check.match(/[a-z]{4,}/gi) ?? []).some((word) => text.includes(word));
}

/**
 * Finds quoted lines of a failed run whose checks all passed later, if no later line of the view says so. Lines that
 * other calls showed as well, such as lines of code, are not lines of a failure.
 */
function settledFailures(
	{ calls, lines, userLines }: CheckedView,
	runs: readonly CheckRun[],
): FalseStatement[] {
	const said = outcomesSaid(lines, runs);
	const order = new Map(calls.map((call, index) => [call, index]));
	const failed = [...new Set(runs.filter(({ hasPassed }) => hasPassed !== true).map(({ call }) => call))];
	return failed.flatMap((call): FalseStatement[] => {
		const checks = runs.filter((run) => run.call === call).map(({ check }) => check);
		const isSettled = checks.every((check) =>
			runs.some(
				(run) =>
					run.check === check &&
					run.hasPassed === true &&
					(order.get(run.call) ?? 0) > (order.get(call) ?? 0),
			),
		);
		if (!isSettled) return [];
		const quoted = new Set(
			call.result
				.split('\n')
				.map((line) => line.trim())
				.filter((line) => line.length >= 12 && failedWords.test(line) && !userLines.has(line))
				.filter((line) => !calls.some((one) => !failed.includes(one) && one.result.includes(line))),
		);
		const shown = lines.findLastIndex(({ text, isOwn }) => isOwn && quoted.has(plainLine(text)));
		const line = lines[shown]?.text;
		const isResolved = lines
			.slice(shown + 1)
			.some(({ text, isOwn }) => isOwn && outcomeIn(text) === true && namesCheck(text, checks));
		const passesBelow = said.some(
			({ check, hasPassed, index }) => hasPassed && index > shown && checks.includes(check),
		);
		if (line === undefined || isResolved || passesBelow) return [];
		return [{ kind: 'stale check', line, reason: `${checks.join(' and ')} passed later` }];
	});
}
