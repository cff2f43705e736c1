import { describe, expect, it } from 'vitest';
import { findStepsToUndo } from '../../../server/core/history/undo.ts';
import { readMeter } from '../../../server/core/meter/reading.ts';
import { apply, callRow, row, stateWith } from '../../support/rows.ts';

const answer = (id: string) => row(id, { role: 'assistant' });
const usage = { input: 3000, output: 10 };

describe('a usage figure that arrives late', () => {
	it('a late usage figure counts while nothing that it covers has changed', () => {
		const state = stateWith(row('u'), answer('a'));
		apply(state, { t: 'usage', id: 'a', usage, at: 2 });
		expect(readMeter(state.meter, state.totals, state.request)).toMatchObject({
			source: 'reported',
			tokens: 3010,
		});
	});

	it('a late usage figure is ignored if a step was undone after its message', () => {
		const state = stateWith(row('u'), answer('b'), row('v'));
		const sheet = { no: 1, lossy: true, patches: [{ from: 1, to: 2 }] };
		apply(state, { t: 'step', step: { id: 'c', cause: 'compact', at: 1, sheet, on: [1], off: [] } });
		apply(state, { t: 'append', at: 2, rows: [answer('a')] });
		apply(state, { t: 'undo', steps: findStepsToUndo(state), at: 3 });
		apply(state, { t: 'usage', id: 'a', usage, at: 4 });
		expect(readMeter(state.meter, state.totals, state.request).source).toBe('estimated');
	});

	it('a late usage figure is ignored once its answer turns out to be cut off', () => {
		const state = stateWith(row('u'), callRow('a', ['x'], { usage, stopReason: 'tool' }));
		expect(readMeter(state.meter, state.totals, state.request).source).toBe('reported');
		apply(state, { t: 'usage', id: 'a', usage, stopReason: 'aborted', at: 2 });
		expect(readMeter(state.meter, state.totals, state.request).source).toBe('estimated');
	});
});
