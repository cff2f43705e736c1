/** A compaction by a provider itself, whose items stand beside the extract. */

import { RefusedAnswer } from '../../core/ask/callFailure.ts';
import type { AskedLink } from '../../core/ask/chain.ts';
import type { SummaryTask } from '../../core/compact/stage.ts';
import {
	type CompactedItems,
	compactedItemsOf,
	countItemTokens,
	hasCompactionItem,
} from '../../core/compactedItems.ts';
import type { Row } from '../../core/history/row.ts';
import { lookupModel } from '../../core/models/registry.ts';
import type { StageFailure } from '../../protocol/compact.ts';
import type { ChatMessage } from '../../protocol/conversation.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { Ask } from '../models/askChain.ts';
import { countMargin, inputShare } from './tuning.ts';

export interface CompactedContext {
	/** What the user knows better of models. */
	models: Settings['models'];
	countText(text: string): number;
	/** The messages that rows show. */
	read(rows: readonly Row[]): Promise<ChatMessage[]>;
	/** Rows as items of OpenAI's Responses API. */
	itemsOf(rows: readonly Row[]): Promise<unknown[]>;
}

function tokensOf({ counts }: Row): number {
	return counts.text + counts.calls + counts.images;
}

/** Rows in pieces of at most so many tokens, but for a tool batch that is larger by itself; none is cut. O(rows). */
function piecesOf(rows: readonly Row[], most: number): Row[][] {
	const batches: Row[][] = [];
	for (const row of rows) {
		const last = batches.at(-1);
		if (last && last[0]?.batch === row.batch) last.push(row);
		else batches.push([row]);
	}
	const pieces: Row[][] = [];
	let room = 0;
	for (const batch of batches) {
		const tokens = batch.reduce((sum, row) => sum + tokensOf(row), 0);
		const last = pieces.at(-1);
		if (last && tokens <= room) last.push(...batch);
		else pieces.push(batch);
		room = (last && tokens <= room ? room : most) - tokens;
	}
	return pieces;
}

/** What the same model made of the beginning earlier, and the rows that are new since. */
async function earlierItems(
	{ rows, before }: SummaryTask,
	model: string,
	read: CompactedContext['read'],
): Promise<{ earlier: readonly unknown[]; rest: readonly Row[] }> {
	const [message] = before ? await read([before.row]) : [];
	const known = message && compactedItemsOf(message);
	// Nobody says that one model reads what another has written.
	if (!before || known?.model !== model) return { earlier: [], rest: rows };
	return { earlier: known.items, rest: rows.filter(({ seq }) => !before.holds(seq)) };
}

/**
 * Has the rows of a task compacted, in pieces where they do not fit into the model's window, each together with what
 * was made of those before it. Throws `RefusedAnswer` where what comes back may not stand for them.
 */
export async function compactByProvider(
	{ model = '' }: AskedLink,
	ask: Ask,
	task: SummaryTask,
	{ models, countText, read, itemsOf }: CompactedContext,
): Promise<CompactedItems> {
	const tokensBefore = task.replacedTokens;
	const { contextWindow } = lookupModel('openai', model, { models });
	const refuse = (code: StageFailure['code'], message: string, more: Partial<StageFailure> = {}): never => {
		throw new RefusedAnswer({ code, message, retryable: false, tokensBefore, ...more });
	};
	const { earlier, rest } = await earlierItems(task, model, read);
	const most = Math.floor((contextWindow * inputShare) / countMargin) - countItemTokens(earlier, countText);
	const pieces = piecesOf(rest, most);
	if (pieces.length === 0) refuse('MIN_MESSAGES_NOT_MET', 'there is nothing to compact');
	let items = earlier;
	for (const piece of pieces) {
		const question = { system: task.instructions ?? '', prompt: '', maxTokens: task.tokens };
		const reply = await ask({ ...question, items: [...items, ...(await itemsOf(piece))] });
		items = reply.items ?? [];
		if (!hasCompactionItem(items))
			refuse('INVALID_SUMMARY', 'it holds no compaction', { retryable: true, tokensAfter: 0 });
	}
	const tokens = countItemTokens(items, countText);
	if (tokens > task.tokens) {
		const message = `its items have about ${tokens} tokens, ${task.tokens} are allowed`;
		refuse('CONTEXT_GROWTH', message, { tokensAfter: tokens });
	}
	return { model, tokens, items: [...items] };
}
