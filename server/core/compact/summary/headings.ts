/** The sections of summaries, and the headings that they stand under. */

import type { SummaryHeadings } from '../../../protocol/settings.ts';

/** NeuroLink's ten, in order: the default. */
export const sectionTitles = [
	'Primary Request and Intent',
	'Key Technical Concepts',
	'Files and Code Sections',
	'Problem Solving',
	'Pending Tasks',
	'Task Evolution',
	'Current Work',
	'Next Step',
	'Required Files',
	'Constraints and Established Rules',
] as const;

/** Number of a section: 1 to 10 as in NeuroLink's headings; 11 decisions, 12 what is open, 13 what the user is asked for. */
export type Section = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13;

/** Lines of the summary by section. */
export type Lines = Map<Section, string[]>;

export interface Heading {
	title: string;
	/** The sections whose lines stand under it, in this order. */
	of: readonly Section[];
}

/** The headings of each style; those of `blog` are the SUMMARY_SECTIONS of the article on four-stage compaction. */
const styles: Readonly<Record<SummaryHeadings, readonly Heading[]>> = {
	neurolink: sectionTitles.map((title, index) => ({ title, of: [(index + 1) as Section] })),
	blog: [
		{ title: 'Key decisions made', of: [11] },
		{ title: 'Main topics discussed', of: [6] },
		{ title: "User's primary goal", of: [1] },
		{ title: 'Key files or data mentioned', of: [3, 9] },
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
		{ title: 'Relevant Files and Code', of: [3, 9] },
		{ title: 'Problem Solving', of: [4] },
		{ title: 'Pending Tasks and Next Steps', of: [5, 8] },
	],
};

/** The headings of a style, in order. */
export function headingsOf(style: SummaryHeadings): readonly Heading[] {
	return styles[style];
}

/** The titles of a style, in order. */
export function titlesOf(style: SummaryHeadings): string[] {
	return styles[style].map(({ title }) => title);
}

/** The title under which a style has the lines of a section. */
export function sectionTitle(style: SummaryHeadings, section: Section): string {
	return styles[style].find(({ of }) => of.includes(section))?.title ?? '';
}

/** The summary's text: each section that has lines under its heading, numbered as in the whole set; then the closing line. */
export function withHeadings(lines: Lines, style: SummaryHeadings, closing: string): string {
	const blocks = styles[style].flatMap(({ title, of }, index) => {
		const body = of.flatMap((section) => lines.get(section) ?? []);
		return body.length === 0 ? [] : [`## ${index + 1}. ${title}\n${body.join('\n')}`];
	});
	if (closing !== '') blocks.push(closing);
	return blocks.join('\n\n');
}
