import type { TruncateToTokenBudgetResult } from '../../protocol/stats.ts';
import { countLines } from '../output/textSize.ts';

/** Tokens of a text. */
type CountTokens = (text: string) => number;

/** How tokens are counted and texts are cut to them. */
export interface TokenMeasure {
	count: CountTokens;
	/** As much of a text as a number of tokens holds, from its start. */
	truncate: (text: string, maxTokens: number, count: CountTokens) => TruncateToTokenBudgetResult;
}

/** The start of a text that a number of tokens holds. */
export interface LineCut {
	text: string;
	tokens: number;
	/** Lines that the text holds, a last one that is there in part included. */
	lines: number;
	/** The last line is there in part, for it alone is larger than what there was room for. */
	partial: boolean;
}

/**
 * The start of a text that at most `maxTokens` hold, cut where a line ends; inside the first line where not
 * even that fits.
 */
export function cutAtLine(text: string, maxTokens: number, measure: TokenMeasure): LineCut {
	const room = Math.max(0, maxTokens);
	const fitting = commonStart(text, measure.truncate(text, room, measure.count).text);
	const isWhole = fitting.length === text.length || text[fitting.length] === '\n';
	let kept = isWhole ? text.slice(0, fitting.length + 1) : upToLineEnd(fitting);
	let tokens = measure.count(kept);
	while (kept !== '' && tokens > room) {
		kept = upToLineEnd(kept.slice(0, -1));
		tokens = measure.count(kept);
	}
	if (kept !== '') return { text: kept, tokens, lines: countLines(kept), partial: false };
	const lines = fitting === '' ? 0 : 1;
	return { text: fitting, tokens: measure.count(fitting), lines, partial: lines > 0 };
}

function upToLineEnd(text: string): string {
	return text.slice(0, text.lastIndexOf('\n') + 1);
}

/** A truncation may end in a mark of its own, such as an ellipsis; only what is of the text counts. */
function commonStart(text: string, cut: string): string {
	if (text.startsWith(cut)) return cut;
	let length = 0;
	while (length < cut.length && cut.charCodeAt(length) === text.charCodeAt(length)) length += 1;
	const splitsPair = length > 0 && (cut.charCodeAt(length - 1) & 0xfc00) === 0xd800;
	return cut.slice(0, splitsPair ? length - 1 : length);
}
