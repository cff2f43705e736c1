import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit, type ProposedPatch } from '../../../server/core/history/admit.ts';
import { computeProtection } from '../../../server/core/history/protection.ts';
import type { JournalRecord, StoredRow } from '../../../server/core/history/record.ts';
import { createEmptyState, listLiveSteps, type State } from '../../../server/core/history/state.ts';
import {
	createRewindStep,
	createRollbackStep,
	findStepsToUndo,
	getNextLayerNumber,
} from '../../../server/core/history/undo.ts';
import { composeView, listActiveLayers } from '../../../server/core/history/view.ts';
import { weighCategory, weighHistory } from '../../../server/core/meter/reading.ts';
import { addVisibleRow, createEmptyTotals, sumTally } from '../../../server/core/meter/totals.ts';
import { apply, callRow, resultRow, row } from '../../support/rows.ts';
import { soakFactor } from '../../support/soak.ts';

type Wish =
	| { kind: 'append'; shape: number; tokens: number }
	| { kind: 'compact'; from: number; length: number; show: boolean }
	| { kind: 'undo'; pick: number }
	| { kind: 'rewind'; pick: number }
	| { kind: 'usage'; pick: number; tokens: number }
	| { kind: 'pin'; pick: number; on: boolean }
	| { kind: 'mark' }
	| { kind: 'rollback'; pick: number };

const wish: fc.Arbitrary<Wish> = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({ kind: fc.constant('append' as const), shape: fc.nat(4), tokens: fc.nat(300) }),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			kind: fc.constant('compact' as const),
			from: fc.nat(60),
			length: fc.integer({ min: 1, max: 30 }),
			show: fc.boolean(),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const), pick: fc.nat(20) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('rewind' as const), pick: fc.nat(100) }) },
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('usage' as const),
			pick: fc.nat(100),
			tokens: fc.integer({ min: 1, max: 9000 }),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ kind: fc.constant('pin' as const), pick: fc.nat(100), on: fc.boolean() }),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('mark' as const) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('rollback' as const), pick: fc.nat(5) }) },
);

function appended(state: State, shape: number, tokens: number): StoredRow[] {
	const id = `m${state.rows.length}`;
	const counts = { text: tokens, calls: 0, images: 0 };
	if (shape === 0)
		return [callRow(id, [`${id}-a`, `${id}-b`], { counts }), resultRow(`${id}-ra`, `${id}-a`, { counts })];
	if (shape === 1) {
		return [
			callRow(id, [`${id}-a`], { counts, usage: { input: 50 + tokens, output: 3 } }),
			resultRow(`${id}-ra`, `${id}-a`, {
				counts,
				shows: [{ path: '/w/a.ts', kind: 'read', callId: `${id}-a` }],
			}),
		];
	}
	return [
		row(id, {
			role: shape === 2 || shape === 4 ? 'assistant' : 'user',
			counts,
			...(shape === 4 && { exact: true as const }),
		}),
	];
}

function compactRecord(state: State, w: Extract<Wish, { kind: 'compact' }>): JournalRecord | null {
	const units = state.view;
	const first = units[w.from % Math.max(1, units.length)];
	const last = units[Math.min(units.length - 1, (w.from % Math.max(1, units.length)) + w.length)];
	if (!first || !last || last.to <= first.from) return null;
	const no = getNextLayerNumber(state);
	const stored = { ...row(`sum-${no}`, { made: 'summary' }), counts: { text: 1, calls: 0, images: 0 } };
	const patch: ProposedPatch = { from: first.from, to: last.to, ...(w.show && { show: stored }) };
	if (admit(state, [patch], computeProtection(state, { cutUserMessages: 'never' }))) return null;
	return {
		t: 'step',
		step: {
			id: `compact-${no}`,
			cause: 'compact',
			at: no,
			sheet: {
				no,
				lossy: true,
				patches: [{ from: patch.from, to: patch.to, ...(w.show && { show: stored }) }],
			},
			on: [no],
			off: [],
		},
	};
}

/** Returns the record for an action in a state; undefined if the action is refused. */
function recordOf(state: State, w: Wish): JournalRecord | null {
	switch (w.kind) {
		case 'append':
			return { t: 'append', at: 1, rows: appended(state, w.shape, w.tokens) };
		case 'compact':
			return compactRecord(state, w);
		case 'undo': {
			const live = listLiveSteps(state);
			const target = live[w.pick % Math.max(1, live.length)];
			return target ? { t: 'undo', steps: findStepsToUndo(state, target.id), at: 2 } : null;
		}
		case 'rewind': {
			const target = state.rows[w.pick % Math.max(1, state.rows.length)];
			const step = target && createRewindStep(state, target.id, 3);
			return step ? { t: 'step', step } : null;
		}
		case 'usage': {
			const target = state.rows[w.pick % Math.max(1, state.rows.length)];
			if (target?.role !== 'assistant') return null;
			return { t: 'usage', id: target.id, usage: { input: w.tokens, output: 3 }, at: 6 };
		}
		case 'pin':
			return state.rows.length > 0
				? { t: 'pin', rows: [w.pick % state.rows.length], uris: [], on: w.on }
				: null;
		case 'mark':
			return { t: 'mark', id: `k${state.version}`, at: 4 };
		case 'rollback': {
			const usable = [...state.checkpoints.values()].filter((mark) => mark.droppedBy === undefined);
			const mark = usable[w.pick % Math.max(1, usable.length)];
			const step = mark && createRollbackStep(state, mark.id, 5);
			return step ? { t: 'step', step } : null;
		}
	}
}

