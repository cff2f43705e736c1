/** Selects the user's statements for a summary: short messages in full, and the rules in long messages. */

import type { Commit } from '../../analysis/changes/commits.ts';
import { findReplacedStatements } from '../../analysis/claims/replacedStatements.ts';
import {
	createWithdrawalSearch,
	type FindWithdrawal,
	renderWithdrawal,
} from '../../analysis/claims/withdrawnRules.ts';
import type { AnalysisCache } from '../../analysis/message/analyses.ts';
import { getMessageName, type Source } from '../../analysis/message/source.ts';
import { injectedLabel, renderCommits } from '../../analysis/passages/labels.ts';
import { escapeForeignText, quote, quoteLine, truncateWithMark } from '../../analysis/text/quote.ts';
import { isBriefAnswer, isRequest, scoreStatement } from '../../analysis/text/statements.ts';
import { type AgentRefusal, findAgentRefusals } from '../../analysis/user/agentRefusals.ts';
import { needsQuestion } from '../../analysis/user/closingQuestion.ts';
import { collectRequests, type UserRequests } from '../../analysis/user/requests.ts';
import { collectRules, type UserRule } from '../../analysis/user/rules.ts';
import { isTyped, listTakenBackSources, type UserStatement } from '../../analysis/user/userStatements.ts';
import { forEachInSlices, type SlicedTask } from '../../slices.ts';
import { tuning } from '../tuning.ts';
import type { SummaryEntry } from './entries.ts';
import { headingTokens, type SummaryBudget, takeLine, takeLines } from './summaryBudget.ts';
import type { SessionAnalyses } from './workState.ts';

/** A message is quoted in full for its rules if it costs at most this multiple of the rules' tokens. */
const maxRuleContextFactor = 2;

/**
 * Limits for conversations: if users' short messages are at least `fromShare` of the text, they may take the same share of
 * the target, rising with `slope` up to `maxShare`. The highest scores come first; a message with a score up to
 * `maxAsideScore` is small talk. Tuned on the conversations of `test/eval/talks/`.
 */
const conversationLimits = { fromShare: 0.5, slope: 2, maxShare: 0.95, maxAsideScore: 1 } as const;

/** Maximum length of an answer that may name an option of the agent's message: "2", "b)". UTF-16 units. */
const maxCodeLength = 2;

/** Minimum share of an interrupted message with which the next one begins if it was sent again with changes. */
const minRepeatedShare = 0.7;

const speakerNames = { typed: 'user', wrapped: 'user', answer: 'user, answering' } as const;

/** The tags of a user's command, with its arguments, in a message that the agent generated. */
const commandTagPattern = /<command-(?:name|message|args)>/;

function getSpeakerName({ kind, source }: UserStatement): string {
	return kind === 'wrapped' && !commandTagPattern.test(source.text) ? injectedLabel : speakerNames[kind];
}

function renderStatement(statement: UserStatement): string {
	const { source, text } = statement;
	const name = getSpeakerName(statement);
	// Quoted, so that no line of a client's note looks like a message.
	const body = name === injectedLabel ? quote(text).trimStart() : escapeForeignText(text);
	return `[${getMessageName(source)} ${name}] ${renderTakenBack(statement)}${renderInterruption(statement)}${renderQuestion(statement)}${body}`;
}

/** Returns the question before an answer, or the options that the answer names; empty if the answer is clear alone. */
function renderQuestion({ precedingQuestion, chosenOptions, text }: UserStatement): string {
	if (chosenOptions) return `(${chosenOptions}) `;
	if (precedingQuestion === undefined) return '';
	const mayAnswer =
		isBriefAnswer(text) || (needsQuestion(text, precedingQuestion) && !/[?？]\s*$/.test(text));
	return isRequest(text) && !mayAnswer ? '' : `(asked: ${quoteLine(precedingQuestion)}) `;
}

/** Returns a note if the agent was interrupted after an answer, which is then no approval; empty for requests. */
function renderInterruption({ interruptedIn, precedingQuestion, text }: UserStatement): string {
	const isAnswer = precedingQuestion !== undefined || !isRequest(text);
	return interruptedIn && isAnswer ? `(interrupted in ${getMessageName(interruptedIn)}) ` : '';
}

/** Returns what became of a request: that the agent refused it, or its commits. */
function renderEnd({ source, text }: UserStatement, { commits, refusals }: Speech): string {
	const refusal = refusals.get(source);
	const refused = refusal ? ` → ${getMessageName(refusal.source)}: ${quoteLine(refusal.text)}` : '';
	return `${refused}${renderCommits(text, commits.get(source))}`;
}

