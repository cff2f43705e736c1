/** Selects the narrative of a session for its summary. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { renderCall, renderOutcomes, splitReportedLines } from '../../analysis/calls/calls.ts';
import { isPlanCall } from '../../analysis/calls/plans.ts';
import { findRepeatedReads } from '../../analysis/calls/repeatedReads.ts';
import type { Commit } from '../../analysis/changes/commits.ts';
import type { CallAnalyses, TouchedFiles } from '../../analysis/changes/fileCalls.ts';
import { outputFilePattern } from '../../analysis/changes/filesTouched.ts';
import type { RemovedLines } from '../../analysis/changes/removedLines.ts';
import type { SettledStatements } from '../../analysis/claims/settledStatements.ts';
import {
	type Candidate,
	getFileAccess,
	getFirstFileTouch,
	getOnlyFilePath,
	getWordHashes,
	hasExactPositions,
} from '../../analysis/message/analyses.ts';
import type { FactIndex } from '../../analysis/message/factIndex.ts';
import { hasRecords, minFileRecords, type Source, teamName } from '../../analysis/message/source.ts';
import { announcesCalls, removeAnnouncement } from '../../analysis/passages/announcements.ts';
import { collectCandidates, type PlacedCandidate } from '../../analysis/passages/candidates.ts';
import {
	markThought,
	type NameFile,
	renderLabel,
	renderMarks,
	renderPastedLabel,
	renderReportLabel,
	renderShortLabel,
	renderTemplateLabel,
} from '../../analysis/passages/labels.ts';
import type { RankedRows } from '../../analysis/records/minorRows.ts';
import { findShellCommand, hasShellCommand, isMutating, isOneLine } from '../../analysis/shell/commands.ts';
import { endsWithExistingText, isEmptyOutput } from '../../analysis/shell/printedText.ts';
import { isAnnouncement, isLookAnnouncement } from '../../analysis/text/cues.ts';
import { hashWords } from '../../analysis/text/hashes.ts';
import { quote } from '../../analysis/text/quote.ts';
import { findFacts } from '../../analysis/text/scan.ts';
import { introductionPattern, removeLastSentence } from '../../analysis/text/sentences.ts';
import { isTyped } from '../../analysis/user/userStatements.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import type { Seq } from '../../history/record.ts';
import { forEachInSlices, type SlicedTask } from '../../slices.ts';
import { chooseCandidates, type FactValues, labelTokens } from '../choice/choose.ts';
import { type Coverage, resizeCoverage } from '../choice/coverage.ts';
import type { MemberLines } from '../choice/memberNames.ts';
import { tuning } from '../tuning.ts';
import { type SummaryEntry, shortenRows } from './entries.ts';
import type { Section } from './headings.ts';
import { addParentLines } from './parentLines.ts';
import {
	computeProseBudget,
	computeProseCostFactor,
	isSmallBudget,
	minLineTokens,
	type SummaryBudget,
} from './summaryBudget.ts';

/** Maximum length of a command next to its announcement, and of one that only says what the agent looks at. UTF-16 units. */
const maxPlainAnnouncementLength = 120;

export interface NarrativeInput extends CallAnalyses {
	factIndex: FactIndex;
	/** The probability that each fact is needed again, by the number of the fact in the index. */
	values: Float32Array;
	sources: readonly Source[];
	/** The sources by their ordinals. */
	bySeq: ReadonlyMap<Seq, Source>;
	visible: readonly Source[];
	/** Results that the assistant has not answered yet. */
	unread: ReadonlySet<Source>;
	removed: RemovedLines;
	/** The commits of users' requests. */
	commits: ReadonlyMap<Source, readonly Commit[]>;
	/** The data rows that matter little, and those that the current request is about. */
	rankedRows: RankedRows;
	/** The lines of results in parts of a plan that the current request names, and what a task says that must be done. */
	namedLines: ReadonlyMap<Source, ReadonlySet<string>>;
	settled: SettledStatements;
	filesAtEnd: TouchedFiles;
	/** How well each fact is covered by the messages that stay visible. */
	coverage: Coverage;
	/** Texts that are already in the summary. */
	writtenTexts: readonly string[];
	/** Ordinals of messages that are already shown in full. */
	verbatim: ReadonlySet<Seq>;
	/** Ordinals of users' messages whose typed words are already shown. */
	ownWords: ReadonlySet<Seq>;
	getSection: (source: Source) => Section;
	/** Remaining tokens relative to the size of the summarized messages, from 0 to more than 1. */
	ratio: number;
	/** Lines of data rows. The names of their members are shown once. */
	memberLines: MemberLines;
	/** The user's instructions on what to keep. */
	instructions?: string;
	nameFile: NameFile;
}

