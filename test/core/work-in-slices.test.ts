import { describe, expect, it } from 'vitest';
import { createDraft, type Draft, hideItem, selectItems } from '../../server/core/compact/draft.ts';
import { collectRemovals } from '../../server/core/compact/plan/finishPlan.ts';
import { summarizeRange } from '../../server/core/compact/plan/summarize.ts';
import { resolvePolicy } from '../../server/core/compact/policy.ts';
import type { PlanInput, SummaryTask } from '../../server/core/compact/stage.ts';
import { countRepairs } from '../../server/core/history/pairs.ts';
import { computeProtection } from '../../server/core/history/protection.ts';
import { matchText, parseSearchQuery, rankHits } from '../../server/core/recall/rank.ts';
import { defaultSettings } from '../../server/core/settings/schema.ts';
import type { SlicedTask } from '../../server/core/slices.ts';
import { apply, callRow, resultRow, row, stateWith } from '../support/rows.ts';

/** Maximum number of items between two yields, for the slowest of these tasks. */
const maxItems = 50_000;

function slicesOf<T>(work: SlicedTask<T>): number {
	let slices = 1;
	while (!work.next().done) slices++;
	return slices;
}

/** Returns a `pause` function and the number of its calls so far (`pauses`). */
function createCountedPause() {
	const counted = { pauses: 0, pause: async () => void counted.pauses++ };
	return counted;
}

const long = apply(stateWith(), {
	t: 'append',
	at: 1,
	rows: Array.from({ length: 3 * maxItems }, (_, index) => row(`m${index}`)),
});

let task: SummaryTask | undefined;

/** Returns the input of a compaction of all messages that counts its pauses. */
function inputWith(counted: { pause: () => Promise<void> }): PlanInput {
	return {
		view: long.view,
		rows: long.rows,
		meter: long.meter,
		protection: computeProtection(long, { cutUserMessages: 'never' }),
		target: 20_000,
		policy: resolvePolicy({ settings: defaultSettings, contextWindow: 200_000 }),
		effects: {
			...counted,
			read: async () => [],
			countText: (text) => text.length,
			countMessage: ({ content }) => ({ text: content.length, calls: 0, images: 0 }),
		},
		listHidden: () => [],
		ids: { summary: 'summary', marker: 'marker' },
		prepareResults: async () => new Set(),
		bestLines: () => '',
		async summarize(asked) {
			task = asked;
			return { text: '', by: 'nobody', attempts: [] };
		},
	};
}

const draftOf = (): Promise<Draft> => createDraft(inputWith(createCountedPause()));

describe('tasks over a long history', () => {
	it('counting the repairs of a history yields to other work', () => {
		expect(slicesOf(countRepairs(long.view))).toBeGreaterThanOrEqual(long.view.length / 4096 - 1);
		const first = [callRow('call', ['1']), row('u'), resultRow('result', '1')];
		const { view } = apply(stateWith(), {
			t: 'append',
			at: 1,
			rows: [...first, ...Array.from({ length: 3 * maxItems }, (_, index) => row(`m${index}`))],
		});
		// Results out of order need two passes: one matches the calls, the other counts.
		expect(slicesOf(countRepairs(view))).toBeGreaterThanOrEqual((2 * view.length) / 4096 - 2);
	});

	it('ranking the hits of a query yields to other work', () => {
		const query = parseSearchQuery('some words');
		const hits = long.rows.flatMap(({ seq }) => matchText(seq, 'of some kind', query) ?? []);
		const context = { messages: hits.length, averageLength: 12 };
		expect(slicesOf(rankHits(hits, context, 10))).toBeGreaterThanOrEqual((2 * hits.length) / 4096 - 2);
	});

	it('listing removed messages yields to other work', async () => {
		const draft = await draftOf();
		for (const item of selectItems(draft, () => true)) hideItem(draft, item, 'truncate');
		const counted = createCountedPause();
		expect((await collectRemovals(draft, counted)).messages).toHaveLength(3 * maxItems);
		expect(counted.pauses).toBeGreaterThanOrEqual(3);
	});

	it('gathering the rows of a summary yields before and after', async () => {
		const draft = await draftOf();
		const counted = createCountedPause();
		const items = selectItems(draft, (item) => item > 0 && item < 3 * maxItems - 1);
		await summarizeRange(draft, items, inputWith(counted));
		expect(task?.rows).toHaveLength(3 * maxItems - 2);
		// The generator yields before and after the rows, which are read as one block.
		expect(counted.pauses).toBeGreaterThanOrEqual(2);
	});
});
