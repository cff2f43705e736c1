import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredRow } from '../../../server/core/history/record.ts';
import type { State } from '../../../server/core/history/state.ts';
import { addVisibleRow, createEmptyTotals, findLargestUnits } from '../../../server/core/meter/totals.ts';
import { apply, row, stateWith } from '../../support/rows.ts';

const roles = ['user', 'assistant', 'tool'] as const;
const rows = (from: number, count: number): StoredRow[] =>
	Array.from({ length: count }, (_, index) =>
		row(`m${from + index}`, { role: roles[(from + index) % roles.length] ?? 'user' }),
	);

/** Returns counts for the rows from `from` on, different for each row. */
const otherCounts = (from: number, count: number) =>
	Array.from({ length: count }, (_, index) => ({ text: (from + index + 1) * 1000, calls: 1, images: 0 }));

function walkedOver({ view }: State) {
	const totals = createEmptyTotals();
	for (const unit of view) addVisibleRow(totals, unit.row, -1);
	return { totals, largest: findLargestUnits(view).map((unit) => unit.row.id) };
}

const summedUp = ({ totals, largest }: State) => ({ totals, largest: largest.map((unit) => unit.row.id) });

const summaryOf = (from: number, to: number) => ({ from, to, show: row(`s${from}`, { made: 'summary' }) });

describe('recounting a history', () => {
	it('recounting a history sums up exactly what is visible, whatever happens between the parts', () => {
		const happening = fc.constantFrom('append', 'compact', 'pin', 'undo', 'nothing');
		fc.assert(
			fc.property(
				fc.array(happening, { maxLength: 4 }),
				fc.array(happening, { maxLength: 4 }),
				(first, between) => {
					const state = stateWith(...rows(0, 40));
					let compactions = 0;
					const happen = (what: (typeof first)[number]): void => {
						if (what === 'append') apply(state, { t: 'append', at: 2, rows: rows(state.rows.length, 7) });
						if (what === 'pin') apply(state, { t: 'pin', rows: [5, 12], uris: [], on: true });
						if (what === 'undo' && compactions > 0) {
							const steps = state.steps.filter(({ id }) => !state.undoneStepIds.has(id)).map(({ id }) => id);
							if (steps.length > 0) apply(state, { t: 'undo', steps: steps.slice(-1), at: 3 });
						}
						if (what !== 'compact') return;
						const no = ++compactions;
						const patches = [
							summaryOf(2, 9),
							{ ...summaryOf(12, 13), show: row('m12') },
							summaryOf(14, 20 + no),
						];
						const sheet = { no, lossy: true, patches };
						apply(state, {
							t: 'step',
							step: { id: `c${no}`, cause: 'compact', at: 2, sheet, on: [no], off: [] },
						});
					};
					for (const what of first) happen(what);
					apply(state, { t: 'recounted', from: 0, rows: otherCounts(0, 15) });
					for (const what of between) happen(what);
					apply(state, { t: 'recounted', from: 15, rows: otherCounts(15, 15) });
					const shown = [...state.layers.values()].flatMap(({ no, patches }) =>
						patches.map((_, index): [number, number, StoredRow['counts']] => [
							no,
							index,
							{ text: no, calls: 2, images: 0 },
						]),
					);
					const { request } = state;
					apply(state, {
						t: 'recount',
						measure: 'other',
						from: 30,
						rows: otherCounts(30, 10),
						shown,
						request,
					});
					expect(summedUp(state)).toEqual(walkedOver(state));
				},
			),
			{ numRuns: 300 },
		);
	});

	it('recounting a history visits only the last part at the end, for any length', () => {
		const state = stateWith(...rows(0, 1000));
		let looks = 0;
		const counts = otherCounts(0, 900).map(({ text }) => ({
			get text() {
				looks++;
				return text;
			},
			calls: 1,
			images: 0,
		}));
		for (let from = 0; from < 900; from += 100)
			apply(state, { t: 'recounted', from, rows: counts.slice(from, from + 100) });
		looks = 0;
		const { request } = state;
		apply(state, {
			t: 'recount',
			measure: 'other',
			from: 900,
			rows: otherCounts(900, 100),
			shown: [],
			request,
		});
		// Of the earlier rows, only the largest ones are read, to compare them with those of the last part.
		expect(looks).toBeLessThan(100 * 10);
		expect(summedUp(state)).toEqual(walkedOver(state));
	});
});
