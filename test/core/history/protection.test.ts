import { describe, expect, it } from 'vitest';
import { protectionOf } from '../../../server/core/history/protection.ts';
import { callRow, resultRow, row, stateWith } from '../../support/rows.ts';

describe('what no step may touch', () => {
	const between = Array.from({ length: 70 }, (_, index) => row(`a${index}`, { role: 'assistant' }));
	const protectedRows = (stopReason: string) => [
		...protectionOf(
			stateWith(
				row('u'),
				callRow('c', ['1'], { pinned: true, stopReason }),
				...between,
				resultRow('late', '1'),
				row('v'),
			),
			{ cutUserMessages: 'never' },
		).rows,
	];

	it('holds the late result without which a pinned answer that was cut off would lose its call', () => {
		expect(protectedRows('aborted').toSorted((a, b) => a - b)).toEqual([0, 1, 72, 73]);
	});

	it('leaves a late result to the stages where the call stays without it', () => {
		expect(protectedRows('tool').toSorted((a, b) => a - b)).toEqual([0, 1, 73]);
	});
});
