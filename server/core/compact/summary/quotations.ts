/** Quotes lines of results, arguments and prose with the facts most likely to be needed again. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { renderOutcome, runsScript, splitReportedLines } from '../../analysis/calls/calls.ts';
import { isPoll, isShownByCallLine } from '../../analysis/calls/outcomes.ts';
import { isPlanCall } from '../../analysis/calls/plans.ts';
import { createRemovalTest } from '../../analysis/changes/fileCalls.ts';
import { isRetriedProgram } from '../../analysis/changes/succeededPart.ts';
import type { SettledStatements } from '../../analysis/claims/settledStatements.ts';
import {
	type AnalysisCache,
	getFileAccess,
	getFirstFileTouch,
	getOnlyFilePath,
	hasExactPositions,
} from '../../analysis/message/analyses.ts';
import type { Outcomes } from '../../analysis/message/callOutcome.ts';
import {
	hasRecords,
	minFileRecords,
	renderCallHead,
	type Source,
	splitArguments,
} from '../../analysis/message/source.ts';
import { isAboutClient } from '../../analysis/message/typedCommands.ts';
import { removeAnnouncement } from '../../analysis/passages/announcements.ts';
import { meaninglessPattern } from '../../analysis/passages/candidates.ts';
import {
	markThought,
	renderForeignLabel,
	renderLabel,
	renderMarks,
	renderQuery,
	renderShortLabel,
} from '../../analysis/passages/labels.ts';
import { minorRowShare } from '../../analysis/records/minorRows.ts';
import { hasShellCommand } from '../../analysis/shell/commands.ts';
import { isEditStep } from '../../analysis/shell/editScripts.ts';
import { cleanText, isOnlyLink } from '../../analysis/text/clean.ts';
import { isImport } from '../../analysis/text/imports.ts';
import { dropRepeatedLogLines } from '../../analysis/text/logLines.ts';
import { quote } from '../../analysis/text/quote.ts';
import { isTyped } from '../../analysis/user/userStatements.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import type { SlicedTask } from '../../slices.ts';
import { labelTokens } from '../choice/choose.ts';
import { coverSegment, coverText, resizeCoverage } from '../choice/coverage.ts';
import { MemberNames } from '../choice/memberNames.ts';
import {
	listQuotables,
	measureSegment,
	type Quotable,
	type QuotableContext,
	QuotableReader,
} from '../choice/quotable.ts';
import { scoreFactSegment } from '../choice/rank.ts';
import { selectGreedily } from '../choice/select.ts';
import { tuning } from '../tuning.ts';
import type { SummaryEntry } from './entries.ts';
import { expandCall, findNarrativeCalls, type NarrativeCall } from './expandedCalls.ts';
import type { NarrativeInput } from './narrativeEntries.ts';
import type { SummaryBudget } from './summaryBudget.ts';

/** A line of a patch with the name of its file. */
const patchHeaderPattern = /^\*\*\* (?:Add|Update|Delete) File: /;
/** Number of plain words that are assumed next to each fact of a list. */
const wordsPerListedFact = 1;
/** Number of plain words next to a fact that cover it fully. */
const wordsThatExplain = 9;

export interface QuotationInput extends Omit<NarrativeInput, 'visible' | 'writtenTexts' | 'instructions'> {
	/** The entries that are already in the summary. */
	entries: readonly SummaryEntry[];
	/** Remaining text of the shortened messages next to the summary. */
	shownText: string;
	/** Other lines of the summary. */
	listedLines: readonly string[];
}

/** Offset for the order of quoted lines, which puts them after the narrative of their message. */
const afterNarrative = 100_000;

/** Whether a message is never quoted: a recap, a note about the client, an edit's result, or one shown with its call. */
function isUninformative(source: Source, { outcomes, cache }: QuotationInput): boolean {
	if (source.isRecap || (source.role === 'user' && isAboutClient(source.text))) return true;
	const outcome = outcomes.byResult.get(source);
	if (!outcome) return false;
	if (isShownByCallLine(outcome)) return true;
	return !hasShellCommand(outcome.call) && getFirstFileTouch(cache, outcome.call)?.kind === 'edit';
}

