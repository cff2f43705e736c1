/** Renders the last outcome of each test, build or measurement, with the outcomes of earlier runs. */

import { getCheckKey } from '../../analysis/calls/outcomes.ts';
import { findLaterEvents, type LaterEvents } from '../../analysis/changes/laterEvents.ts';
import type { CallOutcome, Outcomes } from '../../analysis/message/callOutcome.ts';
import { getMessageName } from '../../analysis/message/source.ts';
import { measurementPattern, runningMessage, totalsPattern } from '../../analysis/shell/checkOutput.ts';
import { findAssignments } from '../../analysis/shell/checkRuns.ts';
import { mayBeSameFolder, quotesOtherOutput } from '../../analysis/shell/commands.ts';
import { listFailedTests } from '../../analysis/shell/failedTests.ts';
import { listOutputLines } from '../../analysis/text/outputLines.ts';
import { quoteLine, truncateWithEllipsis } from '../../analysis/text/quote.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { type SummaryBudget, takeLine } from './summaryBudget.ts';
import type { SessionAnalyses } from './workState.ts';

/** Maximum length of an earlier outcome of a check, and of a line other than totals that a passed check prints. UTF-16 units. */
const maxEarlierLength = 80;
/** Maximum length of a command. UTF-16 units. */
const maxActionLength = 100;
/** Number of checks that are shown. */
const maxChecks = 5;
/** Maximum length of the list of failed tests. UTF-16 units. */
const maxFailedTestsLength = 320;
/** Maximum length of a test's name in the list. UTF-16 units. */
const maxNameLength = 160;
/** Number of earlier outcomes shown for each check. */
const maxEarlierRuns = 2;

interface CheckLine {
	/** The line with the last run of a check. */
	lastRun: string;
	/** The rest of the line, if the budget allows: failed tests and earlier runs. */
	details: string;
	/** What happened to files after the last run. */
	events: LaterEvents;
}

/**
 * Returns a line for each of the last checks, oldest first, within `maxTokens` tokens. The newest outcome has priority,
 * then the outcomes of other checks, then earlier runs. Refers to the summary's head for an outcome that it shows. If files
 * changed after a check, its line says so.
 */
export function renderChecks(
	budget: SummaryBudget,
	state: SessionAnalyses,
	head: readonly string[],
	maxTokens: number,
): string[] {
	let allowed = maxTokens;
	const checks = state.checks
		.flatMap((runs) => renderCheck(runs, head, state))
		.reverse()
		.flatMap(({ lastRun, details, events }) => {
			const line = events === '' ? lastRun : `${lastRun}, then ${events}`;
			const tokens = takeLine(budget, 'checks', line, allowed);
			allowed -= tokens;
			return tokens === 0 ? [] : [{ line, details }];
		});
	const take = (addition: string): string => {
		const tokens = budget.count(addition);
		if (tokens > Math.min(allowed, budget.tokensLeft)) return '';
		allowed -= tokens;
		budget.tokensLeft -= tokens;
		return addition;
	};
	const lines = checks.map(({ line, details }) => `${line}${details === '' ? '' : take(`; ${details}`)}`);
	return lines.reverse();
}

/** Returns the runs of each of the last checks, oldest first. A check in another folder is a different check. */
export function listChecks({ checks: outcomes }: Outcomes): (readonly CallOutcome[])[] {
	const checks = new Map<string, { folder?: string; runs: CallOutcome[] }[]>();
	const all = new Set<CallOutcome[]>();
	for (const outcome of outcomes) {
		const { wasStopped, isToolRejection, folder } = outcome;
		const key = getCheckKey(outcome);
		if (key === undefined || wasStopped || isToolRejection) continue;
		const known = getOrInsert(checks, key, () => []);
		const index = known.findLastIndex((one) => mayBeSameFolder(one.folder, folder));
		const [check = { runs: [] }] = index < 0 ? [] : known.splice(index, 1);
		check.folder ??= folder;
		// A later result of the same call has the rest of its output.
		if (check.runs.at(-1)?.call === outcome.call) check.runs.pop();
		check.runs.push(outcome);
		known.push(check);
		// Deleting and adding moves the check to the end.
		all.delete(check.runs);
		all.add(check.runs);
	}
	// Omits checks whose failure was settled by a passing run of more tests.
	return [...all].filter((runs) => runs.at(-1)?.settledBy === undefined).slice(-maxChecks);
}

