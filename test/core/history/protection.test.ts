import { describe, expect, it } from 'vitest';
import { computeProtection } from '../../../server/core/history/protection.ts';
import { callRow, resultRow, row, stateWith } from '../../support/rows.ts';

describe('protected rows', () => {
	const between = Array.from({ length: 70 }, (_, index) => row(`a${index}`, { role: 'assistant' }));
	const protectedRows = (stopReason: string) => [
		...computeProtection(
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

	it('a late result is protected if a pinned answer would lose its call without it', () => {
		expect(protectedRows('aborted').toSorted((a, b) => a - b)).toEqual([0, 1, 72, 73]);
	});

	it('a late result is not protected if its call survives without it', () => {
		expect(protectedRows('tool').toSorted((a, b) => a - b)).toEqual([0, 1, 73]);
	});
});

describe('the message with running calls', () => {
	const rowsOf = (state: Parameters<typeof computeProtection>[0], keepsRunningCalls: boolean) => [
		...computeProtection(state, { cutUserMessages: 'never', keepsRunningCalls }).rows,
	];
	const loop = () =>
		stateWith(row('u'), callRow('c', ['1']), resultRow('r', '1'), callRow('d', ['2']), resultRow('s', '2'));

	it('the message with running calls is protected on request, whatever follows its results', () => {
		expect(rowsOf(loop(), true)).toEqual([0, 3]);
		const told = stateWith(
			row('u'),
			callRow('c', ['1']),
			resultRow('r', '1'),
			row('note', { injected: true }),
		);
		expect(rowsOf(told, true)).toContain(1);
		const typed = stateWith(row('u'), callRow('c', ['1']), resultRow('r', '1'), row('v'));
		expect(rowsOf(typed, true)).toEqual([0, 3, 1]);
	});

	it('the message with running calls is not protected otherwise, or after the model continued', () => {
		expect(rowsOf(loop(), false)).toEqual([0]);
		const answered = stateWith(
			row('u'),
			callRow('c', ['1']),
			resultRow('r', '1'),
			row('a', { role: 'assistant' }),
		);
		expect(rowsOf(answered, true)).toEqual([0]);
	});
});
