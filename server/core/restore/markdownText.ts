/** Renders texts of a transcript in Markdown so that no markup in them can change the page around them. */

/** Returns a text in a block that shows it verbatim. The block's fence is longer than any fence in the text. */
export function fenceText(text: string): string {
	const longest = Math.max(0, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
	const fence = '`'.repeat(Math.max(3, longest + 1));
	return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** Returns a text on one line without markup. */
export function toPlainMarkdown(text: string): string {
	return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>()#+!|~&$]/g, '\\$&');
}

/** Quotes a Markdown text of a message. Its headings and lists still render; its HTML is shown as text. Linear. */
export function quoteMarkdown(text: string): string {
	return escapeHtmlLines(text.replace(/\r\n?/g, '\n').split('\n'))
		.map((line) => (line === '' ? '>' : `> ${line}`))
		.join('\n');
}

const openingFencePattern = /^(`{3,})[^`]*$|^(~{3,})/;
/** A fence that is indented or in a list: only a complete parser could find the end of its block. */
const nestedFencePattern = /^.+(?:`{3}|~{3})/;

/** Syntax that makes backticks literal: a backslash, the cells of a table, the address of a link. */
const codeSplittingPattern = /\\`|\||\]\(/;

/** Escapes the HTML in lines. A line counts as code only if every parser of Markdown agrees. */
function escapeHtmlLines(lines: readonly string[]): string[] {
	let fence: string | undefined;
	let isUncertain = false;
	/** Whether code that began on an earlier line of the paragraph may continue. */
	let isOpen = false;
	return lines.map((line) => {
		if (fence !== undefined) {
			if (isClosingFence(line, fence)) fence = undefined;
			return line;
		}
		const [, backticks, tildes] = openingFencePattern.exec(line) ?? [];
		fence = isUncertain ? undefined : (backticks ?? tildes);
		if (fence !== undefined) {
			isOpen = false;
			return line;
		}
		if (nestedFencePattern.test(line)) isUncertain = true;
		if (/^[ \t]*$/.test(line)) isOpen = false;
		const runs =
			isUncertain || isOpen || codeSplittingPattern.test(line) ? undefined : escapeOutsideCode(line);
		if (runs === undefined) {
			isOpen ||= line.includes('`');
			return escapeTag(line);
		}
		isOpen = runs.isOpen;
		return runs.text;
	});
}

/** Whether a line ends the block that a fence began. */
function isClosingFence(line: string, fence: string): boolean {
	const [, run = ''] = /^ {0,3}(`+|~+)[ \t]*$/.exec(line) ?? [];
	return run[0] === fence[0] && run.length >= fence.length;
}

/** Escapes tags outside inline code (between equal runs of backticks). `isOpen`: a run is not closed. */
function escapeOutsideCode(line: string): { text: string; isOpen: boolean } {
	const runs = line.split(/(`+)/);
	let text = '';
	let isOpen = false;
	for (let index = 0; index < runs.length; index++) {
		const run = runs[index] ?? '';
		if (index % 2 === 0) {
			text += escapeTag(run);
			continue;
		}
		const end = runs.indexOf(run, index + 2);
		isOpen ||= end < 0;
		text += end < 0 ? run : runs.slice(index, end + 1).join('');
		if (end >= 0) index = end;
	}
	return { text, isOpen };
}

function escapeTag(text: string): string {
	return text.replace(/<(?=[a-z/!?])/gi, '&lt;');
}