/** Returns the words that the reader already knows. */
function collectKnownWords({ visible, writtenTexts, cache }: NarrativeInput): Set<number> {
	const words = new Set(writtenTexts.flatMap(hashWords));
	for (const source of visible) for (const word of getWordHashes(cache, source)) words.add(word);
	return words;
}

/**
 * Returns the id of the data row that contains a candidate, if the current request is about this row; for a line of a part
 * that the request names, the line.
 */
function findNeededRow(
	{ candidate: { text }, messageIndex }: PlacedCandidate,
	{ sources, rankedRows, namedLines }: NarrativeInput,
): string | undefined {
	const source = sources[messageIndex];
	if (source === undefined) return undefined;
	return (
		rankedRows.currentIds.get(source)?.get(text) ?? (namedLines.get(source)?.has(text) ? text : undefined)
	);
}

/** Returns the entries of the narrative, and takes their tokens from the budget. Runs in slices. */
export function* collectNarrative(budget: SummaryBudget, input: NarrativeInput): SlicedTask<SummaryEntry[]> {
	const { sources, bySeq, verbatim, ownWords } = input;
	const isAmple = input.ratio > tuning.narrative.ampleFromRatio;
	const repeatedReads = isAmple ? undefined : findRepeatedReads(sources, input.outcomes, input.cache);
	const allCandidates = yield* collectCandidates(
		sources,
		input,
		(source, { kind, text, span, announcesReading, isOfTemplate }) =>
			verbatim.has(source.seq) ||
			(kind === 'statement' && ownWords.has(source.seq)) ||
			announcesReading ||
			((isOfTemplate || source.isInjected === true) && input.settled.isOfPastTemplate(source)) ||
			repeatedReads?.get(source)?.has(text) === true ||
			input.settled.has(source, text, span?.from) ||
			(source.rows !== undefined &&
				(input.removed.has(text, getReadPath(source, input)) ||
					input.rankedRows.minorLines.get(source)?.has(text) === true)),
	);
	yield;
	const candidates: Record<Candidate['kind'], PlacedCandidate[]> = { statement: [], resultLine: [] };
	for (const one of allCandidates) {
		const neededRow = findNeededRow(one, input);
		candidates[one.candidate.kind].push(neededRow === undefined ? one : { ...one, neededRow });
	}
	const knownWords = collectKnownWords(input);
	const costFactor = computeProseCostFactor(budget, sources);
	const { tightBelowRatio } = tuning.narrative;
	const { narrative, tightNarrative } = tuning.shares;
	const omitsMost = input.ratio < tightBelowRatio && sources.some(({ role }) => role === 'tool');
	const allowed = computeProseBudget(budget, omitsMost ? tightNarrative : narrative, costFactor);
	const share = isAmple ? tuning.narrative.ampleShare : tuning.narrative.smallShare;
	const common = {
		knownWords,
		messageCount: sources.length,
		count: budget.count,
		memberLines: input.memberLines,
		wishedWords: new Set(hashWords(input.instructions ?? '')),
		...(!isAmple && { factValues: yield* prepareFactValues(input, allCandidates) }),
	};
	const isTight = costFactor > 1 && isSmallBudget(budget) && allowed * (1 - share) < minLineTokens;
	const statementTokens = isTight ? allowed : allowed * share;
	const statements = yield* chooseCandidates({
		...common,
		candidates: candidates.statement,
		budgetTokens: statementTokens,
	});
	const budgetTokens = allowed - statementTokens + statements.remainingTokens;
	const entriesByCandidate = new Map<PlacedCandidate, SummaryEntry[]>();
	const toEntries = (one: PlacedCandidate): SummaryEntry[] =>
		getOrInsert(entriesByCandidate, one, () => createEntries(one, input));
	const chosen = makeRoomForParents(statements.chosen, toEntries, input, budget.count);
	const withOutcomes = chosen.flatMap((one, index) => {
		const isLast = chosen[index + 1]?.messageIndex !== one.messageIndex;
		return isLast ? addOutcome(one, input) : [one];
	});
	const shown = omitReported(withOutcomes, sources);
	const reportedLines = shown.flatMap(({ candidate }) => splitReportedLines(candidate.text));
	const reported = new Set([...reportedLines, input.outcomes.startUpLine]);
	const resultLines = yield* chooseCandidates({
		...common,
		candidates: candidates.resultLine.filter(({ candidate }) => !reported.has(candidate.text)),
		budgetTokens,
	});
	const entries = [...shown, ...resultLines.chosen].flatMap(toEntries);
	const shownEntries = addParentLines(shortenRows(entries, input.memberLines), bySeq, input.cache);
	const shownText = shownEntries.map((entry) => entry.text).join('\n');
	budget.tokensLeft -=
		budget.count(shownText) + labelTokens * new Set(entries.map(({ seq, label }) => `${seq} ${label}`)).size;
	return entries;
}

