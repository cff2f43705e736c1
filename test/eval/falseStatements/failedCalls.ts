import { contentText } from '../messageText.ts';
import { type CheckedView, type FalseStatement, plainLine, surroundingText } from './checkedView.ts';
import { leavesOf, type PastCall } from './pastCalls.ts';

/** Matches words and signs that say that something did not happen. */
const failureMark = new RegExp(
	[
		'fail|error|refus|reject|denied|declin|cancell|blocked|interrupt|abort|unavailable',
		"\\b(?:cannot|(?:could|did|does|was|were|is) ?n[o'’]t)\\b",
		'\\bnot (?:found|made|done|applied|written|changed|allowed|permitted|possible|run|set|matched)\\b',
		'\\bno (?:match|such|place)',
		'exit(?:ed)?(?: code| with| status)*:? *[1-9]|[✗✘×❌]',
		'失敗|エラー|拒否|ません|できな|Fehler|fehlgeschlagen|abgelehnt|scheiter|\\bnicht\\b',
	].join('|'),
	'i',
);

/** Minimum length of an argument's line that can identify its call. */
const minSignature = 14;
/** Number of compared characters of a line, because views shorten long lines. */
const comparedCharacters = 60;

/** Maximum number of indented lines below the line that says what they quote. */
const maxBlockLines = 40;

/**
 * Finds failed and refused calls that a view shows without a failure mark in that line, the line before, the two lines
 * after, or the line above its indented block. A line shows a call if it has content or a command that occurs nowhere
 * else, or the call's name with all arguments. Ignores calls that succeeded when repeated.
 */
export function unmarkedFailedCalls(view: CheckedView): FalseStatement[] {
	const { calls, lines } = view;
	const succeeded = calls.filter(({ isFailed }) => !isFailed);
	const said = view.history.filter(({ role }) => role === 'assistant').map(contentText);
	const known = [
		...view.userLines,
		...said,
		...succeeded.flatMap(({ args, result }) => [...leavesOf(args), result]),
	].join('\n');
	const repeated = new Set(succeeded.map(callKey));
	return calls
		.filter((call) => call.isFailed && !repeated.has(callKey(call)))
		.flatMap((call) => {
			const signatures = leavesOf(call.args)
				.flatMap(comparedLines)
				.filter((line) => line.length >= minSignature && !known.includes(line) && line !== call.path);
			const shown = lines.findIndex(
				({ text, isOwn }, index) =>
					isOwn &&
					(showsLine(text, signatures) || showsOnly(text, call, succeeded)) &&
					!failureMark.test(`${blockLabel(lines, index)}\n${surroundingText(lines, index, 1, 2)}`),
			);
			const line = lines[shown]?.text;
			return line === undefined
				? []
				: [{ kind: 'failed call' as const, line, reason: `failed: ${call.result.slice(0, 120)}` }];
		});
}

/** Returns the line above the block of indented lines that a line belongs to. */
function blockLabel(lines: CheckedView['lines'], index: number): string {
	const above = lines.slice(Math.max(0, index - maxBlockLines), index + 1);
	return above.findLast(({ text }) => !text.startsWith(' '))?.text ?? '';
}

function callKey({ name, args }: PastCall): string {
	return `${name}\n${JSON.stringify(args)}`;
}

function comparedLines(text: string): string[] {
	return text
		.split('\n')
		.map((line) => plainLine(line).slice(0, comparedCharacters).trimEnd())
		.filter((line) => line !== '');
}

function showsLine(text: string, signatures: readonly string[]): boolean {
	return signatures.some((signature) => text.includes(signature));
}

/** Whether a line shows a failed call, and no successful one. */
function showsOnly(text: string, call: PastCall, succeeded: readonly PastCall[]): boolean {
	return showsArguments(text, call) && !succeeded.some((other) => showsArguments(text, other));
}

/** Whether a line has the name of a call and all of its arguments. The call must have two or more arguments. */
function showsArguments(text: string, { name, args }: PastCall): boolean {
	const leaves = leavesOf(args).filter((leaf) => leaf.length >= 2);
	return leaves.length >= 2 && text.includes(name) && leaves.every((leaf) => text.includes(leaf));
}
