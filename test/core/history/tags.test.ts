import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../../server/core/history/record.ts';
import type { State } from '../../../server/core/history/state.ts';
import { tagRows } from '../../../server/core/history/tags.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import { apply, row, stateWith } from '../../support/rows.ts';

const made = (id: string, as: 'summary' | 'marker' | 'shortened') => row(id, { made: as });

type StepRecord = Extract<JournalRecord, { t: 'step' }>;

/** Returns a step with one patch. */
function step(
	id: string,
	no: number,
	patch: NonNullable<StepRecord['step']['sheet']>['patches'][number],
	lossy = true,
): StepRecord {
	const cause = lossy ? 'compact' : 'rewind';
	return { t: 'step', step: { id, cause, at: 1, sheet: { no, lossy, patches: [patch] }, on: [no], off: [] } };
}

/** Returns the id of every message, whether it is hidden, and its tags. */
const tagsOf = (state: State) =>
	runToEnd(tagRows(state)).map(({ row: { id }, isHidden: hidden, ...tags }) => [id, hidden, tags]);

const history = () => stateWith(row('a'), row('b'), row('c'), row('d'));

describe('tags of a history', () => {
	it('tags of a history are absent if nothing is hidden', () => {
		expect(tagsOf(history())).toEqual(['a', 'b', 'c', 'd'].map((id) => [id, false, {}]));
	});

	it('tags name the summary that hides a message, and the group of a summary', () => {
		const show = made('s', 'summary');
		const state = apply(history(), step('c1', 1, { from: 1, to: 3, show, behind: 'summary' }));
		expect(tagsOf(state)).toEqual([
			['a', false, {}],
			['s', false, { condenseId: 'c1' }],
			['b', true, { condenseParent: 'c1' }],
			['c', true, { condenseParent: 'c1' }],
			['d', false, {}],
		]);
	});

	it('tags distinguish the group of a marker from that of a summary', () => {
		const show = made('m', 'marker');
		const state = apply(history(), step('t1', 1, { from: 1, to: 2, show, behind: 'marker' }));
		expect(tagsOf(state).slice(1, 3)).toEqual([
			['m', false, { truncationId: 't1' }],
			['b', true, { truncationParent: 't1' }],
		]);
	});

	it('tags lead from a summary to the one that covers it, and from its messages to the first', () => {
		const state = apply(
			history(),
			step('c1', 1, { from: 1, to: 2, show: made('s1', 'summary'), behind: 'summary' }),
			step('c2', 2, { from: 1, to: 3, show: made('s2', 'summary'), behind: 'summary' }),
		);
		expect(tagsOf(state).slice(1, 5)).toEqual([
			['s1', true, { condenseId: 'c1', condenseParent: 'c2' }],
			['s2', false, { condenseId: 'c2' }],
			['b', true, { condenseParent: 'c1' }],
			['c', true, { condenseParent: 'c2' }],
		]);
	});

	it('tags show a shortened message next to its original', () => {
		const show = { ...made('b', 'shortened'), counts: { text: 2, calls: 0, images: 0 } };
		const state = apply(history(), step('p1', 1, { from: 1, to: 2, show }));
		expect(tagsOf(state).slice(1, 3)).toEqual([
			['b', true, { isShortened: true, condenseParent: 'p1' }],
			['b', false, { condenseId: 'p1' }],
		]);
	});

	it('tags name the rewind that removed a message, until it is undone', () => {
		const state = apply(history(), step('r1', 1, { from: 2, to: 4 }, false));
		expect(tagsOf(state).slice(2)).toEqual([
			['c', true, { cutBy: 'r1' }],
			['d', true, { cutBy: 'r1' }],
		]);
		apply(state, { t: 'undo', steps: ['r1'], at: 2 });
		expect(tagsOf(state)).toEqual(['a', 'b', 'c', 'd'].map((id) => [id, false, {}]));
	});
});
