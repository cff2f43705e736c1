/** The sections of summaries, and their headings. */

import type { SummaryStyle } from '../policy.ts';

/**
 * Number of a section: 1 to 10 as in NeuroLink; 11 decisions, 12 open questions, 13 requests to the user, 14 records.
 */
export type Section = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14;

/** Lines of the summary by section. */
export type Lines = Map<Section, string[]>;

export interface Heading {
	title: string;
	/** The sections whose lines appear under it, in this order. */
	of: readonly Section[];
}

/** The headings of each style; those of `blog` are the SUMMARY_SECTIONS of the article on four-stage compaction. */
const styles: Readonly<Record<SummaryStyle, readonly Heading[]>> = {
	plain: [
		{ title: 'Rules of the user', of: [10] },
		{ title: 'What the user said', of: [1] },
		{ title: 'Plan and open points', of: [5, 8] },
		{ title: 'Decisions and reasons', of: [11] },
		{ title: 'Records by id', of: [14] },
		{ title: 'What happened', of: [6] },
		{ title: 'Latest work', of: [7] },
		{ title: 'Last results of checks', of: [4] },
		{ title: 'Files and code', of: [9, 3] },
		{ title: 'Background notes', of: [2] },
	],
	neurolink: [
		{ title: 'Primary Request and Intent', of: [1] },
		{ title: 'Key Technical Concepts', of: [2, 14] },
		{ title: 'Files and Code Sections', of: [3] },
		{ title: 'Problem Solving', of: [4, 11] },
		{ title: 'Pending Tasks', of: [5] },
		{ title: 'Task Evolution', of: [6] },
		{ title: 'Current Work', of: [7] },
		{ title: 'Next Step', of: [8] },
		{ title: 'Required Files', of: [9] },
		{ title: 'Constraints and Established Rules', of: [10] },
	],
	blog: [
		{ title: 'Key decisions made', of: [11] },
		{ title: 'Main topics discussed', of: [6] },
		{ title: "User's primary goal", of: [1] },
		{ title: 'Key files or data mentioned', of: [3, 9, 14] },
		{ title: 'Action items for the assistant', of: [5, 8] },
		{ title: 'Action items for the user', of: [13] },
		{ title: 'Unresolved questions', of: [12] },
		{ title: 'User preferences or constraints', of: [10] },
		{ title: 'Technical discoveries', of: [2, 4] },
		{ title: 'Summary of the last few turns', of: [7] },
	],
	vellum: [
		{ title: 'Previous Conversation', of: [1, 6, 10] },
		{ title: 'Current Work', of: [7] },
		{ title: 'Key Technical Concepts', of: [2] },
		{ title: 'Relevant Files and Code', of: [3, 9, 14] },
		{ title: 'Problem Solving', of: [4, 11] },
		{ title: 'Pending Tasks and Next Steps', of: [5, 8] },
	],
};

/** Returns the headings of a style, in order. */
export function headingsOf(style: SummaryStyle): readonly Heading[] {
	return styles[style];
}

/** The titles of sections on what happened and on the newest work, in any style. */
export const narrativeTitles: ReadonlySet<string> = new Set(
	Object.values(styles).flatMap((headings) =>
		headings.filter(({ of }) => of.includes(6) || of.includes(7)).map(({ title }) => title),
	),
);

/** Returns the titles of a style, in order. */
export function listTitles(style: SummaryStyle): string[] {
	return styles[style].map(({ title }) => title);
}

/** Returns the title under which a style shows a section. */
export function sectionTitle(style: SummaryStyle, section: Section): string {
	return styles[style].find(({ of }) => of.includes(section))?.title ?? '';
}

/** Returns the line of a heading; plain titles have no number. */
export function renderHeading(style: SummaryStyle, title: string, index: number): string {
	return style === 'plain' ? `## ${title}` : `## ${index + 1}. ${title}`;
}

/** Renders a summary: each section that has lines under its heading, then the closing line. */
export function renderSections(lines: Lines, style: SummaryStyle, closing: string): string {
	const blocks = styles[style].flatMap(({ title, of }, index) => {
		const body = of.flatMap((section) => lines.get(section) ?? []);
		return body.length === 0 ? [] : [`${renderHeading(style, title, index)}\n${body.join('\n')}`];
	});
	if (closing !== '') blocks.push(closing);
	return blocks.join('\n\n');
}
