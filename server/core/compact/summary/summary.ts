/** Extracts a summary from the messages of a session, without a model. */

import { collectOutcomes, findUnreadResults } from '../../analysis/calls/outcomes.ts';
import { groupCommitsByRequest } from '../../analysis/changes/commits.ts';
import type { CallAnalyses } from '../../analysis/changes/fileCalls.ts';
import { listPaths } from '../../analysis/changes/fileCalls.ts';
import { collectFileCalls, listCurrentFiles } from '../../analysis/changes/filesTouched.ts';
import { findNamedDefinitions, type NamedFile } from '../../analysis/changes/namedDefinitions.ts';
import { collectRemovedLines, type RemovedLines } from '../../analysis/changes/removedLines.ts';
import { addUndoneEdits } from '../../analysis/changes/undoneEdits.ts';
import { SettledStatements } from '../../analysis/claims/settledStatements.ts';
import { type AnalysisCache, createAnalysisCache } from '../../analysis/message/analyses.ts';
import type { Outcomes } from '../../analysis/message/callOutcome.ts';
import { readExpandedCommand } from '../../analysis/message/commandTemplates.ts';
import { addSource, type FactIndex } from '../../analysis/message/factIndex.ts';
import { findUnappliedAnswers, isProgramReport } from '../../analysis/message/programReports.ts';
import { collectMessageTexts, computeLanguageCostFactor } from '../../analysis/message/proseCost.ts';
import { omitReplacedNotices } from '../../analysis/message/replacedNotices.ts';
import { getMessageName, type Source } from '../../analysis/message/source.ts';
import { createFileNaming } from '../../analysis/passages/labels.ts';
import { findNamedSections } from '../../analysis/passages/namedSections.ts';
import { findNamedTasks, listDemands } from '../../analysis/passages/namedTasks.ts';
import { rankRows } from '../../analysis/records/minorRows.ts';
import { isDecision } from '../../analysis/text/cues.ts';
import { maskSecrets } from '../../analysis/text/secrets.ts';
import {
	collectUserStatements,
	findUndoneWork,
	type UserStatement,
} from '../../analysis/user/userStatements.ts';
import type { Seq } from '../../history/record.ts';
import type { SlicedTask } from '../../slices.ts';
import { collectCoverage } from '../choice/coverage.ts';
import { collectMemberLines, type MemberLines } from '../choice/memberNames.ts';
import { computeFactValues } from '../choice/rank.ts';
import type { SummaryStyle } from '../policy.ts';
import { tuning } from '../tuning.ts';
import { listChecks, renderChecks } from './checks.ts';
import { moveDecisions } from './decisions.ts';
import {
	agentLabelPattern,
	markUnfinished,
	orderByPosition,
	renderLinesBySection,
	type SummaryEntry,
	shortenRows,
} from './entries.ts';
import { renderDefinedNames, renderFileLists } from './fileLists.ts';
import { isNarrativeSection, type LinesBySection, renderSections, type Section } from './headings.ts';
import { renderLastChanges } from './lastChanges.ts';
import { collectNarrative } from './narrativeEntries.ts';
import { addParentLines } from './parentLines.ts';
import { takePlan } from './plan.ts';
import { collectPresentLines } from './presentLines.ts';
import { collectQuotations } from './quotations.ts';
import { markRefutedClaims } from './refutedClaims.ts';
import {
	computeCompressionRatio,
	createSummaryBudget,
	type SummaryBudget,
	takeLines,
} from './summaryBudget.ts';
import { hasWholeHead, writeSummaryHead } from './summaryHead.ts';
import {
	analyzeSpeech,
	collectSpokenEntries,
	joinTypedTexts,
	renderRules,
	type Speech,
} from './userSpeech.ts';
import { collectWorkState, type SessionAnalyses } from './workState.ts';

/** Number of newest summarized messages whose narrative is shown as current work. */
const currentMessageCount = 6;