/** Renders a run: its command, its outcome, and the message that reports it. */
export function renderRun(run: CallOutcome): string {
	const note = run.isStashed ? ', with the changes stashed' : '';
	return `${describeAction(run)}: ${describeEnding(run)} (${getMessageName(run.result)}${note})`;
}

/** The start of an outcome that names an error, and is known although it shows no totals. */
const namedErrorPattern = /^\w{0,40}(?:Error|Exception): /;

/** Returns where the command of a tool starts in a script; 0 if the script does not name the tool. */
function findCommandStart(script: string, tool = ''): number {
	const before = script.slice(0, Math.max(0, script.indexOf(tool)));
	return (/^.*(?:&&|;) /s.exec(before)?.[0] ?? '').length;
}

/** Returns the command of a run, shortened, with the variables that it sets and the last part of its folder. */
function describeAction(run: CallOutcome): string {
	const { actionKey = '', checkRuns, folder } = run;
	const isLong = actionKey.length > maxActionLength;
	const begin = isLong ? findCommandStart(actionKey, checkRuns[0]?.tool) : 0;
	const rest = actionKey.slice(begin);
	const shown = truncateWithEllipsis(rest, maxActionLength);
	const command = begin > 0 ? `… ${shown}` : shown;
	const action = quoteLine(`${findAssignments(run)}${command}`);
	return folder === undefined ? action : `${action} in ${quoteLine(folder.split(/[\\/]/).at(-1) ?? '')}`;
}

function renderCheck(
	runs: readonly CallOutcome[],
	head: readonly string[],
	state: SessionAnalyses,
): CheckLine[] {
	const newestRun = runs.at(-1);
	if (newestRun === undefined) return [];
	const newestVariables = findAssignments(newestRun);
	const earlier = runs
		.slice(0, -1)
		.filter((run) => run.message !== newestRun.message)
		.slice(-maxEarlierRuns)
		.map((run) => {
			const variables = findAssignments(run);
			const mark = variables === newestVariables ? '' : variables || 'without variables, ';
			return `${mark}${truncateWithEllipsis(describeEnding(run), maxEarlierLength)} (${getMessageName(run.result)})`;
		});
	const failing = renderFailedTests(newestRun);
	const details = [
		...(failing === '' ? [] : [`failing: ${failing}`]),
		...(earlier.length === 0 ? [] : [`before: ${earlier.join(', ')}`]),
	].join('; ');
	const runLine = renderRun(newestRun);
	const events = findLaterEvents(newestRun, state.all, state);
	if (!head.some((line) => line.includes(runLine))) return [{ lastRun: `- ${runLine}`, details, events }];
	const lastRun = `- ${describeAction(newestRun)}: see State; ${details}`;
	return details === '' ? [] : [{ lastRun, details: '', events }];
}

/** Returns the names of a run's failed tests that fit, and the number of others; empty if its outcome names all. */
function renderFailedTests({ call, failed, hasHiddenFailure, message, result }: CallOutcome): string {
	if (!failed && !hasHiddenFailure) return '';
	const names = quotesOtherOutput(call) ? [] : listFailedTests(result.text);
	if (names.every((name) => message.includes(name))) return '';
	const shown: string[] = [];
	let length = 0;
	for (const name of names) {
		const line = quoteLine(truncateWithEllipsis(name, maxNameLength));
		length += line.length + 2;
		if (length > maxFailedTestsLength) break;
		shown.push(line);
	}
	const others = names.length - shown.length;
	return `${shown.join(', ')}${others === 0 ? '' : ` and ${others} more in ${getMessageName(result)}`}`;
}

function describeEnding(end: CallOutcome): string {
	const { failed, exitCode, message, hasPassed, hasHiddenFailure, result } = end;
	const code = exitCode === undefined ? 'failed' : `exit ${exitCode}`;
	if (message === '') {
		if (failed) return code;
		if (!hasPassed) return 'printed no outcome';
		return listOutputLines(result.text).length === 0 ? 'passed, without a word' : 'passed';
	}
	if (failed) return `${code}: ${quoteLine(message)}`;
	const isResult = totalsPattern.test(message) || measurementPattern.test(message);
	if (hasPassed && !isResult && message.length > maxEarlierLength) return 'passed';
	// A totals line in the middle of an output says nothing about the rest.
	const isUnclear =
		!hasPassed &&
		!hasHiddenFailure &&
		totalsPattern.test(message) &&
		!message.startsWith(runningMessage) &&
		!namedErrorPattern.test(message);
	return `${isUnclear ? 'unclear: ' : ''}${quoteLine(message)}`;
}
