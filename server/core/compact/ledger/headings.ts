/** The sections of every summary, in order. */
export const SECTIONS = [
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

/** The summary's text: all ten headings, each with its lines; a dash where it has none. */
export function withHeadings(lines: ReadonlyMap<Section, readonly string[]>, closing: string): string {
	const blocks = SECTIONS.map((title, at) => {
		const body = lines.get((at + 1) as Section) ?? [];
		return `## ${at + 1}. ${title}\n${body.length === 0 ? '-' : body.join('\n')}`;
	});
	return closing === '' ? blocks.join('\n') : `${blocks.join('\n')}\n\n${closing}`;
}
