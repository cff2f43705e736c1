/** Parses the sections of a summary that a model wrote. */

import type { SummaryStyle } from '../compact/policy.ts';
import { getHeadings, type Section } from '../compact/summary/headings.ts';

/** How the content of a section must be verified. */
export interface SectionRules {
	/** Whether everything under the heading is a rule of the user. */
	isRules: boolean;
	/** Whether the section may contain rules among other text. */
	canContainRules: boolean;
	/** Whether quotations under the heading are the user's. */
	quotesUser: boolean;
}

export const noSection: SectionRules = { isRules: false, canContainRules: false, quotesUser: false };

/** Sections about what the user wants. */
const userSections: ReadonlySet<Section> = new Set(['userWords', 'plan', 'rules']);

/** Matches a line that says that its section is empty, or an empty line. */
export const emptySectionPattern =
	/^[\s\-–—*•]*(?:(?:none|n\/a|nothing|keine?|aucune?|ninguna?|なし|无|\.)[\s.]*|no (?:rules|constraints).*(?:[\n\r\u2028\u2029][\s.]*)?)?$/i;

/** Returns the rules of a heading's section, and the text after the heading; undefined for other lines. */
export function parseHeading(
	line: string,
	style: SummaryStyle,
): { rules: SectionRules; rest: string } | undefined {
	for (const { title, sections } of getHeadings(style)) {
		const index = line.toLowerCase().indexOf(title.toLowerCase());
		if (index < 0 || /[\p{L}]/u.test(line.slice(0, index))) continue;
		const rest = line.slice(index + title.length).replace(/^[\s*_:#>/)\].–—-]+/u, '');
		const isRules = sections.length === 1 && sections[0] === 'rules';
		const canContainRules = sections.includes('rules');
		return {
			rules: { isRules, canContainRules, quotesUser: sections.some((section) => userSections.has(section)) },
			rest,
		};
	}
	return undefined;
}

/** Returns a summary without headings of empty sections. */
export function removeEmptySections(summary: string, style: SummaryStyle): string {
	const sections: string[][] = [[]];
	for (const line of summary.split('\n')) {
		if (parseHeading(line, style)) sections.push([line]);
		else sections.at(-1)?.push(line);
	}
	const [untitledLines = [], ...titledSections] = sections;
	const nonEmptySections = titledSections.filter(
		([heading = '', ...lines]) =>
			parseHeading(heading, style)?.rest !== '' || lines.some((line) => !emptySectionPattern.test(line)),
	);
	return [untitledLines, ...nonEmptySections].flat().join('\n').trim();
}
