/** Reads the results of the tools with which agents control a browser through Playwright. */

/** The heading of a section of such a result. */
const sectionPattern =
	/^### (?:Ran Playwright code|Page|Snapshot|Result|Error|Events|Open tabs|Modal state)$/m;
/** The sections that repeat the call, and that list files with the messages of the page's console. */
const noteSectionPattern = /^### (?:Ran Playwright code|Events)\n(?:(?!### )[^\n]*(?:\n|$))*/gm;
/** The marks of an element in a snapshot: the id for later calls, and the pointer above it. */
const elementMarkPattern = / \[(?:ref=\w{1,20}|cursor=pointer)\]/g;
const titlePattern = /^- Page Title: (\S[^\n]*)$/m;
const addressPattern = /^- Page URL: (\S[^\n]*)$/m;

/** Returns a browser's result without the code of its call, messages of the console and ids of elements; any other text unchanged. */
export function removeBrowserNotes(text: string): string {
	if (!sectionPattern.test(text)) return text;
	return text.replace(noteSectionPattern, '').replace(elementMarkPattern, '');
}

/** Returns the title of the page that a browser's result shows, or else its address; undefined for other results. */
export function findShownPage(text: string): string | undefined {
	if (!sectionPattern.test(text)) return undefined;
	return (titlePattern.exec(text) ?? addressPattern.exec(text))?.[1];
}
