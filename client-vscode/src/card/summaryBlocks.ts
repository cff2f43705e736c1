/**
 * Parses the Markdown of a summary line by line: an excerpt in a summary may leave a list, a fence or a bracket open, which
 * must not affect later lines. The page creates an element for each block, never markup.
 */

/** A part of a line of a summary. */
export type InlinePart =
	| { kind: 'text' | 'code' | 'strong'; text: string }
	/** A reference such as `#12` to the message with this number. */
	| { kind: 'message'; text: string; number: number };

export type SummaryBlock =
	| { kind: 'heading'; level: 2 | 3; parts: InlinePart[] }
	| { kind: 'item'; depth: number; marker: string; parts: InlinePart[] }
	/** A line of text; `isInside` says that the line continues the entry above. */
	| { kind: 'line'; isInside: boolean; parts: InlinePart[] }
	/** What one message said or returned; `label` is the name of its call, or empty for plain text. */
	| { kind: 'entry'; number: number; label: string; parts: InlinePart[] }
	| { kind: 'code'; text: string };

const headingPattern = /^(#{1,6}) (.*)$/;
const itemPattern = /^( *)([-*•]|\d{1,3}[.)]) (.*)$/;
/** A label, in which a path may have parts in brackets: `[#7 Read [id]/page.tsx]`. */
const entryPattern = /^\[#(\d{1,7})((?:\[[^[\]\n]{1,60}\]|[^\]\n]){0,200})\] ?(.*)$/;
const fencePattern = /^ *```/;
/** Only spaces may follow a fence that closes a code block (CommonMark, 4.5). */
const closingFencePattern = /^ *`{3,} *$/;
const inlinePattern = /`([^`\n]{1,400})`|\*\*([^*\n]{1,400})\*\*|(?<![\w&/#\\])#(\d{1,7})(?![\w-])/g;

/** Returns the parts of a line: code, strong text, references to messages, and the text between them. */
export function parseInlineParts(line: string): InlinePart[] {
	const parts: InlinePart[] = [];
	let end = 0;
	const addText = (until: number): void => {
		if (until > end) parts.push({ kind: 'text', text: line.slice(end, until).replaceAll('\\#', '#') });
	};
	for (const match of line.matchAll(inlinePattern)) {
		const [whole, code, strong, number] = match;
		addText(match.index);
		if (code !== undefined) parts.push({ kind: 'code', text: code });
		else if (strong !== undefined) parts.push({ kind: 'strong', text: strong });
		else parts.push({ kind: 'message', text: whole, number: Number(number) });
		end = match.index + whole.length;
	}
	addText(line.length);
	return parts;
}

/** Returns the index of the line that closes the code block opened at line `start`; undefined if no line does. */
function findCodeEnd(lines: readonly string[], start: number): number | undefined {
	for (let index = start + 1; index < lines.length; index++) {
		const line = lines[index] ?? '';
		if (closingFencePattern.test(line)) return index;
		if (headingPattern.test(line) || entryPattern.test(line)) return undefined;
	}
	return undefined;
}

function parseBlock(line: string): SummaryBlock {
	const [, number, label = '', words = ''] = entryPattern.exec(line) ?? [];
	if (number !== undefined)
		return { kind: 'entry', number: Number(number), label: label.trim(), parts: parseInlineParts(words) };
	const [, signs, title] = headingPattern.exec(line) ?? [];
	if (signs !== undefined && title !== undefined)
		return { kind: 'heading', level: signs.length <= 2 ? 2 : 3, parts: parseInlineParts(title) };
	const [, indent = '', marker, text = ''] = itemPattern.exec(line) ?? [];
	if (marker !== undefined)
		return { kind: 'item', depth: Math.min(4, indent.length >> 1), marker, parts: parseInlineParts(text) };
	return { kind: 'line', isInside: line.startsWith(' '), parts: parseInlineParts(line.trim()) };
}

/** Returns the blocks of a summary, in order; empty lines are left out. */
export function parseSummaryBlocks(text: string): SummaryBlock[] {
	const lines = text.split(/\r?\n/);
	const blocks: SummaryBlock[] = [];
	for (let index = 0; index < lines.length; index++) {
		const line = lines[index] ?? '';
		if (line.trim() === '') continue;
		const end = fencePattern.test(line) ? findCodeEnd(lines, index) : undefined;
		if (end === undefined) blocks.push(parseBlock(line));
		else {
			blocks.push({ kind: 'code', text: lines.slice(index + 1, end).join('\n') });
			index = end;
		}
	}
	return blocks;
}