/**
 * Returns the chosen candidates in order. Leaves out the sentences that were chosen last, so that the headings and list
 * items above the other ones fit.
 */
function makeRoomForParents(
	chosen: readonly PlacedCandidate[],
	toEntries: (one: PlacedCandidate) => SummaryEntry[],
	{ bySeq, cache }: NarrativeInput,
	count: SummaryBudget['count'],
): PlacedCandidate[] {
	const sortedCandidates = chosen.toSorted((a, b) => a.messageIndex - b.messageIndex || a.order - b.order);
	const entries = sortedCandidates.flatMap(toEntries);
	let excess = 0;
	for (const [index, { text }] of addParentLines(entries, bySeq, cache).entries()) {
		const before = entries[index]?.text ?? '';
		if (text.length > before.length) excess += count(text) - count(before);
	}
	const dropped = new Set<PlacedCandidate>();
	for (const one of chosen.toReversed()) {
		if (excess <= 0) break;
		if (one.candidate.span === undefined) continue;
		dropped.add(one);
		excess -= count(one.candidate.text) + 1;
	}
	return sortedCandidates.filter((one) => !dropped.has(one));
}

/** Returns the statements without sentences of results that the lines of their calls show as outcomes. */
function omitReported(statements: readonly PlacedCandidate[], sources: readonly Source[]): PlacedCandidate[] {
	const isResult = ({ messageIndex }: PlacedCandidate): boolean => sources[messageIndex]?.role === 'tool';
	const ofCalls = statements.filter((one) => !isResult(one));
	const reported = new Set(ofCalls.flatMap(({ candidate }) => splitReportedLines(candidate.text)));
	return statements.filter((one) => !(isResult(one) && reported.has(one.candidate.text)));
}

/** Maximum number of files that are named as edited after an announcement. */
const maxEditedNames = 2;

/**
 * Returns the last statement of a message. If it announces calls that are not shown, appends their outcome, after the command
 * if it changed something. If they only showed text, drops a short announcement instead.
 */
function addOutcome(
	one: PlacedCandidate,
	{ sources, outcomes, cache, nameFile }: NarrativeInput,
): PlacedCandidate[] {
	const { text } = one.candidate;
	const source = sources[one.messageIndex];
	const calls = source?.calls.filter((call) => !isPlanCall(call)) ?? [];
	const callOutcomes = calls.flatMap((call) => outcomes.byCall.get(call) ?? []);
	const isCall = calls.some((call) => text.startsWith(renderCall(call)));
	const hasEnded = callOutcomes.length === calls.length;
	if (!source || isCall || !hasEnded) return [one];
	const withText = (changed: string): PlacedCandidate => ({
		...one,
		candidate: { ...one.candidate, text: changed },
	});
	const announcement = text.slice(removeLastSentence(text).length);
	const edited = calls.flatMap((call) => {
		const touch = getFirstFileTouch(cache, call);
		const isGone = touch && getFileAccess(cache, call).removedPaths.includes(touch.path);
		const isEdited = touch?.kind === 'edit' && !isGone && !outputFilePattern.test(touch.path);
		return isEdited ? nameFile(touch.path) : [];
	});
	const isEdit = edited.length > 0;
	// The first edits of an announced change need not be all of it.
	const names = [...new Set(edited)];
	const more = names.length > maxEditedNames ? ', …' : '';
	const hasEffect = calls.some((call) => isMutating(call) || getFileAccess(cache, call).changes.length > 0);
	const command = isEdit || hasEffect ? renderCommand(calls) : '';
	const done = isEdit ? ` → edited ${names.slice(0, maxEditedNames).join(', ')}${more}` : ' → done';
	const outcome = `${command}${renderOutcomes(callOutcomes)}`;
	if (!announcesCalls(text, source)) {
		const isAtEnd = source.text.trimEnd().endsWith(announcement);
		return (isEdit || command !== '') && isAtEnd && isAnnouncement(announcement)
			? [withText(`${text}${outcome || done}`)]
			: [one];
	}
	// Where no line states the outcome of a command that printed something, its output is not known to report success.
	const showsText = callOutcomes.every(
		({ call, isCheck, result }) =>
			!isCheck && (endsWithExistingText(call) || (hasShellCommand(call) && !isEmptyOutput(result.text))),
	);
	const saysNothing = showsText || (isLookAnnouncement(announcement) && !isEdit);
	const ending = outcome || (saysNothing ? '' : done);
	const isShort = announcement.length <= maxPlainAnnouncementLength;
	const line =
		ending === '' && isShort
			? removeLastSentence(text)
			: removeAnnouncement(text, source).replace(introductionPattern, ending || '.');
	return line.length < tuning.lengths.minSentence ? [] : [withText(line)];
}

