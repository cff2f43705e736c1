/** Has a model write a summary, and appends a record of facts that code extracts from the messages. */

import type { Source } from '../../core/analysis/message/source.ts';
import { isTyped } from '../../core/analysis/user/userStatements.ts';
import { RefusedAnswer } from '../../core/ask/callFailure.ts';
import type { ResolvedLink } from '../../core/ask/chain.ts';
import type { SummaryTask } from '../../core/compact/stage.ts';
import { createItemsMetadata } from '../../core/compactedItems.ts';
import { getMessageText } from '../../core/history/text.ts';
import { appendRecord, detectStyle, extractModelText, findRefusal } from '../../core/modelSummary/accept.ts';
import { createSummaryPrompt, quoteInChunks } from '../../core/modelSummary/prompt.ts';
import { removeEmptySections } from '../../core/modelSummary/sections.ts';
import { verifySummary } from '../../core/modelSummary/verify.ts';
import type { StageFailure, Summary } from '../../protocol/compact.ts';
import type { ChatMessage } from '../../protocol/conversation.ts';
import type { Settings } from '../../protocol/settings.ts';
import {
	type AskCurrentModel,
	askChain,
	type ChainContext,
	type ChainOutcome,
	findLinkWindow,
} from '../models/askChain.ts';
import type { ModelAnswer, PrefetchedSummary } from '../prefetchedSummary.ts';
import { compactByProvider, type ProviderCompactionContext } from './compactedByProvider.ts';
import {
	extractHeadingTokens,
	maxInputTokens,
	maxModelTextTokens,
	maxModelTextWindowShare,
	maxWarningLineLength,
	minInputTokens,
	modelTextShare,
	promptFramingTokens,
	tokenCountMargin,
} from './tuning.ts';

export interface AskingContext extends ChainContext, ProviderCompactionContext {}

/** What is needed to check a model's answer and to add the extracted record. */
export interface CheckingContext {
	/** Messages that stay visible next to the summary. */
	visible: readonly Source[];
	countText(text: string): number;
	/** Returns a record of at most `tokens` tokens that is extracted from the messages. */
	extractRecord(tokens: number): Promise<string>;
}

/** A summary, or why there is none. */
export interface WrittenSummary extends Summary {
	failure?: StageFailure;
	/** Members of the summary's message besides its text, such as the items to which a provider compacted the messages. */
	metadata?: Record<string, unknown>;
	/** What the user should know about the summary, such as the lines that were removed from the model's text. */
	warnings?: string[];
}

/** Returns how many tokens a model may write, and how many tokens of messages it can read at once. */
function computeSummaryLimits(
	task: SummaryTask,
	link: ResolvedLink,
	models: Settings['models'],
): { outputTokens: number; inputTokens: number } {
	const window = findLinkWindow(link, models);
	const outputTokens = Math.min(
		maxModelTextTokens,
		Math.floor(task.maxTokens * modelTextShare),
		Math.floor(window * maxModelTextWindowShare),
	);
	const inputTokens = Math.min(
		maxInputTokens,
		Math.floor((window - promptFramingTokens - 2 * outputTokens) / tokenCountMargin),
	);
	return { outputTokens, inputTokens };
}

/** Returns the content of a message without its reasoning. */
function removeReasoning({ content }: ChatMessage): Pick<ChatMessage, 'content'> {
	if (typeof content === 'string') return { content };
	return { content: content.filter(({ type }) => type !== 'reasoning') };
}

/** Returns the text of the model's previous summary, and the messages that the summary does not describe. */
async function readEarlierSummary(
	task: SummaryTask,
	sources: readonly Source[],
	read: ProviderCompactionContext['read'],
): Promise<{ recap?: string; rest: readonly Source[] }> {
	const { previousSummary: before } = task;
	if (!before) return { rest: sources };
	const [message] = await read([before.row]);
	const summaryText = message && extractModelText(getMessageText(removeReasoning(message)));
	if (summaryText === undefined) return { rest: sources };
	return { recap: summaryText, rest: sources.filter(({ seq }) => !before.covers(seq)) };
}

/** Separates what users typed from everything else that was said or called. */
function splitBySpeaker(sources: readonly Source[]): { typed: string[]; others: string[] } {
	const typed = sources.filter(isTyped).map(({ text }) => text);
	const others = sources
		.filter((source) => !isTyped(source))
		.flatMap(({ text, calls }) => [text, ...calls.map(({ args }) => JSON.stringify(args) ?? '')]);
	return { typed, others };
}

