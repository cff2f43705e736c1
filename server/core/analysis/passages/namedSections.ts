/** Finds the lines below headings that the current request names: those of `## Phase 4: Berths` for "go on with phase 4". */

import { forEachInSlices, type SlicedTask } from '../../slices.ts';
import type { Outcomes } from '../message/callOutcome.ts';
import type { Source } from '../message/source.ts';
import { cleanText } from '../text/clean.ts';
import { skipLineNumber } from '../text/lineNumbers.ts';
import { excerptRequest } from '../user/requestExcerpt.ts';

/** A part of a plan with its number or letter: `Phase 4`, `Step 3.1`, `Part B`, `フェーズ4`. */
const partPattern =
	/(?:\b(phase|step|milestone|stage|sprint|task|part|section|chapter|epic|story|iteration|schritt|teil|aufgabe|abschnitt)s? #?|(フェーズ|ステップ|タスク|阶段|步骤|任务) ?)(\d{1,3}(?:\.\d{1,3})?|[A-Z])(?![\p{L}\p{N}]|\.\d)/giu;
const headingPattern = /^(#{1,6})\s+\S/;
const boldHeadingPattern = /^\*\*[^*]{1,80}\*\*:?\s*$/;
const itemPattern = /^(?:[-*•]\s{1,3}|\d{1,3}[.)]\s{1,3})(?:\[[ xX]\]\s{1,3})?\**/;
// Headings have their level as rank, bold headings and items of a list follow.
const boldHeadingRank = 7;
const itemRank = 8;

/** Returns the names of parts in a text, in one spelling. A letter has to be a capital: "step a bit" names none. */
function listParts(text: string): string[] {
	return Array.from(text.matchAll(partPattern), ([, word, otherWord = '', number = '']) =>
		/^[a-z]$/.test(number) ? '' : `${(word ?? otherWord).toLowerCase()} ${number}`,
	).filter((name) => name !== '');
}

/** Returns the rank of a line that begins a part; undefined for other lines. A list item begins one with its first words. */
function findRank(line: string): number | undefined {
	const level = headingPattern.exec(line)?.[1]?.length;
	if (level !== undefined) return level;
	if (boldHeadingPattern.test(line)) return boldHeadingRank;
	const mark = itemPattern.exec(line)?.[0];
	if (mark === undefined) return undefined;
	return line.slice(mark.length).search(partPattern) === 0 ? itemRank : undefined;
}

/** The requests of a session whose parts are searched. */
interface CurrentRequests {
	newestRequest?: { text: string };
	ongoingRequest?: { text: string };
	goal?: { text: string };
}

/**
 * Returns the trimmed lines of results in the parts that the newest request names; if it names none, in those of the request
 * to which it adds, or of the goal. Runs in slices.
 */
export function* findNamedSections(
	{ newestRequest, ongoingRequest, goal }: CurrentRequests,
	sources: readonly Source[],
	{ byResult }: Outcomes,
): SlicedTask<ReadonlyMap<Source, ReadonlySet<string>>> {
	const parts = [newestRequest, ongoingRequest, goal]
		.map((one) => listParts(excerptRequest(one?.text ?? '')))
		.find(({ length }) => length > 0);
	const sections = new Map<Source, ReadonlySet<string>>();
	if (parts === undefined) return sections;
	yield* forEachInSlices(sources, (source) => {
		if (source.role !== 'tool' || byResult.get(source)?.failed) return;
		const lines = listLinesOf(new Set(parts), cleanText(source.text));
		if (lines.length > 0) sections.set(source, new Set(lines));
	});
	return sections;
}

/** Returns the lines of a text below the headings that name one of these parts, with these headings. */
function listLinesOf(parts: ReadonlySet<string>, text: string): string[] {
	let openRank: number | undefined;
	return text.split('\n').flatMap((whole) => {
		const line = whole.slice(skipLineNumber(whole, 0)).trim();
		const rank = findRank(line);
		if (rank !== undefined && (openRank === undefined || rank <= openRank))
			openRank = listParts(line).some((part) => parts.has(part)) ? rank : undefined;
		return openRank === undefined || line === '' ? [] : [whole.trim(), line];
	});
}
