/** The sections of summaries, and their headings. */

import type { SummaryStyle } from '../policy.ts';

/** A subject of a summary's lines. A style puts each subject under one of its headings, or omits it. */
export type Section =
	| 'userWords'
	| 'background'
	| 'code'
	| 'checks'
	| 'plan'
	| 'events'
	| 'latestWork'
	| 'nextStep'
	| 'files'
	| 'rules'
	| 'decisions'
	| 'questions'
	| 'userTasks'
	| 'records';

/** Lines of the summary by section. */
export type LinesBySection = Map<Section, string[]>;

export interface Heading {
	title: string;
	/** The sections whose lines appear under the heading, in this order. */
	sections: readonly Section[];
}

/** The headings of each style. `blog` has the SUMMARY_SECTIONS of the article on four-stage compaction. */
const styles: Readonly<Record<SummaryStyle, readonly Heading[]>> = {
	plain: [
		{ title: 'Rules of the user', sections: ['rules'] },
		{ title: 'What the user said', sections: ['userWords'] },
		{ title: 'Plan and open points', sections: ['plan', 'nextStep'] },
		{ title: 'Decisions and reasons', sections: ['decisions'] },
		{ title: 'Records by id', sections: ['records'] },
		{ title: 'What happened', sections: ['events'] },
		{ title: 'Latest work', sections: ['latestWork'] },
		{ title: 'Last results of checks', sections: ['checks'] },
		{ title: 'Files and code', sections: ['files', 'code'] },
		{ title: 'Background notes', sections: ['background'] },
	],
	neurolink: [
		{ title: 'Primary Request and Intent', sections: ['userWords'] },
		{ title: 'Key Technical Concepts', sections: ['background', 'records'] },
		{ title: 'Files and Code Sections', sections: ['code'] },
		{ title: 'Problem Solving', sections: ['checks', 'decisions'] },
		{ title: 'Pending Tasks', sections: ['plan'] },
		{ title: 'Task Evolution', sections: ['events'] },
		{ title: 'Current Work', sections: ['latestWork'] },
		{ title: 'Next Step', sections: ['nextStep'] },
		{ title: 'Required Files', sections: ['files'] },
		{ title: 'Constraints and Established Rules', sections: ['rules'] },
	],
	blog: [
		{ title: 'Key decisions made', sections: ['decisions'] },
		{ title: 'Main topics discussed', sections: ['events'] },
		{ title: "User's primary goal", sections: ['userWords'] },
		{ title: 'Key files or data mentioned', sections: ['code', 'files', 'records'] },
		{ title: 'Action items for the assistant', sections: ['plan', 'nextStep'] },
		{ title: 'Action items for the user', sections: ['userTasks'] },
		{ title: 'Unresolved questions', sections: ['questions'] },
		{ title: 'User preferences or constraints', sections: ['rules'] },
		{ title: 'Technical discoveries', sections: ['background', 'checks'] },
		{ title: 'Summary of the last few turns', sections: ['latestWork'] },
	],
	vellum: [
		{ title: 'Previous Conversation', sections: ['userWords', 'events', 'rules'] },
		{ title: 'Current Work', sections: ['latestWork'] },
		{ title: 'Key Technical Concepts', sections: ['background'] },
		{ title: 'Relevant Files and Code', sections: ['code', 'files', 'records'] },
		{ title: 'Problem Solving', sections: ['checks', 'decisions'] },
		{ title: 'Pending Tasks and Next Steps', sections: ['plan', 'nextStep'] },
	],
};

/** Returns the headings of a style, in order. */
export function getHeadings(style: SummaryStyle): readonly Heading[] {
	return styles[style];
}

/** Whether a section shows the narrative. */
export function isNarrativeSection(section: Section): boolean {
	return section === 'events' || section === 'latestWork';
}

/** Titles of the narrative's sections in all styles. */
export const narrativeTitles: ReadonlySet<string> = new Set(
	Object.values(styles).flatMap((headings) =>
		headings.filter(({ sections }) => sections.some(isNarrativeSection)).map(({ title }) => title),
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
