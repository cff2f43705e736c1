import { countUtf8Bytes } from '../output/textSize.ts';
import { cutAtLine, type LineCut, type TokenMeasure } from './cutAtLine.ts';
import type { ReadPlan } from './readPlan.ts';
import { fastPathBytes } from './tuning.ts';

/** Lines of a file as they were read. */
export interface ReadText {
	path: string;
	text: string;
	/** Number of the first line, from 1. */
	firstLine: number;
	/** Number of the last line, which may be incomplete if the text is cut. */
	lastLine: number;
	/** Number of lines of the whole file. */
	totalLines: number;
	/** Whether less was read than was requested. */
	isCut: boolean;
}

/** Tokens that a file may take. */
export interface ReadAllowance {
	/** Tokens that remain for file reads. */
	budgetTokens: number;
	/** Tokens that remain of the whole window. */
	remainingTokens: number;
}

/** The lines of a file that are shown to the model. */
export interface FittedRead {
	status: 'full' | 'truncated' | 'preview' | 'excluded';
	content: string;
	/** Tokens of the content. */
	tokens: number;
	/** Says which lines are shown, or why no lines are. Content and notice together stay within the budget. */
	notice?: string;
	/** Number of the last line in the content; one less than the first line if the content is empty. */
	lastLine: number;
	/** Number of the last line that the content contains completely. */
	lastWholeLine: number;
}

/**
 * Fits a text, read by `plan`, into an allowance. Returns the whole text if it fits, otherwise as many lines
 * as fit and a notice that names these lines. If not even one line fits, returns only a notice.
 */
export function fitRead(
	read: ReadText,
	plan: ReadPlan,
	allowance: ReadAllowance,
	measure: TokenMeasure,
): FittedRead {
	const tokens = measure.count(read.text);
	const allowedTokens = isSmallRead(read, plan) ? allowance.remainingTokens : computeReadBudget(allowance);
	if (!read.isCut && tokens <= allowedTokens) {
		const { lastLine } = read;
		return { status: 'full', content: read.text, tokens, lastLine, lastWholeLine: lastLine };
	}
	const noticeOfAllLines = createNotice(read, plan, { lineCount: read.totalLines, isPartial: true });
	const cut = cutAtLine(read.text, computeReadBudget(allowance) - measure.count(noticeOfAllLines), measure);
	if (cut.text === '') return excludeRead(read, tokens, allowance);
	const end = findActualEnd(read, cut);
	const lastLine = read.firstLine + cut.lineCount - 1;
	return {
		status: plan.mode === 'preview' ? 'preview' : 'truncated',
		content: cut.text,
		tokens: cut.tokens,
		notice: createNotice(read, plan, end),
		lastLine,
		lastWholeLine: end.isPartial ? lastLine - 1 : lastLine,
	};
}

function isSmallRead(read: ReadText, plan: ReadPlan): boolean {
	return plan.mode === 'whole' || (plan.mode === 'range' && countUtf8Bytes(read.text) < fastPathBytes);
}

function computeReadBudget({ budgetTokens, remainingTokens }: ReadAllowance): number {
	return Math.max(0, Math.min(budgetTokens, remainingTokens));
}

/** Returns how many lines a cut has, and whether its last line is incomplete, because of the cut or of an earlier limit. */
function findActualEnd(read: ReadText, cut: LineCut): Pick<LineCut, 'lineCount' | 'isPartial'> {
	const isReadStopped = read.isCut && cut.text.length === read.text.length && !cut.text.endsWith('\n');
	return { lineCount: cut.lineCount, isPartial: cut.isPartial || isReadStopped };
}

function createNotice(read: ReadText, plan: ReadPlan, cut: Pick<LineCut, 'lineCount' | 'isPartial'>): string {
	const lastLine = read.firstLine + cut.lineCount - 1;
	const nextLine = cut.isPartial ? lastLine : lastLine + 1;
	const remark =
		plan.mode === 'preview'
			? 'a preview, because the file is too large: read a range of lines'
			: `read on from line ${nextLine}`;
	return createShownLinesNotice({ ...read, lastLine, isPartial: cut.isPartial }, remark);
}

function excludeRead(read: ReadText, tokens: number, allowance: ReadAllowance): FittedRead {
	const needs = `${read.isCut ? 'more than ' : ''}${tokens} tokens`;
	const notice = `[${read.path} not shown: it needs ${needs}, and ${computeReadBudget(allowance)} are left for files]`;
	const lastLine = read.firstLine - 1;
	return { status: 'excluded', content: '', tokens: 0, notice, lastLine, lastWholeLine: lastLine };
}

/** The lines of a file that a text contains. */
type ShownLines = Omit<ReadText, 'text' | 'isCut'> & Pick<LineCut, 'isPartial'>;

/** Formats which lines are shown, followed by another remark: `[Lines 1-120 of 4000 of PATH shown; …]`. */
export function createShownLinesNotice(lines: ShownLines, remark: string): string {
	const { firstLine, lastLine, totalLines, path } = lines;
	const range = lastLine > firstLine ? `Lines ${firstLine}-${lastLine}` : `Line ${firstLine}`;
	const extent = lines.isPartial ? ' in part' : '';
	return `[${range} of ${totalLines} of ${path} shown${extent}; ${remark}]`;
}
