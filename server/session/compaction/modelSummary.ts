/** A summary written by somebody's model, with the record that code keeps under it. */

import { RefusedAnswer } from '../../core/ask/callFailure.ts';
import type { AskedLink } from '../../core/ask/chain.ts';
import type { Source } from '../../core/compact/ledger/source.ts';
import { modelWordsOf, refusalOf, styleOfAnswer, withRecord } from '../../core/compact/model/accept.ts';
import { believed } from '../../core/compact/model/believe.ts';
import { quotedPieces, summaryPrompt } from '../../core/compact/model/prompt.ts';
import { withoutEmptySections } from '../../core/compact/model/sections.ts';
import type { SummaryTask } from '../../core/compact/stage.ts';
import { isTyped } from '../../core/compact/thread/userWords.ts';
import type { CompactedItems } from '../../core/compactedItems.ts';
import { textOf } from '../../core/history/text.ts';
import { lookupModel } from '../../core/models/registry.ts';
import type { SummaryAttempt } from '../../protocol/compact.ts';
import type { ChatMessage } from '../../protocol/conversation.ts';
import type { Settings } from '../../protocol/settings.ts';
import { type Ask, askChain, type ChainContext, type ChainOutcome } from '../models/askChain.ts';
import type { ModelAnswer, PrefetchedSummary } from '../prefetchedSummary.ts';
import { type CompactedContext, compactByProvider } from './compactedByProvider.ts';
import {
	countMargin,
	framing,
	leastInput,
	longestTold,
	mostInput,
	mostProse,
	proseOfWindow,
	proseShare,
	recordHead,
} from './tuning.ts';

export interface AskingContext extends ChainContext, CompactedContext {}

/** What a model's answer is checked against and completed with. */
export interface CheckingContext {
	/** What stays visible next to the summary. */
	visible: readonly Source[];
	countText(text: string): number;
	/** What code keeps of the messages, in at most this many tokens. */
	record(tokens: number): Promise<string>;
}

export interface ModelSummary {
	text: string;
	/** What the provider made of the messages, where it compacts by itself: the text is an extract then. */
	compacted?: CompactedItems;
	by: string;
	attempts: SummaryAttempt[];
	/** What was taken out of the model's words, in a sentence each. */
	warnings: string[];
}

/** Tokens that a model may write, and read at once besides an earlier summary of as many. */
function roomOf(
	task: SummaryTask,
	link: AskedLink,
	models: Settings['models'],
): { prose: number; input: number } {
	const isKnown = link.provider !== 'client';
	const window = isKnown
		? lookupModel(link.provider, link.model, { models }).contextWindow
		: Number.POSITIVE_INFINITY;
	const prose = Math.min(mostProse, Math.floor(task.tokens * proseShare), Math.floor(window * proseOfWindow));
	const input = Math.min(mostInput, Math.floor((window - framing - 2 * prose) / countMargin));
	return { prose, input };
}

/** A message without the reasoning that may stand in front of what it says. */
function withoutReasoning({ content }: ChatMessage): Pick<ChatMessage, 'content'> {
	if (typeof content === 'string') return { content };
	return { content: content.filter(({ type }) => type !== 'reasoning') };
}

/** What a model wrote of the beginning earlier, and the messages that it did not tell of. */
async function earlierWords(
	task: SummaryTask,
	sources: readonly Source[],
	read: CompactedContext['read'],
): Promise<{ before?: string; rest: readonly Source[] }> {
	const { before } = task;
	if (!before) return { rest: sources };
	const [message] = await read([before.row]);
	const words = message && modelWordsOf(textOf(withoutReasoning(message)));
	if (words === undefined) return { rest: sources };
	return { before: words, rest: sources.filter(({ seq }) => !before.holds(seq)) };
}

/** What users typed, and what all others said and called. */
function wordsBySpeaker(sources: readonly Source[]): { typed: string[]; others: string[] } {
	const typed = sources.filter(isTyped).map(({ text }) => text);
	const others = sources
		.filter((source) => !isTyped(source))
		.flatMap(({ text, calls }) => [text, ...calls.map(({ args }) => JSON.stringify(args) ?? '')]);
	return { typed, others };
}