/** The budget and the context of a summary. */
export interface SummaryOptions {
	/** Maximum size of the summary, measured by `count`. */
	budgetTokens: number;
	/** Returns the tokens of a text. */
	count: (text: string) => number;
	/** Messages that stay in the history next to the summary. The summary does not repeat them. */
	visible?: readonly Source[];
	/** Remaining text of shortened messages next to the summary, by ordinal. The summary does not repeat this text. */
	shortened?: ReadonlyMap<Seq, string>;
	/** Target tokens of the whole history; the user's statements may take a share of them. By default the budget. */
	targetTokens?: number;
	/** The user's instructions on what to keep. */
	instructions?: string;
	/** The closing line, which explains how to read hidden text. */
	recallHint?: string;
	headings?: SummaryStyle;
	/** The cached analyses of texts, which the summary extends. */
	cache?: AnalysisCache;
}

/** A summary and its tokens, measured by the options' `count`. */
export interface ExtractedSummary {
	text: string;
	tokens: number;
	basis: SummaryBasis;
}

/** The analyses of all given messages that a summary is based on. */
export interface SummaryBasis {
	outcomes: Outcomes;
	/** The value of each fact, as `computeFactValues` returns it. */
	values: Float32Array;
}

const defaultRecallHint = '#N is message N of this session; context/original gives its full text.';

/**
 * Summarizes messages by quoting them: first the user's statements, then the current plan and checks, the narrative of
 * what was said and done, and lines with the facts most likely to be needed again. Deterministic. Empty if nothing fits
 * the budget. Runs in slices of some milliseconds; the caller must not add to the fact index between slices.
 */
export function* writeExtract(
	factIndex: FactIndex,
	messages: readonly Source[],
	options: SummaryOptions,
): SlicedTask<ExtractedSummary> {
	const { budgetTokens, count, visible = [], instructions, targetTokens = budgetTokens } = options;
	const sources = omitReplacedNotices(messages, visible);
	const closing = `${describeVisibleRecap(sources, visible)}${options.recallHint ?? defaultRecallHint}`;
	const { cache = createAnalysisCache(), shortened = new Map<Seq, string>() } = options;
	const shownText = [...shortened.values()].join('\n');
	const all = [...sources, ...visible].sort((a, b) => a.seq - b.seq);
	for (const source of all) addSource(factIndex, source);
	yield;
	const calls = yield* analyzeCalls(all, cache);
	const { outcomes, undone } = calls;
	const costFactor = computeLanguageCostFactor(collectMessageTexts(sources), count);
	const commits = groupCommitsByRequest(all, calls);
	yield;
	const allStatements = yield* collectUserStatements(all, omitProposals(undone), cache);
	const statements = omitVisible(allStatements, visible);
	yield;
	const speech = { ...analyzeSpeech(all, allStatements, targetTokens, { count, cache }), commits };
	const ownTokens = budgetTokens - (speech.isTight ? 0 : count(closing) + 2);
	const budget = createSummaryBudget(ownTokens, count, costFactor);
	const latestSeq = sources.findLast(({ seq }) => !shortened.has(seq))?.seq ?? 0;
	const spokenEntries = yield* collectSpokenEntries(budget, statements, speech, cache);
	const filesAtEnd = listCurrentFiles(all, calls);
	const checks = listChecks(outcomes);
	const analyses = { ...calls, ...speech, all, statements: allStatements, filesAtEnd, checks };
	const state = yield* collectWorkState(analyses);
	const head = speech.isTight ? [] : writeSummaryHead(budget, state);
	yield;
	const writtenTexts = [shownText, ...head, ...spokenEntries.map(({ text }) => text)];
	const preface = [joinTypedTexts(visible), ...writtenTexts].join('\n');
	const removed = yield* collectRemovedLines(all, calls);
	const named = findNamedDefinitions(state.requestText, all, factIndex, { ...analyses, removed });
	const lists = yield* buildLists(budget, { sources, head, removed, named }, preface, analyses);
	yield;
	const tasks = findNamedTasks([state.goal, state.newestRequest], all, calls);
	const common = {
		factIndex,
		values: computeFactValues(factIndex, all),
		sources,
		bySeq: new Map(sources.map((source) => [source.seq, source])),
		coverage: collectCoverage(factIndex, visible),
		...calls,
		commits,
		unread: findUnreadResults(all),
		rankedRows: yield* rankRows(all, outcomes),
		namedLines: new Map([...listDemands(tasks), ...(yield* findNamedSections(state, all, outcomes))]),
		memberLines: collectMemberLines(sources),
		settled: new SettledStatements(sources, statements, filesAtEnd, speech.requests.pastTemplates),
		filesAtEnd,
		removed,
		getSection: (source: Source): Section => selectNarrativeSection(source, latestSeq),
		ratio: computeCompressionRatio(budget, sources),
		instructions,
		nameFile: createFileNaming(listPaths(filesAtEnd)),
		...listShownMessages(spokenEntries, statements, speech),
	};
	const narrative = yield* collectNarrative(budget, {
		...common,
		unread: new Set([...common.unread, ...tasks]),
		visible,
		writtenTexts: [...writtenTexts, ...(lists.get('rules') ?? [])],
	});
	const present = collectPresentLines(budget, visible, common);
	const quoted = yield* collectQuotations(budget, {
		...common,
		entries: [...spokenEntries, ...narrative, ...present],
		shownText,
		listedLines: [...lists.values()].flat(),
	});
	const narrativeEntries =
		(options.headings ?? 'plain') === 'plain' ? moveDecisions(narrative, all, allStatements) : narrative;
	const shown = [...spokenEntries, ...narrativeEntries, ...present, ...quoted];
	const outlined = addParentLines(orderByPosition(shown, common.bySeq), common.bySeq, cache);
	const entries = yield* markRefutedClaims(outlined, all, allStatements, calls);
	return yield* renderWithinBudget(entries, { ...common, head, lists }, options, closing);
}

