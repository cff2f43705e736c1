import { countLines } from '../output/textSize.ts';

/** Tokens of a text. */
export type CountTokens = (text: string) => number;

/** As much of a text as a number of tokens holds, from its start. */
export type TruncateToTokens = (
	text: string,
	maxTokens: number,
	count: CountTokens,
) => { text: string; truncated: boolean; tokens: number };

/** How tokens are counted and texts are cut to them. */
export interface TokenMeasure {
	count: CountTokens;
	truncate: TruncateToTokens;
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
	const cut = measure.truncate(text, Math.max(0, maxTokens), measure.count);
	const fitting = commonStart(text, cut.text);
	const whole = fitting.length === text.length ? fitting : fitting.slice(0, fitting.lastIndexOf('\n') + 1);
	const kept = whole === '' ? fitting : whole;
	return {
		text: kept,
		tokens: measure.count(kept),
		lines: countLines(kept),
		partial: whole === '' && kept !== '',
	};
}

/** A truncation may end in a mark of its own, such as an ellipsis; only what is of the text counts. */
function commonStart(text: string, cut: string): string {
	if (text.startsWith(cut)) return cut;
	let length = 0;
	while (length < cut.length && cut.charCodeAt(length) === text.charCodeAt(length)) length += 1;
	const splitsPair = length > 0 && (cut.charCodeAt(length - 1) & 0xfc00) === 0xd800;
	return cut.slice(0, splitsPair ? length - 1 : length);
}
