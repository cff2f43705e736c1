import { coverageOf, coverText } from './coverage.ts';
import { fixedLines } from './fixed.ts';
import { type Section, withHeadings } from './headings.ts';
import { labelOf } from './labels.ts';
import { addSources, type Ledger } from './ledger.ts';
import { candidatesOf, createPassages, type Passages, placeOf, wordsOf } from './passages.ts';
import { quote } from './quote.ts';
import { factValues } from './rank.ts';
import { sectionOf } from './sections.ts';
import { selectionSteps } from './select.ts';
import type { Source } from './source.ts';
import { finish, type Steps } from './steps.ts';

/** What a summary may cost and what it is for. */
export interface SummaryOptions {
	/** The summary is never larger than this, by `count`. */
	budgetTokens: number;
	/** Tokens of a text. */
	count: (text: string) => number;
	/** Messages that stay in the history beside the summary: what they say is not said again. */
	visible?: readonly Source[];
	/** What the user wants kept above all, in plain words. */
	instructions?: string;
	/** The closing line: how hidden text is read again. */
	recallHint?: string;
}

/** A summary and its size by the count that it was made with. */
export interface ExtractedSummary {
	text: string;
	tokens: number;
}

const RECALL_HINT = '#N is message N of this session; context/original gives its full text.';
/** Words of the user's wish that are looked for, each once. */
const MOST_WISHES = 50;
/** What a label costs, about. */
const LABEL_CHARACTERS = 18;
const LABEL_TOKENS = 8;

/**
 * What these messages said, in ten sections, out of their own words: the user's rules, files, failures and
 * the last words first, then the segments that hold the facts most likely to be needed again, each labelled
 * with its message. Nothing is invented; the same input gives the same text. Where not even the headings
 * fit the budget, the text is empty.
 */
export function extractSummary(
	ledger: Ledger,
	sources: readonly Source[],
	options: SummaryOptions,
): ExtractedSummary {
	return finish(summarySteps(ledger, sources, options));
}

/** `extractSummary` in steps of some milliseconds; nothing may be added to the ledger between them. */
export function* summarySteps(
	ledger: Ledger,
	sources: readonly Source[],
	options: SummaryOptions,
): Steps<ExtractedSummary> {
	const { budgetTokens, count, visible = [] } = options;
	const closing = options.recallHint ?? RECALL_HINT;
	const all = [...sources, ...visible].sort((a, b) => a.seq - b.seq);
	addSources(ledger, all);
	const frameTokens = count(withHeadings(new Map(), closing));
	if (frameTokens > budgetTokens) return smallest(options);
	const fixed = fixedLines(sources, visible, budgetTokens - frameTokens, count);
	yield;
	const frame = withHeadings(fixed, closing);
	const passages = createPassages(ledger, sources);
	const picks: { segment: number; tokens: number }[] = [];
	const covered = coverageOf(ledger, visible);
	coverText(ledger, frame, covered);
	let room = budgetTokens - count(frame);
	const values = factValues(ledger, all);
	yield;
	yield* selectionSteps({
		...candidatesOf(passages),
		segments: ledger.segments,
		values,
		covered,
		groupCost: LABEL_CHARACTERS,
		boost: wishOf(passages, options.instructions),
		take: (segment, opensGroup) => {
			const tokens = count(quote(wordsOf(passages, segment))) + 1 + (opensGroup ? LABEL_TOKENS : 0);
			if (tokens > room) return false;
			room -= tokens;
			picks.push({ segment, tokens });
			return true;
		},
	});
	for (;;) {
		yield;
		const text = withHeadings(
			withPicks(
				fixed,
				passages,
				picks.map((pick) => pick.segment),
			),
			closing,
		);
		const tokens = count(text);
		if (tokens <= budgetTokens) return { text, tokens };
		if (picks.length === 0) return smallest(options);
		for (let over = tokens - budgetTokens; over > 0 && picks.length > 0; ) over -= picks.pop()!.tokens;
	}
}

/** The headings alone, or nothing where they do not fit. */
function smallest({ budgetTokens, count }: SummaryOptions): ExtractedSummary {
	const text = withHeadings(new Map(), '');
	const tokens = count(text);
	return tokens <= budgetTokens ? { text, tokens } : { text: '', tokens: 0 };
}

/** Segments that hold words of the user's wish weigh more. */
function wishOf(passages: Passages, wish: string | undefined): ((segment: number) => number) | undefined {
	const said = (wish ?? '').toLowerCase().match(/[\p{L}\p{N}_]{4,60}/gu) ?? [];
	const words = [...new Set(said)].slice(0, MOST_WISHES);
	if (words.length === 0) return undefined;
	const factors = new Map<number, number>();
	return (segment) => {
		const known = factors.get(segment);
		if (known !== undefined) return known;
		const text = wordsOf(passages, segment).toLowerCase();
		const factor = 1 + words.filter((word) => text.includes(word)).length;
		factors.set(segment, factor);
		return factor;
	};
}

function withPicks(
	fixed: ReadonlyMap<Section, readonly string[]>,
	passages: Passages,
	picks: readonly number[],
): Map<Section, string[]> {
	const lines = new Map([...fixed].map(([section, body]) => [section, [...body]]));
	const labels = new Map<Section, string>();
	let last = -1;
	const newest = passages.entries.at(-1)?.source;
	const first = passages.entries.find(({ source }) => source.role === 'user' && !source.injected)?.source;
	for (const segment of [...picks].sort((a, b) => a - b)) {
		const { source, call, isArgument } = placeOf(passages, segment);
		const section = sectionOf(source, call, { newest: newest?.seq ?? 0, first });
		const label = labelOf(source, isArgument || source.role === 'tool' ? call : undefined);
		const text = quote(wordsOf(passages, segment));
		const body = lines.get(section) ?? [];
		lines.set(section, body);
		const follows = labels.get(section) === label;
		if (follows && last !== segment - 1) body.push(`${body.pop()} …`);
		body.push(follows ? text : label + text);
		labels.set(section, label);
		last = segment;
	}
	return lines;
}