const opening: JournalRecord = {
	t: 'open',
	v: 1,
	info: { sessionId: 's', provider: 'p', model: 'm', createdAt: 0 },
	measure: 'test',
};

function played(wishes: readonly Wish[]): { state: State; records: JournalRecord[] } {
	const state = apply(createEmptyState(), opening);
	const records: JournalRecord[] = [opening];
	for (const w of wishes) {
		const record = recordOf(state, w);
		if (!record) continue;
		apply(state, structuredClone(record));
		records.push(record);
	}
	return { state, records };
}

const visible = (state: State): string[] =>
	state.view.map((unit) => `${unit.row.id}@${unit.from}-${unit.to}`);
const runs = 100 * soakFactor;

describe('steps over a history', () => {
	it('any steps replay to the same state', () => {
		fc.assert(
			fc.property(fc.array(wish, { maxLength: 60, size: 'max' }), (wishes) => {
				const { state, records } = played(wishes);
				const again = apply(createEmptyState(), ...structuredClone(records));
				expect(again).toEqual(state);
			}),
			{ numRuns: runs },
		);
	});

	it('any steps leave the view that results from all layers together', () => {
		fc.assert(
			fc.property(fc.array(wish, { maxLength: 60, size: 'max' }), fc.boolean(), (wishes, hasPins) => {
				const state = apply(createEmptyState(), opening);
				for (const w of wishes.filter(({ kind }) => hasPins || kind !== 'pin')) {
					const record = recordOf(state, w);
					if (!record) continue;
					apply(state, structuredClone(record));
					expect(state.view).toEqual(composeView(state));
				}
			}),
			{ numRuns: runs },
		);
	});

	it('any steps keep totals equal to a recount of the view', () => {
		fc.assert(
			fc.property(fc.array(wish, { maxLength: 60, size: 'max' }), (wishes) => {
				const { state } = played(wishes);
				const sums = createEmptyTotals();
				for (const unit of state.view) addVisibleRow(sums, unit.row, state.meter.anchor?.seq ?? -1);
				expect(state.totals).toEqual(sums);
				const { toolResults } = weighHistory(state.meter, state.totals);
				expect(weighCategory(state.meter, state.totals, 'fileReads')).toBeLessThanOrEqual(toolResults);
			}),
			{ numRuns: runs },
		);
	});

	it('undoing a step equals never having taken it and its dependent steps', () => {
		fc.assert(
			fc.property(fc.array(wish, { maxLength: 60, size: 'max' }), fc.nat(10), (wishes, pick) => {
				const { state, records } = played(wishes.filter((w) => w.kind !== 'undo'));
				const live = listLiveSteps(state);
				const target = live[pick % Math.max(1, live.length)];
				if (!target) return;
				const undone = findStepsToUndo(state, target.id);
				apply(state, { t: 'undo', steps: undone, at: 9 });
				const without = records.filter((record) => record.t !== 'step' || !undone.includes(record.step.id));
				const never = apply(createEmptyState(), ...structuredClone(without));
				expect(visible(state)).toEqual(visible(never));
			}),
			{ numRuns: runs },
		);
	});

	it('undoing everything restores the original history', () => {
		fc.assert(
			fc.property(fc.array(wish, { maxLength: 60, size: 'max' }), (wishes) => {
				const { state } = played(wishes);
				while (listLiveSteps(state).length > 0)
					apply(state, { t: 'undo', steps: findStepsToUndo(state), at: 9 });
				expect(visible(state)).toEqual(state.rows.map((one) => `${one.id}@${one.seq}-${one.seq + 1}`));
			}),
			{ numRuns: runs },
		);
	});

	it('a rollback restores exactly what was visible at the checkpoint', () => {
		fc.assert(
			fc.property(
				fc.array(wish, { maxLength: 30, size: 'max' }),
				fc.array(wish, { maxLength: 30, size: 'max' }),
				(before, after) => {
					const { state } = played(before.filter((w) => w.kind !== 'pin'));
					apply(state, { t: 'mark', id: 'here', at: 1 });
					const then = visible(state);
					for (const w of after) {
						const record = w.kind === 'pin' || w.kind === 'rollback' ? null : recordOf(state, w);
						if (record) apply(state, structuredClone(record));
					}
					const step = createRollbackStep(state, 'here', 9);
					if (step) apply(state, { t: 'step', step });
					expect(visible(state)).toEqual(then);
				},
			),
			{ numRuns: runs },
		);
	});

	it('every pinned message is shown unless a cut removed it', () => {
		fc.assert(
			fc.property(fc.array(wish, { maxLength: 60, size: 'max' }), (wishes) => {
				const { state } = played(wishes);
				const cuts = listActiveLayers(state)
					.filter((sheet) => !sheet.lossy)
					.flatMap((sheet) => sheet.patches);
				for (const pin of state.pins) {
					if (cuts.some((patch) => pin >= patch.from && pin < patch.to)) continue;
					expect(state.view.some((unit) => unit.layer === 0 && unit.from === pin)).toBe(true);
				}
			}),
			{ numRuns: runs },
		);
	});

	it('the sums of a history are never negative or fractional', () => {
		fc.assert(
			fc.property(fc.array(wish, { maxLength: 60, size: 'max' }), (wishes) => {
				const { state } = played(wishes);
				for (const part of ['head', 'anchor', 'tail', 'exact'] as const) {
					expect(sumTally(state.totals[part])).toBeGreaterThanOrEqual(0);
				}
			}),
			{ numRuns: runs },
		);
	});
});