/** Returns the statements whose messages do not stay visible. */
function omitVisible(statements: readonly UserStatement[], visible: readonly Source[]): UserStatement[] {
	const sources = new Set(visible);
	return statements.filter(({ source }) => !sources.has(source));
}

/** Returns the undone work without edits that were only proposed. */
function omitProposals(undone: ReadonlyMap<Source, Source>): Map<Source, Source> {
	return new Map([...undone].filter(([, undoing]) => !isProgramReport(undoing)));
}

function* analyzeCalls(sources: readonly Source[], cache: AnalysisCache): SlicedTask<CallAnalyses> {
	const outcomes = yield* collectOutcomes(sources, cache);
	const undone = new Map([...findUndoneWork(sources), ...findUnappliedAnswers(sources)]);
	addUndoneEdits(undone, outcomes);
	yield;
	return { outcomes, undone, fileCalls: collectFileCalls(sources, outcomes, cache), cache };
}

/** Returns a note if an earlier summary stays below this summary and is older than some summarized messages; else empty. */
function describeVisibleRecap(sources: readonly Source[], visible: readonly Source[]): string {
	const latestSeq = sources.at(-1)?.seq ?? 0;
	const recap = visible.findLast(({ isRecap, seq }) => isRecap && seq < latestSeq);
	return recap === undefined
		? ''
		: `The summary in ${getMessageName(recap)}, which follows, is older than what is said here of later messages. `;
}

/** Returns the ordinals of messages that need no narrative, and of those whose typed words are already shown. */
function listShownMessages(
	spoken: readonly SummaryEntry[],
	statements: readonly UserStatement[],
	{ replaced, repeated }: Pick<Speech, 'replaced' | 'repeated'>,
): { verbatim: Set<Seq>; ownWords: Set<Seq> } {
	const withPasted = new Set(statements.flatMap(({ source, pasted }) => (pasted ? [source.seq] : [])));
	const whole = spoken.filter(({ seq }) => !withPasted.has(seq));
	return {
		verbatim: new Set([...whole, ...replaced.keys(), ...repeated].map(({ seq }) => seq)),
		ownWords: new Set(spoken.map(({ seq }) => seq)),
	};
}

/** Returns the section for a message's narrative; `latest` is the ordinal of the newest summarized message. */
function selectNarrativeSection({ isRecap, role, isInjected, seq, text }: Source, latest: Seq): Section {
	if (isRecap) return 'events';
	if (role === 'system' || (role === 'user' && (isInjected || readExpandedCommand(text))))
		return 'background';
	return seq > latest - currentMessageCount ? 'latestWork' : 'events';
}

interface ListInput extends Pick<SummaryLists, 'head'> {
	sources: readonly Source[];
	removed: RemovedLines;
	/** The files that define the names of the current request. */
	named: readonly NamedFile[];
}

