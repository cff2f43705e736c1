/** The sections of summaries. */

/** The ten, in order. */
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

/** Number of a section, from 1, as its heading shows it. */
export type Section = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

/** Lines of the summary by section. */
export type Lines = Map<Section, string[]>;

export type HeadingStyle = 'ten' | 'six';

interface Heading {
	title: string;
	/** The sections of the ten whose lines stand under it, in this order. */
	of: readonly Section[];
}

/** The headings of each style. */
const styles: Readonly<Record<HeadingStyle, readonly Heading[]>> = {
	ten: sectionTitles.map((title, index) => ({ title, of: [(index + 1) as Section] })),
	six: [
		{ title: 'Previous Conversation', of: [1, 6, 10] },
		{ title: 'Current Work', of: [7] },
		{ title: 'Key Technical Concepts', of: [2] },
		{ title: 'Relevant Files and Code', of: [3, 9] },
		{ title: 'Problem Solving', of: [4] },
		{ title: 'Pending Tasks and Next Steps', of: [5, 8] },
	],
};

/** The summary's text: each section that has lines under its heading, numbered as in the whole set; then the closing line. */
export function withHeadings(lines: Lines, style: HeadingStyle, closing: string): string {
	const blocks = styles[style].flatMap(({ title, of }, index) => {
		const body = of.flatMap((section) => lines.get(section) ?? []);
		return body.length === 0 ? [] : [`## ${index + 1}. ${title}\n${body.join('\n')}`];
	});
	if (closing !== '') blocks.push(closing);
	return blocks.join('\n\n');
}