function shortenLine(line: string): string {
	return line.length <= maxWarningLineLength
		? line
		: `${line.slice(0, maxWarningLineLength).toWellFormed()}…`;
}

async function writeWithModel(
	{ link, ask }: { link: ResolvedLink; ask: AskCurrentModel },
	task: SummaryTask,
	earlier: { recap?: string; rest: readonly Source[] },
	{ countText, models }: AskingContext,
): Promise<string> {
	const { outputTokens, inputTokens } = computeSummaryLimits(task, link, models);
	const tokensBefore = task.replacedTokens;
	if (inputTokens < minInputTokens) {
		const message = `its window leaves ${Math.max(0, inputTokens)} tokens for the conversation`;
		throw new RefusedAnswer({ code: 'NO_TOKEN_BUDGET', message, retryable: false, tokensBefore });
	}
	const pieces = quoteInChunks(earlier.rest, { inputTokens, count: countText });
	let { recap } = earlier;
	for (const [index, piece] of pieces.entries()) {
		const isLast = index === pieces.length - 1;
		const answer = await ask(
			createSummaryPrompt(piece, {
				maxTokens: outputTokens,
				instructions: task.instructions,
				headings: task.headings,
				endsInTurn: isLast && task.turnPrefix !== undefined,
				recap,
			}),
		);
		const text = answer.text.trim();
		const answerLimits = {
			tokens: countText(text),
			maxTokens: outputTokens,
			tokensBefore,
			headings: task.headings,
		};
		const failure = findRefusal(answer, answerLimits);
		if (failure) throw new RefusedAnswer(failure);
		recap = text;
	}
	if (recap !== undefined) return recap;
	const message = 'there is nothing to summarize';
	throw new RefusedAnswer({ code: 'MIN_MESSAGES_NOT_MET', message, retryable: false, tokensBefore });
}

/** Returns the text of a prefetched summary, and the messages that the summary does not describe. */
function readPrefetchedSummary(
	{ value, describedSeqs }: PrefetchedSummary,
	sources: readonly Source[],
): { recap?: string; rest: readonly Source[] } {
	if (typeof value !== 'string') return { rest: sources };
	const describedSet = new Set(describedSeqs);
	return { recap: value, rest: sources.filter(({ seq }) => !describedSet.has(seq)) };
}

/**
 * Asks the models of the chain for a summary.
 *
 * A conversation that does not fit a model's window is sent in pieces, each with the summary of the earlier pieces.
 * Rejects only if the compaction was cancelled. `attempts` lists all attempts with their errors; `value` is absent if no
 * answer is usable.
 * @param prefetchedSummary a summary of the first messages, so that the models are asked only about later ones
 */
export async function askForSummary(
	task: SummaryTask,
	sources: readonly Source[],
	context: AskingContext,
	prefetchedSummary?: PrefetchedSummary,
): Promise<ChainOutcome<ModelAnswer['value']>> {
	const earlier = prefetchedSummary
		? readPrefetchedSummary(prefetchedSummary, sources)
		: await readEarlierSummary(task, sources, context.read);
	return askChain(
		context,
		(ask, link): Promise<ModelAnswer['value']> =>
			link.provider === 'openai-compact'
				? compactByProvider(link, ask, task, context)
				: writeWithModel({ link, ask }, task, earlier, context),
	);
}

/** Checks a model's text against the messages, and appends the extracted record. Compacted items get only the record as text. */
export async function completeSummary(
	{ value, by, attempts }: ModelAnswer,
	task: SummaryTask,
	sources: readonly Source[],
	context: CheckingContext,
): Promise<WrittenSummary> {
	if (typeof value !== 'string') {
		const text = await context.extractRecord(task.maxTokens);
		return { text, metadata: createItemsMetadata(value), by, attempts };
	}
	const style = detectStyle(value, task.headings);
	const { text, dropped } = verifySummary(value, splitBySpeaker([...sources, ...context.visible]), style);
	const prose = removeEmptySections(text, style);
	const proseTokens = prose === '' ? 0 : context.countText(prose) + extractHeadingTokens;
	const record = await context.extractRecord(task.maxTokens - proseTokens);
	const warnings = dropped.map(
		(line) =>
			`a line was dropped from the summary by ${by}, since no message of the user contains it: ${shortenLine(line)}`,
	);
	return { text: appendRecord(prose, record), by, attempts, warnings };
}