function renderTakenBack({ takenBack, undoneIn }: UserStatement): string {
	if (takenBack) return `(taken back in ${getMessageName(takenBack)}) `;
	return undoneIn ? `(work undone in ${getMessageName(undoneIn)}) ` : '';
}

/** Returns the share of users' short messages in the text, without repetitions; 0 if there are tool calls. O(text). */
function computeUserShare(sources: readonly Source[]): number {
	const seenTexts = new Set<string>();
	let totalUnits = 0;
	let userUnits = 0;
	for (const source of sources) {
		if (source.calls.length > 0 || source.role === 'tool') return 0;
		if (seenTexts.has(source.text)) continue;
		seenTexts.add(source.text);
		totalUnits += source.text.length;
		if (isTyped(source) && source.text.length <= tuning.lengths.maxVerbatim) userUnits += source.text.length;
	}
	return userUnits / Math.max(1, totalUnits);
}

/** Returns the share of the target that the user's statements may take. */
function computeStatementShare(userShare: number): number {
	if (userShare < conversationLimits.fromShare) return tuning.shares.userWords;
	return Math.min(
		conversationLimits.maxShare,
		conversationLimits.slope * userShare - conversationLimits.fromShare,
	);
}

/** Properties of the user's statements. */
export interface Speech {
	/** Statements that the user replaced later. */
	replaced: ReadonlyMap<Source, Source>;
	/** Statements that the user repeated later in the same words. */
	repeated: ReadonlySet<Source>;
	findWithdrawal: FindWithdrawal;
	/** Commits that the agent made for a request, by the message of the request. */
	commits: ReadonlyMap<Source, readonly Commit[]>;
	requests: UserRequests;
	/** What the agent refused, by the message that asked for it. */
	refusals: ReadonlyMap<Source, AgentRefusal>;
	/** Tokens that the user's statements may take. */
	maxTokens: number;
	/** Whether most text is the user's and exceeds the budget. Statements are then sorted by score and shown compactly. */
	isTight: boolean;
}

/**
 * Returns the properties of the user's statements, from all messages of a session.
 * @param targetTokens target tokens of the whole history
 */
export function analyzeSpeech(
	sources: readonly Source[],
	statements: readonly UserStatement[],
	targetTokens: number,
	{ count, cache }: { count: (text: string) => number; cache: AnalysisCache },
): Omit<Speech, 'commits'> {
	const share = computeUserShare(sources);
	const maxTokens = Math.max(computeStatementShare(share) * targetTokens, 2 * tuning.shares.minBlockTokens);
	const isTight =
		share >= conversationLimits.fromShare && count(statements.map(renderStatement).join('\n')) > maxTokens;
	const replaced = findReplacedStatements(statements, cache);
	return {
		replaced,
		requests: collectRequests(statements, replaced, sources),
		repeated: findRepeatedStatements(statements),
		findWithdrawal: createWithdrawalSearch(statements),
		refusals: findAgentRefusals(sources),
		maxTokens,
		isTight,
	};
}

/**
 * Returns entries with the user's short messages in full, newest first, or by score if the budget is tight. Text that an
 * agent wrapped comes last. A message that exceeds its share is still quoted if it has a binding rule and costs little
 * more than the rule. Runs in slices.
 */