/** Returns ` → ` and the command of a message's only call; empty if it is long, or a script. */
function renderCommand([call, ...others]: readonly ToolCall[]): string {
	const command = call && others.length === 0 ? findShellCommand(call)?.trim() : undefined;
	if (!call || command === undefined || !isOneLine(command)) return '';
	const line = renderCall(call).slice(call.name.length);
	return line.length <= maxPlainAnnouncementLength ? ` →${line}` : '';
}

/** Finds the facts in each candidate's text. Returns each fact's value and coverage. Runs in slices. */
function* prepareFactValues(
	{ factIndex, values, coverage }: NarrativeInput,
	candidates: readonly PlacedCandidate[],
): SlicedTask<FactValues> {
	yield* forEachInSlices(candidates, ({ candidate }) => {
		candidate.facts ??= findFacts(factIndex.facts, candidate.text);
	});
	return { values, coverage: resizeCoverage(coverage, factIndex) };
}

/** Returns the path of the file that a result shows; undefined for other messages. */
function getReadPath(source: Source, { outcomes, cache }: NarrativeInput): string | undefined {
	return getOnlyFilePath(cache, outcomes.byResult.get(source)?.reader);
}

function createEntries(
	{ candidate, messageIndex, order }: PlacedCandidate,
	input: NarrativeInput,
): SummaryEntry[] {
	const { sources, outcomes, removed, cache, getSection } = input;
	const source = sources[messageIndex];
	if (!source) return [];
	const readPath = getReadPath(source, input);
	const text = candidate.text
		.split('\n')
		.filter((line) => !removed.has(line, readPath))
		.join('\n');
	if (text === '' || candidate.wrappedLines?.some((line) => removed.has(line, readPath))) return [];
	const outcome = outcomes.byResult.get(source);
	const call = outcome?.call;
	const touch = call && getFirstFileTouch(cache, call);
	const path = getOnlyFilePath(cache, call);
	const isFileLine =
		candidate.kind === 'resultLine' &&
		input.ratio <= tuning.narrative.ampleFromRatio &&
		touch?.kind === 'read' &&
		!outcome?.failed &&
		!outcome?.isCheck &&
		!outputFilePattern.test(touch.path);
	const messageLabel =
		candidate.kind === 'resultLine' && isTyped(source)
			? renderPastedLabel(source)
			: candidate.isOfTemplate
				? renderTemplateLabel(source)
				: source.toolName === teamName && candidate.span
					? renderReportLabel(source, candidate.span.to)
					: renderLabel(source, call, path && input.nameFile(path), cache);
	const mark = renderMarks(source, call, input);
	const span = hasExactPositions(cache, source) ? candidate.span : undefined;
	return [
		{
			seq: source.seq,
			order,
			section: hasRecords(source, touch?.kind === 'read' ? minFileRecords : undefined)
				? 'records'
				: isFileLine
					? 'code'
					: candidate.kind === 'statement' && isTyped(source) && !candidate.isOfTemplate
						? 'userWords'
						: getSection(source),
			label: `${markThought(messageLabel, source, span?.to)}${mark}`,
			...(isFileLine && call && { file: path, shortLabel: `${renderShortLabel(source, call)}${mark}` }),
			text: quote(text).trim(),
			span,
			isOnNewLine: candidate.isOnNewLine,
		},
	];
}