function cut(line: string): string {
	return line.length <= longestTold ? line : `${line.slice(0, longestTold).toWellFormed()}…`;
}

async function writeBy(
	link: AskedLink,
	ask: Ask,
	task: SummaryTask,
	earlier: { before?: string; rest: readonly Source[] },
	{ countText, models }: AskingContext,
): Promise<string> {
	const { prose, input } = roomOf(task, link, models);
	const tokensBefore = task.replacedTokens;
	if (input < leastInput) {
		const message = `its window leaves ${Math.max(0, input)} tokens for the conversation`;
		throw new RefusedAnswer({ code: 'NO_TOKEN_BUDGET', message, retryable: false, tokensBefore });
	}
	const pieces = quotedPieces(earlier.rest, { inputTokens: input, count: countText });
	let { before } = earlier;
	for (const [index, piece] of pieces.entries()) {
		const isLast = index === pieces.length - 1;
		const answer = await ask(
			summaryPrompt(piece, {
				maxTokens: prose,
				instructions: task.instructions,
				headings: task.headings,
				endsInTurn: isLast && task.turnPrefix !== undefined,
				before,
			}),
		);
		const text = answer.text.trim();
		const expected = { tokens: countText(text), most: prose, tokensBefore, headings: task.headings };
		const failure = refusalOf(answer, expected);
		if (failure) throw new RefusedAnswer(failure);
		before = text;
	}
	if (before !== undefined) return before;
	const message = 'there is nothing to tell of';
	throw new RefusedAnswer({ code: 'MIN_MESSAGES_NOT_MET', message, retryable: false, tokensBefore });
}

/** The words of a prefetched summary, and the messages that came after those it describes. */
function prefetchedWords(
	{ value, seqs }: PrefetchedSummary,
	sources: readonly Source[],
): { before?: string; rest: readonly Source[] } {
	if (typeof value !== 'string') return { rest: sources };
	const described = new Set(seqs);
	return { before: value, rest: sources.filter(({ seq }) => !described.has(seq)) };
}

/**
 * Asks the models of the chain for a summary, piece by piece if the conversation does not fit into a model's window,
 * each piece merged with the summary of what came before it. Rejects only if the compaction was cancelled; `attempts`
 * lists what went wrong, and `value` is absent if no answer is usable.
 *
 * @param prefetched a summary of the beginning: the models are asked only for what came after it
 */
export async function askForSummary(
	task: SummaryTask,
	sources: readonly Source[],
	context: AskingContext,
	prefetched?: PrefetchedSummary,
): Promise<ChainOutcome<ModelAnswer['value']>> {
	const earlier = prefetched
		? prefetchedWords(prefetched, sources)
		: await earlierWords(task, sources, context.read);
	return askChain(
		context,
		(ask, link): Promise<ModelAnswer['value']> =>
			link.provider === 'openai-compact'
				? compactByProvider(link, ask, task, context)
				: writeBy(link, ask, task, earlier, context),
	);
}

/** Checks a model's answer against the messages, and adds the record that code keeps. */
export async function completeSummary(
	{ value, by, attempts }: ModelAnswer,
	task: SummaryTask,
	sources: readonly Source[],
	context: CheckingContext,
): Promise<ModelSummary> {
	if (typeof value !== 'string') {
		return { text: await context.record(task.tokens), compacted: value, by, attempts, warnings: [] };
	}
	const style = styleOfAnswer(value, task.headings);
	const { text, dropped } = believed(value, wordsBySpeaker([...sources, ...context.visible]), style);
	const words = withoutEmptySections(text, style);
	const own = words === '' ? 0 : context.countText(words) + recordHead;
	const record = await context.record(task.tokens - own);
	const warnings = dropped.map(
		(line) => `of the summary by ${by} a line was dropped, which no message of the user holds: ${cut(line)}`,
	);
	return { text: withRecord(words, record), by, attempts, warnings };
}
