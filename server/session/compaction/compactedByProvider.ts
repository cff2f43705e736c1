/** Has a provider compact messages into items, which are sent together with the extracted summary. */

import { RefusedAnswer } from '../../core/ask/callFailure.ts';
import type { ResolvedLink } from '../../core/ask/chain.ts';
import type { SummaryTask } from '../../core/compact/stage.ts';
import {
	type CompactedItems,
	countItemTokens,
	hasCompactionItem,
	readCompactedItems,
} from '../../core/compactedItems.ts';
import type { Row } from '../../core/history/row.ts';
import { lookupModel } from '../../core/models/registry.ts';
import type { StageFailure } from '../../protocol/compact.ts';
import type { ChatMessage } from '../../protocol/conversation.ts';
import type { Settings } from '../../protocol/settings.ts';
import { splitPortions } from '../bodies.ts';
import type { AskCurrentModel } from '../models/askChain.ts';
import { compactInputShare, tokenCountMargin } from './tuning.ts';

export interface ProviderCompactionContext {
	/** The user's overrides for models. */
	models: Settings['models'];
	countText(text: string): number;
	/** Reads the messages of rows. */
	read(rows: readonly Row[]): Promise<ChatMessage[]>;
	/** Renders rows as items of OpenAI's Responses API. */
	renderItems(rows: readonly Row[]): Promise<unknown[]>;
}

/** Splits rows into pieces of at most `maxTokens`. A larger group of calls and results stays whole. O(rows). */
function splitIntoPieces(rows: readonly Row[], maxTokens: number): Row[][] {
	const batches: Row[][] = [];
	for (const row of rows) {
		const lastBatch = batches.at(-1);
		if (lastBatch && lastBatch[0]?.batch === row.batch) lastBatch.push(row);
		else batches.push([row]);
	}
	const countTokens = (batch: readonly Row[]): number =>
		batch.reduce((sum, { counts }) => sum + counts.text + counts.calls + counts.images, 0);
	const max = { units: maxTokens, items: Number.POSITIVE_INFINITY };
	return splitPortions(batches, countTokens, max).map((piece) => piece.flat());
}

/** Returns the items that the same model returned earlier for the first rows, and the rows without items. */
async function findEarlierItems(
	{ rows, previousSummary }: SummaryTask,
	model: string,
	read: ProviderCompactionContext['read'],
): Promise<{ earlier: readonly unknown[]; laterRows: readonly Row[] }> {
	const [message] = previousSummary ? await read([previousSummary.row]) : [];
	const compaction = message && readCompactedItems(message);
	// Items of one model may be unreadable for another.
	if (!previousSummary || compaction?.model !== model) return { earlier: [], laterRows: rows };
	return {
		earlier: compaction.items,
		laterRows: rows.filter(({ seq }) => !previousSummary.covers(seq)),
	};
}

/**
 * Asks a provider to compact the rows of a task.
 *
 * Rows that do not fit the model's window are sent in pieces, each with the items returned for the earlier pieces.
 * Throws `RefusedAnswer` if the returned items must not replace the rows.
 */
export async function compactByProvider(
	{ model = '' }: ResolvedLink,
	ask: AskCurrentModel,
	task: SummaryTask,
	{ models, countText, read, renderItems: itemsOf }: ProviderCompactionContext,
): Promise<CompactedItems> {
	const tokensBefore = task.replacedTokens;
	const { contextWindow } = lookupModel('openai', model, { models });
	const refuse = (code: StageFailure['code'], message: string, extra: Partial<StageFailure> = {}): never => {
		throw new RefusedAnswer({ code, message, retryable: false, tokensBefore, ...extra });
	};
	const { earlier, laterRows } = await findEarlierItems(task, model, read);
	const maxTokens =
		Math.floor((contextWindow * compactInputShare) / tokenCountMargin) - countItemTokens(earlier, countText);
	const pieces = splitIntoPieces(laterRows, maxTokens);
	if (pieces.length === 0) refuse('MIN_MESSAGES_NOT_MET', 'there is nothing to compact');
	let items = earlier;
	for (const piece of pieces) {
		const question = { system: task.instructions ?? '', prompt: '', maxTokens: task.maxTokens };
		const reply = await ask({ ...question, items: [...items, ...(await itemsOf(piece))] });
		items = reply.items ?? [];
		if (!hasCompactionItem(items))
			refuse('INVALID_SUMMARY', 'the answer contains no compaction', { retryable: true, tokensAfter: 0 });
	}
	const tokens = countItemTokens(items, countText);
	if (tokens > task.maxTokens) {
		const message = `the items have about ${tokens} tokens, but only ${task.maxTokens} are allowed`;
		refuse('CONTEXT_GROWTH', message, { tokensAfter: tokens });
	}
	return { model, tokens, items: [...items] };
}
