/** Shows a summary to people: what happened first, then the titles of its other sections. */

import { narrativeTitles } from '../../core/compact/summary/headings.ts';
import { formatCount } from '../../core/figures.ts';
import { type Line, span } from './line.ts';
import { makePrintable } from './printable.ts';

/** Maximum lines of the head, of each narrative section, and of a text without such sections. */
const maxLines = { head: 4, narrative: 5, plain: 14 };

/**
 * Matches the message number in front of words that are quoted from the agent. Quoted tool results begin with their tool.
 */
const quotationPattern = /^\[#\d{1,9}\] /;

interface SummarySection {
	title: string;
	lines: string[];
}

/**
 * Renders a summary in about twenty lines.
 * @param hint says where to read the hidden lines; follows their number
 */
export function renderSummaryPreview(text: string, hint: string): Line[] {
	const summaryLines = text.split('\n').filter((line) => line.trim() !== '');
	const { head, sections } = parseSections(summaryLines);
	const narrative = sections.filter(({ title }) => narrativeTitles.has(title));
	if (narrative.length === 0) return renderFirstLines(summaryLines, maxLines.plain, '  ', hint);
	const others = sections.filter(({ title }) => !narrativeTitles.has(title));
	return [
		...head.slice(0, maxLines.head).map((line): Line => [span(`  ${makePrintable(line)}`, 'gray')]),
		...narrative.flatMap(({ title, lines }) => [
			[span(`  ${makePrintable(title)}`)],
			...renderFirstLines(lines, maxLines.narrative, '    ', hint),
		]),
		...others.map(
			({ title, lines }): Line => [
				span(`  ${makePrintable(title)}`),
				span(` · ${formatCount(lines.length, 'line')}`, 'gray'),
			],
		),
	];
}

function parseSections(lines: readonly string[]): { head: string[]; sections: SummarySection[] } {
	const head: string[] = [];
	const sections: SummarySection[] = [];
	for (const line of lines) {
		const title = /^## (?:\d{1,2}\. )?(.+)$/.exec(line)?.[1];
		if (title !== undefined) sections.push({ title, lines: [] });
		else (sections.at(-1)?.lines ?? head).push(line);
	}
	return { head, sections };
}

/** Renders the first `max` lines that quote the agent's messages; if no line does, the first `max` lines. */
function renderFirstLines(lines: readonly string[], max: number, indent: string, hint: string): Line[] {
	const quotations = lines
		.filter((line) => quotationPattern.test(line))
		.map((line) => line.replace(quotationPattern, ''));
	const shownLines = (quotations.length > 0 ? quotations : lines).slice(0, max);
	const hidden = lines.length - shownLines.length;
	return [
		...shownLines.map((line): Line => [span(`${indent}${makePrintable(line)}`, 'gray')]),
		...(hidden > 0 ? [[span(`${indent}… ${formatCount(hidden, 'more line')}${hint}`, 'gray')]] : []),
	];
}
