import { utf8Length } from '../output/textSize.ts';
import { cutAtLine, type LineCut, type TokenMeasure } from './cutAtLine.ts';
import type { ReadPlan } from './readPlan.ts';
import { fastPathBytes } from './tuning.ts';

/** Lines of a file as they were read. */
export interface ReadText {
	path: string;
	text: string;
	/** From 1. */
	firstLine: number;
	/** Inclusive; the last line may be incomplete if the text is cut. */
	lastLine: number;
	/** Number of lines of the whole file. */
	totalLines: number;
	/** Not everything that was requested was read. */
	cut: boolean;
}

/** Tokens that a file may take. */
export interface ReadAllowance {
	/** Tokens that remain for file reads. */
	budgetTokens: number;
	/** Tokens that remain of the whole window. */
	remainingTokens: number;
}

/** The part of a file that goes into the window. */
export interface FittedRead {
	status: 'full' | 'truncated' | 'preview' | 'excluded';
	content: string;
	/** Tokens of the content. */
	tokens: number;
	/** Says which lines are shown, or why none are. Content and notice together stay within the budget. */
	notice?: string;
	/** The last line in the content; one less than the first if there is none. */
	lastLine: number;
	/** The last line that the content contains completely. */
	lastWholeLine: number;
}

/**
 * Fits the text read by `plan` into an allowance: whole if it fits, else as many lines as the budget
 * holds with a notice that names them, else not at all.
 */
export function fitRead(
	read: ReadText,
	plan: ReadPlan,
	allowance: ReadAllowance,
	measure: TokenMeasure,
): FittedRead {
	const tokens = measure.count(read.text);
	const allowed = isSmall(read, plan) ? allowance.remainingTokens : budgetOf(allowance);
	if (!read.cut && tokens <= allowed) {
		const { lastLine } = read;
		return { status: 'full', content: read.text, tokens, lastLine, lastWholeLine: lastLine };
	}
	const noticeOfAllLines = noticeFor(read, plan, { lines: read.totalLines, partial: true });
	const cut = cutAtLine(read.text, budgetOf(allowance) - measure.count(noticeOfAllLines), measure);
	if (cut.text === '') return excludeRead(read, tokens, allowance);
	const end = actualEnd(read, cut);
	const lastLine = read.firstLine + cut.lines - 1;
	return {
		status: plan.mode === 'preview' ? 'preview' : 'truncated',
		content: cut.text,
		tokens: cut.tokens,
		notice: noticeFor(read, plan, end),
		lastLine,
		lastWholeLine: end.partial ? lastLine - 1 : lastLine,
	};
}

function isSmall(read: ReadText, plan: ReadPlan): boolean {
	return plan.mode === 'whole' || (plan.mode === 'range' && utf8Length(read.text) < fastPathBytes);
}

function budgetOf({ budgetTokens, remainingTokens }: ReadAllowance): number {
	return Math.max(0, Math.min(budgetTokens, remainingTokens));
}

/** If reading stopped inside a line, the last line is incomplete even if no token limit cut it. */
function actualEnd(read: ReadText, cut: LineCut): Pick<LineCut, 'lines' | 'partial'> {
	const readStopped = read.cut && cut.text.length === read.text.length && !cut.text.endsWith('\n');
	return { lines: cut.lines, partial: cut.partial || readStopped };
}

function noticeFor(read: ReadText, plan: ReadPlan, cut: Pick<LineCut, 'lines' | 'partial'>): string {
	const lastLine = read.firstLine + cut.lines - 1;
	const nextLine = cut.partial ? lastLine : lastLine + 1;
	const further =
		plan.mode === 'preview'
			? 'a preview, because the file is too large: read a range of lines'
			: `read on from line ${nextLine}`;
	return shownLinesNotice({ ...read, lastLine, partial: cut.partial }, further);
}

function excludeRead(read: ReadText, tokens: number, allowance: ReadAllowance): FittedRead {
	const needs = `${read.cut ? 'more than ' : ''}${tokens} tokens`;
	const notice = `[${read.path} not shown: it needs ${needs}, and ${budgetOf(allowance)} are left for files]`;
	const lastLine = read.firstLine - 1;
	return { status: 'excluded', content: '', tokens: 0, notice, lastLine, lastWholeLine: lastLine };
}

/** The lines of a file that a text contains. */
interface ShownLines {
	path: string;
	/** From 1. */
	firstLine: number;
	/** Inclusive. */
	lastLine: number;
	/** Number of lines of the whole file. */
	totalLines: number;
	/** The last line is incomplete. */
	partial: boolean;
}

/** Formats which lines are shown, and a further remark: `[Lines 1-120 of 4000 of PATH shown; …]`. */
export function shownLinesNotice(shown: ShownLines, further: string): string {
	const { firstLine, lastLine, totalLines, path } = shown;
	const range = lastLine > firstLine ? `Lines ${firstLine}-${lastLine}` : `Line ${firstLine}`;
	const part = shown.partial ? ' in part' : '';
	return `[${range} of ${totalLines} of ${path} shown${part}; ${further}]`;
}
