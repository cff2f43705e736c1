/** The sections of summaries, and their headings. */

import type { SummaryStyle } from '../policy.ts';

/**
 * Number of a section: 1 to 10 as in NeuroLink; 11 decisions, 12 open questions, 13 requests to the user, 14 records.
 */
export type Section = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14;

/** Lines of the summary by section. */
export type LinesBySection = Map<Section, string[]>;

export interface Heading {
	title: string;
	/** The sections whose lines appear under it, in this order. */
	sections: readonly Section[];
}

/** The headings of each style. `blog` has the SUMMARY_SECTIONS of the article on four-stage compaction. */
const styles: Readonly<Record<SummaryStyle, readonly Heading[]>> = {
	plain: [
		{ title: 'Rules of the user', sections: [10] },
		{ title: 'What the user said', sections: [1] },
		{ title: 'Plan and open points', sections: [5, 8] },
		{ title: 'Decisions and reasons', sections: [11] },
		{ title: 'Records by id', sections: [14] },
		{ title: 'What happened', sections: [6] },
		{ title: 'Latest work', sections: [7] },
		{ title: 'Last results of checks', sections: [4] },
		{ title: 'Files and code', sections: [9, 3] },
		{ title: 'Background notes', sections: [2] },
	],
	neurolink: [
		{ title: 'Primary Request and Intent', sections: [1] },
		{ title: 'Key Technical Concepts', sections: [2, 14] },
		{ title: 'Files and Code Sections', sections: [3] },
		{ title: 'Problem Solving', sections: [4, 11] },
		{ title: 'Pending Tasks', sections: [5] },
		{ title: 'Task Evolution', sections: [6] },
		{ title: 'Current Work', sections: [7] },
		{ title: 'Next Step', sections: [8] },
		{ title: 'Required Files', sections: [9] },
		{ title: 'Constraints and Established Rules', sections: [10] },
	],
	blog: [
		{ title: 'Key decisions made', sections: [11] },
		{ title: 'Main topics discussed', sections: [6] },
		{ title: "User's primary goal", sections: [1] },
		{ title: 'Key files or data mentioned', sections: [3, 9, 14] },
		{ title: 'Action items for the assistant', sections: [5, 8] },
		{ title: 'Action items for the user', sections: [13] },
		{ title: 'Unresolved questions', sections: [12] },
		{ title: 'User preferences or constraints', sections: [10] },
		{ title: 'Technical discoveries', sections: [2, 4] },
		{ title: 'Summary of the last few turns', sections: [7] },
	],
	vellum: [
		{ title: 'Previous Conversation', sections: [1, 6, 10] },
		{ title: 'Current Work', sections: [7] },
		{ title: 'Key Technical Concepts', sections: [2] },
		{ title: 'Relevant Files and Code', sections: [3, 9, 14] },
		{ title: 'Problem Solving', sections: [4, 11] },
		{ title: 'Pending Tasks and Next Steps', sections: [5, 8] },
	],
};

/** Returns the headings of a style, in order. */
export function getHeadings(style: SummaryStyle): readonly Heading[] {
	return styles[style];
}

/** Titles of the narrative's sections (6 and 7) in all styles. */
export const narrativeTitles: ReadonlySet<string> = new Set(
	Object.values(styles).flatMap((headings) =>
		headings.filter(({ sections }) => sections.includes(6) || sections.includes(7)).map(({ title }) => title),
	),
);

/** Returns the titles of a style, in order. */
export function listTitles(style: SummaryStyle): string[] {
	return styles[style].map(({ title }) => title);
}

/** Returns the title that a section has in a style. */
export function findSectionTitle(style: SummaryStyle, section: Section): string {
	return styles[style].find(({ sections }) => sections.includes(section))?.title ?? '';
}

/** Returns the line of a heading; headings of the plain style have no number. */
export function renderHeading(style: SummaryStyle, title: string, index: number): string {
	return style === 'plain' ? `## ${title}` : `## ${index + 1}. ${title}`;
}

/** Renders a summary: headings with the lines of their sections, then the closing line. Omits empty headings. */
export function renderSections(lines: LinesBySection, style: SummaryStyle, closing: string): string {
	const blocks = styles[style].flatMap(({ title, sections }, index) => {
		const body = sections.flatMap((section) => lines.get(section) ?? []);
		return body.length === 0 ? [] : [`${renderHeading(style, title, index)}\n${body.join('\n')}`];
	});
	if (closing !== '') blocks.push(closing);
	return blocks.join('\n\n');
}
