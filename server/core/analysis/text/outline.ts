/** Finds the headings and list items that each line of a text is under. */

import { introductionPattern, listItemPattern, readFence } from './sentences.ts';

/** A range of a text. UTF-16 units. */
export interface TextSpan {
	from: number;
	to: number;
}

/** A line of prose, and the line that it is under. */
export interface OutlineLine extends TextSpan {
	/** The line without white space around it. */
	text: string;
	/** The nearest heading, introduction or list item that the line is under. */
	parent?: OutlineLine;
	/** For a list item: its first item, if that gives its number or id, as in `Flight number: HAT084`. */
	key?: OutlineLine;
	kind: 'heading' | 'boldHeading' | 'item' | 'introduction' | 'row' | 'text';
}

/** A line that can be the parent of later lines with a higher rank. A line of plain text can only if it is a title. */
interface OpenLine {
	line: OutlineLine;
	rank: number;
	/** Whether a list item was found under the line. */
	hasItems: boolean;
}

const keyPattern =
	/^[-*•+]\s+[*_]{0,2}[\p{L} ]{0,30}\b(?:number|no|nr|id|code|reference)[*_]{0,2}:[*_]{0,2} +[`#]{0,2}[\w-]{0,24}\d[\w-]{0,24}`?$/iu;
/** Whether a line is a list item that gives a number or an id: `- Flight number: HAT084`. */
export function isKeyLine(text: string): boolean {
	return keyPattern.test(text);
}

const headingPattern = /^(#{1,6})\s+\S/;
const boldHeadingPattern = /^\*\*[^*]{1,80}\*\*:?$/;
// Ranks of lines: headings have their level, bold headings the next rank, and other lines follow by their indentation.
const boldHeadingRank = 7;
const textRank = 8;
const numberedItemRank = 8.25;
const itemRank = 8.5;

/** A short line that is no whole sentence, such as `✅ **Done**`: outside of lists, the title of what is below it. */
const titlePattern = /^.{1,80}$(?<![.!?。！？,;])/u;

/** Returns the lines of a text with letters or digits, in order. Lines of fenced code count as rows. Linear. */
export function readOutline(text: string): OutlineLine[] {
	const lines: OutlineLine[] = [];
	const open: OpenLine[] = [];
	let fence = '';
	let from = 0;
	for (const whole of text.split('\n')) {
		const trimmed = whole.trim();
		const fenceBefore = fence;
		fence = readFence(trimmed, fence);
		if (fence === fenceBefore && /[\p{L}\p{N}]/u.test(trimmed)) {
			const indent = whole.length - whole.trimStart().length;
			const isRow = fence !== '' || trimmed.startsWith('|');
			lines.push(addLine(trimmed, { from, to: from + whole.length }, { indent, open, isRow }));
		}
		from += whole.length + 1;
	}
	return lines;
}

/** Returns the outline line for a text, with its parent. Removes lines that cannot have further children from `open`. */
function addLine(
	text: string,
	{ from, to }: TextSpan,
	{ indent, open, isRow }: { indent: number; open: OpenLine[]; isRow: boolean },
): OutlineLine {
	// A row of a table has the same parent as the table.
	if (isRow) return { from, to, text, kind: 'row', parent: findListParent(open) };
	const level = headingPattern.exec(text)?.[1]?.length;
	const isBoldHeading = boldHeadingPattern.test(text);
	const item = level === undefined && !isBoldHeading ? listItemPattern.exec(text) : null;
	const rankOfItem = /\w/.test(item?.[0] ?? '') ? numberedItemRank : itemRank;
	const rank = level ?? (isBoldHeading ? boldHeadingRank : indent + (item ? rankOfItem : textRank));
	while ((open.at(-1)?.rank ?? -1) >= rank || (!item && open.at(-1)?.line.kind === 'text')) open.pop();
	const above = open.at(-1);
	let kind: OutlineLine['kind'] = 'text';
	let isFirstItem = false;
	if (level !== undefined) kind = 'heading';
	else if (isBoldHeading) kind = 'boldHeading';
	else if (item) {
		kind = 'item';
		// A list below a numbered line of the same indentation belongs to that line only if the line introduces it.
		const isBelow = above?.line.kind === 'item' && rank - above.rank < 1;
		if (isBelow && !introductionPattern.test(above.line.text)) open.pop();
		findListParent(open);
		isFirstItem = open.at(-1)?.hasItems === false;
		for (const one of open) one.hasItems = true;
	} else {
		if (introductionPattern.test(text)) kind = 'introduction';
		// A paragraph after a list ends the part that a bold line began.
		if (indent === 0 && above?.line.kind === 'boldHeading' && above.hasItems) open.pop();
	}
	const parent = open.at(-1)?.line;
	const line: OutlineLine = { from, to, text, kind, parent };
	if (isFirstItem && parent?.kind === 'item' && isKeyLine(text)) parent.key = line;
	open.push({ line, rank, hasItems: false });
	return line;
}

/** Returns the parent of a list, table or block of code. Removes a line of text above from `open`, unless it is a title. */
function findListParent(open: OpenLine[]): OutlineLine | undefined {
	const above = open.at(-1);
	if (above?.line.kind === 'text') {
		const isTitle = above.line.parent?.kind !== 'item' && titlePattern.test(above.line.text);
		if (isTitle) above.line.kind = 'introduction';
		else open.pop();
	}
	return open.at(-1)?.line;
}
