import { describe, expect, it } from 'vitest';
import { createDraft } from '../../../server/core/compact/draft.ts';
import { selectItemsOutside, selectSummarizable } from '../../../server/core/compact/plan/summarize.ts';
import type { State } from '../../../server/core/history/state.ts';
import type { CompactionConfig } from '../../../server/protocol/compact.ts';
import { callRow, resultRow, row, stateWith } from '../../support/rows.ts';
import { exchange, planInput, sized } from './planned.ts';

/** Returns the ids of messages that stay next to a summary. */
async function tailOf(state: State, target: number, config: CompactionConfig = {}): Promise<string[]> {
	const input = planInput(state, { target, config });
	const draft = await createDraft(input);
	const range = await selectSummarizable(draft, input.policy, input.effects);
	return selectItemsOutside(draft, range).flatMap((item) => state.view[item]?.row.id ?? []);
}

/** Returns a prompt and `count` answers of 100 tokens. */
const answers = (count: number) =>
	stateWith(
		row('asked'),
		...Array.from({ length: count }, (_, index) => row(`a${index}`, { role: 'assistant', ...sized(100) })),
	);

describe('the tail next to a summary', () => {
	it('the tail has the newest message, and the first prompt stays in its place', async () => {
		expect(await tailOf(answers(50), 100, { recentCount: 0, keepRecentRatio: 0 })).toEqual(['asked', 'a49']);
	});

	it('the tail has recentCount messages if they fit', async () => {
		const tail = await tailOf(answers(50), 2000, { recentCount: 8 });
		expect(tail).toEqual(['asked', 'a42', 'a43', 'a44', 'a45', 'a46', 'a47', 'a48', 'a49']);
	});

	it('the tail takes at most nine tenths of the target, whatever recentCount is', async () => {
		const tail = await tailOf(answers(50), 1010, { recentCount: 40 });
		expect(tail).toHaveLength(1 + 9);
	});

	it('the tail grows with keepRecentRatio', async () => {
		const [small, large] = await Promise.all(
			[0.1, 0.9].map((keepRecentRatio) => tailOf(answers(80), 4000, { keepRecentRatio })),
		);
		expect(small?.length).toBeLessThan(large?.length ?? 0);
	});

	it('the tail begins before a call, never between a call and its results', async () => {
		const state = stateWith(
			row('asked'),
			...exchange('old', 2000),
			callRow('call', ['x', 'y']),
			resultRow('x-result', 'x', sized(300)),
			resultRow('y-result', 'y', sized(300)),
		);
		expect(await tailOf(state, 400)).toEqual(expect.arrayContaining(['call', 'x-result', 'y-result']));
	});

	it('the tail contains everything if it fits', async () => {
		expect(await tailOf(answers(2), 10_000)).toEqual(['asked', 'a0', 'a1']);
	});
});
