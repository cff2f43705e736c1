import { describe, expect, it } from 'vitest';
import { afterStop, restartLimit } from '../../client-vscode/src/daemon/restarts.ts';

describe('a daemon that stopped by itself', () => {
	it('is started again at once, then after longer waits, and at last no more', () => {
		let stops: number[] = [];
		const waits: (number | null)[] = [];
		for (let index = 0; index < restartLimit.stops; index++) {
			const decision = afterStop(stops, index * 1000);
			stops = decision.stops;
			waits.push(decision.restart ? decision.afterMs : null);
		}
		expect(waits).toEqual([0, 250, 500, 1000, null]);
	});

	it('is forgiven stops of long ago', () => {
		const old = [1, 2, 3, 4, 5];
		expect(afterStop(old, restartLimit.withinMs + 6)).toEqual({
			restart: true,
			stops: [restartLimit.withinMs + 6],
			afterMs: 0,
		});
	});
});