/** Whether a call is shown elsewhere: in the plan, in its answer's label or, in small summaries, in the list of files. */
function isListed(
	call: ToolCall,
	isArgument: boolean,
	{ ratio, cache, outcomes, removed, filesAtEnd }: QuotationInput,
): boolean {
	// A failed edit, plan or request had no effect, so its content is not quoted.
	const outcome = outcomes.byCall.get(call);
	if (outcome?.failed && !hasShellCommand(call)) return true;
	if (isArgument && isRetriedProgram(call, outcome, getFileAccess(cache, call).touches, filesAtEnd.changed))
		return true;
	if (!isArgument && splitArguments(call).short.some(({ text }) => removed.has(text))) return true;
	if (isPlanCall(call) || isPoll(call, outcome)) return true;
	const isLabel = !isArgument && outcome?.result.rows && !outcome.failed && renderQuery(call) !== undefined;
	if (isLabel) return true;
	const isAmple = ratio > tuning.narrative.ampleFromRatio;
	return !isAmple && !isArgument && getFirstFileTouch(cache, call)?.kind === 'read';
}

/** Whether a line names the only file of its patch, which is in the label, or is a mere step of a script that edits a file. */
function isEditFrame(line: string, { call, isArgument }: QuotableContext, cache: AnalysisCache): boolean {
	if (!isArgument || call === undefined) return false;
	if (isEditStep(line, [call])) return true;
	return patchHeaderPattern.test(line) && getOnlyFilePath(cache, call) !== undefined;
}

/** Whether a segment is not quoted, because the summary shows its content elsewhere or never. */
function isShownElsewhere(
	{ source, call, isArgument, isOldSide }: QuotableContext,
	input: QuotationInput,
): boolean {
	if (isOldSide || input.verbatim.has(source.seq) || isUninformative(source, input)) return true;
	if (source.role !== 'assistant' || call === undefined) return false;
	return isListed(call, isArgument, input);
}

/** Returns the path of the file that a result or a long argument shows; undefined for other texts. */
function getFilePath(
	{ source, call, isArgument, patchedPath }: QuotableContext,
	{ cache }: QuotationInput,
): string | undefined {
	if (patchedPath !== undefined) return patchedPath;
	return isArgument || source.role === 'tool' ? getOnlyFilePath(cache, call) : undefined;
}

/** A word that is a name, a path or a number, and so has no synonym. */
const specificWordPattern = /[\d_/\\=]|[a-z][A-Z]|\w\.\w/;

