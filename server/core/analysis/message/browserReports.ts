/** Reads the results of the tools with which agents control a browser through Playwright. */

/** The beginning of such a result, which has sections; a document may have the same headings. */
const openingPattern =
	/^\s{0,9}### (?:Ran Playwright code|Page|Snapshot|Result|Error|Events|Open tabs|Modal state)\n/;
const pagePattern = /^(?:- Page URL: |### Ran Playwright code$)/m;
/** The section that repeats the call. */
const codeSectionPattern = /^### Ran Playwright code\n(?:(?!### )[^\n]*(?:\n|$))*/gm;
/** The section that lists messages of the page's console. */
const eventSectionPattern = /^### Events\n(?:(?!### )[^\n]*(?:\n|$))*/gm;
/** An exception in the page, not a picture or an address that did not load. */
const exceptionPattern = /\bUncaught\b|\b[A-Z]\w{0,40}Error: /;
/** The marks of an element in a snapshot: the id for later calls, and the pointer above it. */
const elementMarkPattern = / \[(?:ref=\w{1,20}|cursor=pointer)\]/g;
/** The first line of a section that says more than the title of the page. */
const reportPattern = /^### (?:Error|Modal state|Result)\n\s{0,9}(\S[^\n]*)/m;
const titlePattern = /^- Page Title: (\S[^\n]*)$/m;
const addressPattern = /^- Page URL: (\S[^\n]*)$/m;

function isBrowserReport(text: string): boolean {
	return openingPattern.test(text) && pagePattern.test(text);
}

/**
 * Returns a browser's result without the code of its call, ids of elements, and messages of the console other than
 * exceptions; any other text unchanged.
 */
export function removeBrowserNotes(text: string): string {
	if (!isBrowserReport(text)) return text;
	return text
		.replace(codeSectionPattern, '')
		.replace(eventSectionPattern, (events) => {
			const exceptions = events.split('\n').filter((line) => exceptionPattern.test(line));
			return exceptions.length === 0 ? '' : `### Events\n${exceptions.join('\n')}\n`;
		})
		.replace(elementMarkPattern, '');
}

/**
 * Returns what a browser's result reports: its error, what the page asks, its value, or else the title or address of the
 * page. Undefined for other results.
 */
export function findBrowserOutcome(text: string): string | undefined {
	if (!openingPattern.test(text)) return undefined;
	const page = titlePattern.exec(text) ?? addressPattern.exec(text);
	return page === null ? undefined : (reportPattern.exec(text) ?? page)[1];
}