export function* collectSpokenEntries(
	budget: SummaryBudget,
	allStatements: readonly UserStatement[],
	speech: Speech,
	cache: AnalysisCache,
): SlicedTask<SummaryEntry[]> {
	const { replaced, repeated } = speech;
	const { maxVerbatim } = tuning.lengths;
	const statements = allStatements.filter(
		({ text, source, pasted, kind }) =>
			(kind === 'answer' || text.length <= maxVerbatim) &&
			pasted !== 'whole' &&
			!replaced.has(source) &&
			!repeated.has(source),
	);
	const unwrapped = statements.filter(({ kind }) => kind !== 'wrapped').reverse();
	const wrapped = statements
		.filter(({ kind, source }) => kind === 'wrapped' && !speech.requests.pastTemplates.has(source))
		.reverse();
	const entries: SummaryEntry[] = [];
	const addStatement = (statement: UserStatement, maxTokens: number): number => {
		const text =
			speech.isTight && statement.kind === 'typed'
				? `- ${renderTakenBack(statement)}${quoteLine(statement.text)}`
				: renderStatement(statement) + renderEnd(statement, speech);
		const section = getSpeakerName(statement) === injectedLabel ? 'events' : 'userWords';
		const tokens = takeLine(budget, section, text, maxTokens);
		if (tokens > 0)
			entries.push({ seq: statement.source.seq, order: -1, section, label: '', text, isOnNewLine: true });
		return tokens;
	};
	let allowed = speech.maxTokens;
	const omitted: UserStatement[] = [];
	for (const statement of [...(speech.isTight ? sortByScore(unwrapped) : unwrapped), ...wrapped]) {
		let tokens = addStatement(statement, allowed);
		if (tokens === 0 && statement.kind === 'answer')
			tokens = addStatement({ ...statement, text: truncateWithMark(statement.text, maxVerbatim) }, allowed);
		if (tokens === 0 && statement.kind === 'typed') omitted.push(statement);
		allowed -= tokens;
	}
	yield;
	allowed = tuning.shares.aroundRules * budget.totalTokens;
	yield* forEachInSlices(omitted, (statement) => {
		const rules = collectRules([statement.source], cache).filter(
			({ isBinding, isOfTemplate }) => isBinding && !isOfTemplate,
		);
		if (rules.length === 0) return;
		const ruleTokens = rules.reduce((sum, { text }) => sum + budget.count(text), headingTokens);
		allowed -= addStatement(statement, Math.min(allowed, maxRuleContextFactor * ruleTokens));
	});
	yield;
	return entries;
}

/**
 * Returns the statements that the user repeated later: in the same words, or interrupting the agent to add to them. The
 * same short answer to other questions says something else.
 */
function findRepeatedStatements(statements: readonly UserStatement[]): Set<Source> {
	const readWhole = ({ pasted, text, source, chosenOptions = '' }: UserStatement): string =>
		`${pasted ? source.text : text}${chosenOptions || (text.length > maxCodeLength ? '' : source.seq)}`;
	const lastByText = new Map(statements.map((one) => [readWhole(one), one.source]));
	return new Set(
		statements.flatMap((one, index) =>
			lastByText.get(readWhole(one)) === one.source && !isSentAgain(one, statements[index + 1])
				? []
				: [one.source],
		),
	);
}

/** Whether the user interrupted the agent after a statement and sent most of it again in the next one. */
function isSentAgain({ interruptedIn, text }: UserStatement, next: UserStatement | undefined): boolean {
	const start = text.trim().slice(0, Math.ceil(minRepeatedShare * text.trim().length));
	return interruptedIn !== undefined && start !== '' && next?.text.trim().startsWith(start) === true;
}

/** Sorts statements by score, without small talk. */
function sortByScore(statements: readonly UserStatement[]): UserStatement[] {
	return statements
		.map((statement) => ({ statement, score: scoreStatement(statement.text) }))
		.filter(({ score }) => score > conversationLimits.maxAsideScore)
		.sort((a, b) => b.score - a.score)
		.map(({ statement }) => statement);
}

/** Returns the rules of users that are not shown elsewhere: binding rules first, each group oldest first. */
export function renderRules(
	budget: SummaryBudget,
	sources: readonly Source[],
	preface: string,
	{
		statements,
		cache,
		replaced,
		findWithdrawal,
		requests,
	}: Pick<SessionAnalyses, 'statements' | 'cache' | 'replaced' | 'findWithdrawal' | 'requests'>,
): string[] {
	const takenBack = listTakenBackSources(statements);
	const isShown = ({ text, source }: UserRule): boolean => replaced.has(source) || preface.includes(text);
	const rules = collectRules(sources, cache).filter(
		(rule) =>
			!takenBack.has(rule.source) &&
			!isShown(rule) &&
			!requests.isPastRule(rule) &&
			findWithdrawal(rule)?.release.kind !== 'order',
	);
	const lines = (isBinding: boolean): string[] =>
		rules
			.filter((rule) => rule.isBinding === isBinding)
			.map((rule) => {
				const mark = renderWithdrawal(findWithdrawal(rule));
				return `${/^[-*•]\s/.test(rule.text) ? ' ' : '- '}${quoteLine(rule.text)}${mark}`;
			});
	const maxTokens = tuning.shares.rules * budget.totalTokens;
	return [
		...takeLines(budget, 'rules', lines(true), maxTokens),
		...takeLines(budget, 'rules', lines(false).reverse(), tuning.shares.looseRules * maxTokens),
	];
}

/** Joins the texts of visible messages that the user typed. */
export function joinTypedTexts(visible: readonly Source[]): string {
	return visible
		.filter(isTyped)
		.map(({ text }) => text)
		.join('\n');
}