/** Whether a message's narrative contains all names and numbers of a line, and nearly all its words in any order. */
function isInNarrative(line: string, narrativeText: string | undefined): boolean {
	if (narrativeText === undefined) return false;
	const words = line
		.replace(/^#+\s/, '')
		.split(/[\s"'`,;:()。！？；：、（）]+|[.!?]$/)
		.filter((word) => word !== '');
	const missingWords = words.filter((word) => !narrativeText.includes(word));
	return (
		missingWords.length <= (1 - tuning.selection.duplicateShare) * words.length &&
		!missingWords.some((word) => specificWordPattern.test(word))
	);
}

/** Returns the entry of a quotation, or an entry for each line that is quoted from the agent's prose. */
function createQuotationEntries(
	{ source, call, isArgument, patchedPath }: QuotableContext,
	{ position, segment: { partIndex, from, to } }: Quotable,
	{ text, newLines }: { text: string; newLines: readonly string[] },
	input: QuotationInput,
): SummaryEntry[] {
	const shownCall = isArgument || source.role === 'tool' ? call : undefined;
	const file = patchedPath ?? getOnlyFilePath(input.cache, shownCall);
	const isCode = file !== undefined || (shownCall && getFirstFileTouch(input.cache, shownCall)) !== undefined;
	const isProse = hasExactPositions(input.cache, source) && partIndex === 0 && to <= source.text.length;
	const mark = renderMarks(source, call, input);
	const foreignLabel = renderForeignLabel(source, newLines[0], input.cache);
	const label = foreignLabel ?? renderLabel(source, shownCall, file && input.nameFile(file), input.cache);
	const entry: SummaryEntry = {
		seq: source.seq,
		order: afterNarrative + position,
		section: hasRecords(source, isCode ? minFileRecords : undefined)
			? 'records'
			: isCode
				? 'code'
				: isTyped(source) && foreignLabel === undefined
					? 'userWords'
					: input.getSection(source),
		file,
		label: `${label}${mark}`,
		shortLabel: shownCall && `${renderShortLabel(source, shownCall)}${mark}`,
		text,
		isOnNewLine: true,
	};
	if (!isProse) return [entry];
	let end = from - 1;
	return source.text
		.slice(from, to)
		.split('\n')
		.flatMap((line) => {
			const start = end + 1;
			end = start + line.length;
			const shown = removeAnnouncement(cleanText(line), source);
			return newLines.includes(shown)
				? [
						{
							...entry,
							label: `${markThought(label, source, end)}${mark}`,
							text: quote(shown),
							span: { from: start, to: end },
						},
					]
				: [];
		});
}

/** Returns the outcome of a call whose head ends with a quoted line; empty for other lines. */
function renderQuotedOutcome(
	{ source, call, isArgument }: QuotableContext,
	line = '',
	{ byCall }: Outcomes,
): string {
	const outcome = call && !isArgument && source.role === 'assistant' ? byCall.get(call) : undefined;
	if (!call || !outcome || meaninglessPattern.test(outcome.message)) return '';
	const head = cleanText(renderCallHead(call.name, splitArguments(call).short));
	return head.endsWith(line) ? renderOutcome(outcome) : '';
}

/** Joins the shown lines of a text, with a mark where lines between them are omitted. */
function joinWithGaps(lines: readonly string[], shown: readonly string[]): string {
	const kept = new Set(shown);
	const joined: string[] = [];
	let hasGap = false;
	for (const line of lines) {
		if (kept.has(line)) joined.push(hasGap && joined.length > 0 ? `${joined.pop()} …\n${line}` : line);
		hasGap = !kept.has(line);
	}
	return joined.join('\n');
}

/** Whether a segment is a line of a script that edits no file, or of text that an agent's program inserted, such as a file. */
function isIncidental({ source, segment }: Quotable, { cache }: QuotationInput): boolean {
	if (source.isInjected) return true;
	return (
		segment.partIndex > 0 &&
		source.calls.every((call) => runsScript(call) && getFirstFileTouch(cache, call)?.kind !== 'edit')
	);
}

/** Groups the entries of the narrative by the ordinal of their message. */
function groupBySeq(narrativeEntries: readonly SummaryEntry[]): Map<number, SummaryEntry[]> {
	const entries = new Map<number, SummaryEntry[]>();
	for (const entry of narrativeEntries) entries.set(entry.seq, [...(entries.get(entry.seq) ?? []), entry]);
	return entries;
}

/** Returns the share of each segment's score that counts: less for what was undone, mended or is in a file, more for unread results. */
function computeShares(
	quotables: readonly Quotable[],
	reader: QuotableReader,
	input: QuotationInput,
): number[] {
	let [source, share, hasLinks]: [Source | undefined, number, boolean] = [undefined, 1, false];
	return quotables.map((one) => {
		if (one.source !== source) {
			share = computeSourceShare(one.source, input);
			hasLinks = one.source.role === 'tool' && one.source.text.includes('](');
		}
		source = one.source;
		if (input.undone.has(source) || isIncidental(one, input)) return tuning.scores.secondary;
		const isFile = one.segment.partIndex > 0 || share === tuning.facts.fileLineShare;
		const code = isFile ? reader.getText(one) : '';
		if (code !== '' && (isImport(code) || isEditStep(code, source.calls))) return share * minorRowShare;
		// What a file has now is asked for more often than what was read.
		if (isFile && isEdited(source, input)) return share / tuning.facts.fileLineShare;
		const minor = input.rankedRows.minorLines.get(source);
		const named = input.namedLines.get(source);
		if (minor === undefined && named === undefined && !hasLinks) return share;
		const lines = cleanText(reader.getText(one)).split('\n');
		if (lines.some((line) => named?.has(line.trim()))) return tuning.scores.unread;
		return lines.every((line) => minor?.has(line) || (hasLinks && isOnlyLink(line))) ? minorRowShare : share;
	});
}

/** Whether later work settled a line of a segment. The position of several lines is not known. */
function isSettled(
	lines: readonly string[],
	{ source, segment }: Quotable,
	settled: SettledStatements,
): boolean {
	const from = lines.length === 1 ? segment.from : undefined;
	return lines.some((line) => settled.has(source, line, from) || settled.isOfPastTemplate(source, line));
}

/** Whether a message's calls edit a file. */
function isEdited({ calls }: Source, { cache }: QuotationInput): boolean {
	return calls.some((call) => getFirstFileTouch(cache, call)?.kind === 'edit');
}

function computeSourceShare(source: Source, { outcomes, unread, cache }: QuotationInput): number {
	const outcome = outcomes.byResult.get(source);
	if (outcome && unread.has(source)) return tuning.scores.unread;
	// The output of a failure that was mended.
	if (outcome?.settledBy) return minorRowShare;
	return outcome && getFirstFileTouch(cache, outcome.call) ? tuning.facts.fileLineShare : 1;
}

function createReader({ outcomes, undone, cache }: QuotationInput): QuotableReader {
	return new QuotableReader(
		(result) => {
			const outcome = outcomes.byResult.get(result);
			const isFurtherOutput =
				outcome && isPoll(outcome.reader, outcome) && !getFirstFileTouch(cache, outcome.reader);
			return isFurtherOutput ? outcome.call : outcome?.reader;
		},
		(answer) => undone.has(answer),
	);
}

/**
 * Returns entries with the best lines to quote, within the budget, and takes their tokens. Instead of quoting the head of a
 * call, expands the narrative's entry of that call. Runs in slices.
 */
export function* collectQuotations(budget: SummaryBudget, input: QuotationInput): SlicedTask<SummaryEntry[]> {
	const { factIndex, values, sources, outcomes, removed, entries } = input;
	const quotables = listQuotables(factIndex, sources);
	const reader = createReader(input);
	const covered = resizeCoverage(input.coverage, factIndex);
	coverText(factIndex, input.listedLines.join('\n'), covered, wordsPerListedFact);
	const texts = [input.shownText, outcomes.startUpLine ?? '', ...entries.map(({ text }) => text)];
	coverText(factIndex, texts.join('\n'), covered, wordsThatExplain);
	yield;
	const shownLines = new Set(texts.flatMap(splitReportedLines).map((line) => line.trim()));
	const bySeq = groupBySeq(entries);
	const proseBySeq = new Map([...bySeq].map(([seq, all]) => [seq, all.map(({ text }) => text).join(' ')]));
	const narrativeCalls = new Map<Source, NarrativeCall[]>();
	const getNarrativeCalls = (source: Source): NarrativeCall[] =>
		getOrInsert(narrativeCalls, source, () => findNarrativeCalls(source, bySeq.get(source.seq)));
	const memberNames = new MemberNames(input.memberLines);
	memberNames.recordShown(texts.join('\n'));
	const quotations: SummaryEntry[] = [];
	const logLines = new Map<Source, ReadonlyMap<string, number>>();
	const [shares, isGone] = [computeShares(quotables, reader, input), createRemovalTest(input.filesAtEnd)];
	yield* selectGreedily({
		length: quotables.length,
		getGroup: (index) => quotables[index]?.group ?? -1,
		minKey: 0,
		computeKey(index, isOpen) {
			const { segment } = quotables[index] as Quotable;
			const score = scoreFactSegment(segment, values, covered) + tuning.facts.plainWord * segment.wordCount;
			const cost = measureSegment(segment) + (isOpen ? 0 : tuning.facts.labelLength);
			return ((shares[index] ?? 1) * score) / cost;
		},
		tryTake(index, opensGroup) {
			const quotable = quotables[index] as Quotable;
			const context = reader.findContext(quotable);
			const path = getFilePath(context, input);
			if (isShownElsewhere(context, input) || (path !== undefined && isGone(path))) return 'not shown';
			const lines = cleanText(reader.getText(quotable)).split('\n');
			if (!context.isArgument && isSettled(lines, quotable, input.settled)) return 'not shown';
			const isNew = (line: string): boolean =>
				!(
					// The patch adds the line again if it is still in the file.
					(context.patchedPath !== undefined && line.startsWith('-')) ||
					isEditFrame(line, context, input.cache) ||
					meaninglessPattern.test(line) ||
					removed.has(line, path) ||
					shownLines.has(line) ||
					reader.isUnchanged(quotable, line)
				) &&
				(context.source.role === 'tool' || !isInNarrative(line, proseBySeq.get(context.source.seq)));
			let newLines = lines
				.map((line) => (context.isArgument ? line : removeAnnouncement(line, context.source)))
				.filter(isNew);
			const calls = context.isArgument ? [] : getNarrativeCalls(context.source);
			const match = calls.find(({ quotedText: read }) => newLines.some((line) => read.includes(line)));
			if (match) {
				if (!expandCall(match, budget)) return 'too large';
				newLines = newLines.filter((line) => !match.quotedText.includes(line));
				if (newLines.length === 0) {
					coverSegment(quotable.segment, covered);
					return 'taken';
				}
			}
			const shownLogLines = new Map(logLines.get(context.source));
			if (context.source.role === 'tool') newLines = dropRepeatedLogLines(newLines, shownLogLines);
			if (newLines.length === 0) return 'not shown';
			const shown = context.isArgument ? joinWithGaps(lines, newLines) : newLines.join('\n');
			const text = quote(`${shown}${renderQuotedOutcome(context, newLines.at(-1), outcomes)}`);
			if (context.source.calls.some(({ name }) => name === text.trim())) return 'not shown';
			const tokens = budget.count(memberNames.shorten(text)) + 1 + (opensGroup ? labelTokens + 2 : 0);
			if (tokens > budget.tokensLeft) return 'too large';
			budget.tokensLeft -= tokens;
			for (const line of newLines) shownLines.add(line);
			logLines.set(context.source, shownLogLines);
			memberNames.recordShown(text);
			coverSegment(quotable.segment, covered);
			quotations.push(...createQuotationEntries(context, quotable, { text, newLines }, input));
			return 'taken';
		},
	});
	return quotations;
}