/** Returns the lists of a summary, each within its share of the budget. Runs in slices. */
function* buildLists(
	budget: SummaryBudget,
	{ sources, head, removed, named }: ListInput,
	preface: string,
	state: SessionAnalyses,
): SlicedTask<LinesBySection> {
	const { totalTokens, count } = budget;
	const budgetOf = (share: number): number => share * totalTokens + tuning.shares.minBlockTokens;
	const lists: LinesBySection = new Map();
	const add = (section: Section, lines: readonly string[]): void => {
		if (lines.length > 0) lists.set(section, [...lines]);
	};
	add('rules', renderRules(budget, sources, preface, state));
	yield;
	add('plan', takePlan(budget, state, budgetOf(tuning.shares.block)));
	yield;
	add('checks', renderChecks(budget, state, head, budgetOf(tuning.shares.block)));
	const files = renderFileLists(sources, budgetOf(tuning.shares.block), count, state);
	yield;
	const nameTokens = hasWholeHead(budget) ? tuning.shares.block * totalTokens : 0;
	const names = renderDefinedNames(sources, { tokens: nameTokens, count, named }, { ...state, removed });
	// An ample summary shows the edits themselves.
	const isAmple = computeCompressionRatio(budget, sources) > tuning.narrative.ampleFromRatio;
	const changeTokens = nameTokens - names.reduce((sum, line) => sum + count(line), 0);
	const changes = isAmple
		? []
		: renderLastChanges(sources, { tokens: changeTokens, count }, { ...state, removed });
	add('files', takeLines(budget, 'files', [...files, ...names, ...changes], budget.tokensLeft));
	yield;
	return lists;
}

interface SummaryLists extends SummaryBasis {
	/** The first lines: goal, state and next step. */
	head: readonly string[];
	lists: LinesBySection;
	memberLines: MemberLines;
	bySeq: ReadonlyMap<Seq, Source>;
}

/** Renders the summary. Omits the last entries if the text would exceed the budget. */
function* renderWithinBudget(
	entries: readonly SummaryEntry[],
	{ head, lists, memberLines, bySeq, outcomes, values }: SummaryLists,
	{ budgetTokens, count, headings = 'plain' }: SummaryOptions,
	closing: string,
): SlicedTask<ExtractedSummary> {
	const basis = { outcomes, values };
	const keptEntries = headings === 'blog' ? moveByTopic(entries) : [...entries];
	for (;;) {
		yield;
		const lines = renderLinesBySection(shortenRows(markUnfinished(keptEntries, bySeq), memberLines));
		for (const [section, list] of lists) lines.set(section, [...list, ...(lines.get(section) ?? [])]);
		const body = [...head, ...[...lines.values()].flat()];
		const closingLine = body.some((line) => messageReferencePattern.test(line)) ? closing : '';
		const parts = [head.join('\n'), renderSections(lines, headings, closingLine)].filter(Boolean);
		const text = maskSecrets(parts.join('\n\n'));
		const tokens = count(text);
		if (tokens <= budgetTokens && body.length > 0) return { text, tokens, basis };
		if (tokens <= budgetTokens || keptEntries.length === 0) return { text: '', tokens: 0, basis };
		for (let excess = tokens - budgetTokens; excess > 0 && keptEntries.length > 0; )
			excess -= count(keptEntries.pop()?.text ?? '');
	}
}

/** A reference to a message, such as `#12`. The closing line explains references. */
const messageReferencePattern = /#\d/;

const userRequestPattern =
	/\b(?:please|could you|can you|you (?:need|have|will have) to|you (?:should|must|may want to)|let me know|your (?:turn|call|decision))\b|ください|お願い|请您?|\b(?:bitte|Sie müssen|du musst)\b/i;

function findTopic({ text }: SummaryEntry): Section | undefined {
	if (userRequestPattern.test(text)) return 'userTasks';
	if (/[?？]\s*$/.test(text)) return 'questions';
	return isDecision(text) ? 'decisions' : undefined;
}

/** Moves entries of the narrative to the sections of their topics. */
function moveByTopic(entries: readonly SummaryEntry[]): SummaryEntry[] {
	return entries.map((entry) => {
		const isNarrative = isNarrativeSection(entry.section) && agentLabelPattern.test(entry.label);
		const section = isNarrative ? findTopic(entry) : undefined;
		return section === undefined ? entry : { ...entry, section };
	});
}
