/** What a summary says, for people: what happened first, then which other sections it has. */

import { narrativeTitles } from '../../core/compact/summary/headings.ts';
import { countWithUnit } from './figures.ts';
import { type Line, span } from './line.ts';
import { printableText } from './printable.ts';

/** Lines shown of the beginning, and of each section on what happened; of a text without such sections. */
const maxLines = { head: 4, narrative: 5, plain: 14 };

/** Matches the number of a message in front of what the agent said; a result also names its tool. */
const saidLine = /^\[#\d{1,9}\] /;

interface SummarySection {
	title: string;
	lines: string[];
}

/**
 * The summary in about twenty lines.
 * @param hint follows a number of hidden lines, and says where to read them
 */
export function summaryPreview(text: string, hint: string): Line[] {
	const lines = text.split('\n').filter((line) => line.trim() !== '');
	const { head, sections } = sectionsOf(lines);
	const narrative = sections.filter(({ title }) => narrativeTitles.has(title));
	if (narrative.length === 0) return firstLines(lines, maxLines.plain, '  ', hint);
	const others = sections.filter(({ title }) => !narrativeTitles.has(title));
	return [
		...head.slice(0, maxLines.head).map((line): Line => [span(`  ${printableText(line)}`, 'gray')]),
		...narrative.flatMap(({ title, lines }) => [
			[span(`  ${printableText(title)}`)],
			...firstLines(lines, maxLines.narrative, '    ', hint),
		]),
		...others.map(
			({ title, lines }): Line => [
				span(`  ${printableText(title)}`),
				span(` · ${countWithUnit(lines.length, 'line')}`, 'gray'),
			],
		),
	];
}

function sectionsOf(lines: readonly string[]): { head: string[]; sections: SummarySection[] } {
	const head: string[] = [];
	const sections: SummarySection[] = [];
	for (const line of lines) {
		const title = /^## (?:\d{1,2}\. )?(.+)$/.exec(line)?.[1];
		if (title !== undefined) sections.push({ title, lines: [] });
		else (sections.at(-1)?.lines ?? head).push(line);
	}
	return { head, sections };
}

/** The first `max` lines. If any of them quote a message, only those are shown, so results of tools are left out. */
function firstLines(lines: readonly string[], max: number, indent: string, hint: string): Line[] {
	const said = lines.filter((line) => saidLine.test(line)).map((line) => line.replace(saidLine, ''));
	const shown = (said.length > 0 ? said : lines).slice(0, max);
	const hidden = lines.length - shown.length;
	return [
		...shown.map((line): Line => [span(`${indent}${printableText(line)}`, 'gray')]),
		...(hidden > 0 ? [[span(`${indent}… ${countWithUnit(hidden, 'more line')}${hint}`, 'gray')]] : []),
	];
}
