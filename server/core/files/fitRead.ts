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
	/** Included; the last one may be there in part where the text is cut. */
	lastLine: number;
	/** Of the whole file. */
	totalLines: number;
	/** Not all that was wanted was read. */
	cut: boolean;
}

/** Tokens that a file may take. */
export interface ReadAllowance {
	/** What file reads may still take. */
	budgetTokens: number;
	/** What remains of the window in all. */
	remainingTokens: number;
}

/** What of a file goes into the window. */
export interface FittedRead {
	status: 'full' | 'truncated' | 'preview' | 'excluded';
	content: string;
	/** Tokens of the content. */
	tokens: number;
	/** Says which lines came, or why none did; content and notice together keep to the budget. */
	notice?: string;
	/** The last line that the content holds; one less than the first where it holds none. */
	lastLine: number;
	/** The last line that it holds to its end. */
	lastWholeLine: number;
}

/**
 * Fits what was read of a file by `plan` into what may be taken: whole where it fits, else as many lines as
 * the budget holds with a notice that says which, else not at all.
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
	const widest = noticeFor(read, plan, { lines: read.totalLines, partial: true });
	const cut = cutAtLine(read.text, budgetOf(allowance) - measure.count(widest), measure);
	if (cut.text === '') return excluded(read, tokens, allowance);
	const end = endsInside(read, cut);
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

/** Where reading itself stopped inside a line, the last line is there in part though no token cut it. */
function endsInside(read: ReadText, cut: LineCut): Pick<LineCut, 'lines' | 'partial'> {
	const readStopped = read.cut && cut.text.length === read.text.length && !cut.text.endsWith('\n');
	return { lines: cut.lines, partial: cut.partial || readStopped };
}

function noticeFor(read: ReadText, plan: ReadPlan, cut: Pick<LineCut, 'lines' | 'partial'>): string {
	const lastLine = read.firstLine + cut.lines - 1;
	const nextLine = cut.partial ? lastLine : lastLine + 1;
	const further =
		plan.mode === 'preview'
			? 'a preview, for the file is too large: read a range of lines'
			: `read on from line ${nextLine}`;
	return shownLinesNotice({ ...read, lastLine, partial: cut.partial }, further);
}

function excluded(read: ReadText, tokens: number, allowance: ReadAllowance): FittedRead {
	const needs = `${read.cut ? 'more than ' : ''}${tokens} tokens`;
	const notice = `[${read.path} not shown: it needs ${needs}, and ${budgetOf(allowance)} are left for files]`;
	const lastLine = read.firstLine - 1;
	return { status: 'excluded', content: '', tokens: 0, notice, lastLine, lastWholeLine: lastLine };
}

/** Which lines of a file a text holds. */
interface ShownLines {
	path: string;
	/** From 1. */
	firstLine: number;
	/** Included. */
	lastLine: number;
	/** Of the whole file. */
	totalLines: number;
	/** The last line is there in part. */
	partial: boolean;
}

/** Says which lines came, and whatever else is to be said: `[Lines 1-120 of 4000 of PATH shown; …]`. */
export function shownLinesNotice(shown: ShownLines, further: string): string {
	const { firstLine, lastLine, totalLines, path } = shown;
	const range = lastLine > firstLine ? `Lines ${firstLine}-${lastLine}` : `Line ${firstLine}`;
	const part = shown.partial ? ' in part' : '';
	return `[${range} of ${totalLines} of ${path} shown${part}; ${further}]`;
}
