import { describe, expect, it } from 'vitest';
import { createDraft } from '../../../server/core/compact/draft.ts';
import { computeReachableTarget } from '../../../server/core/compact/plan/plan.ts';
import { computeHistoryBudget } from '../../../server/core/cost/target.ts';
import { row, stateWith } from '../../support/rows.ts';
import { planInput, sized } from './planned.ts';

const breakdown = {
	systemPrompt: 100,
	currentPrompt: 20,
	toolDefinitions: 300,
	fileAttachments: 50,
	conversationHistory: 9000,
	other: 30,
};

/** Returns the effective target of a history with a first prompt of this size and 10,000 tokens of answers. */
async function comesDownTo(question: number, target: number, isFailing = false): Promise<number> {
	const state = stateWith(
		row('asked', sized(question)),
		row('answer', { role: 'assistant', ...sized(5000) }),
		row('more', { role: 'assistant', ...sized(5000) }),
	);
	const cutUserMessages = isFailing ? 'when nothing else is left' : 'never';
	const input = planInput(state, { target, cutUserMessages });
	return computeReachableTarget(await createDraft(input), target, input.policy);
}

describe('effective target of a history', () => {
	it('the budget of a history is the available tokens minus everything else in the request', () => {
		expect(computeHistoryBudget(breakdown, 1500)).toBe(1000);
		expect(computeHistoryBudget(breakdown, 400)).toBe(0);
	});

	it('the target is unchanged if protected messages leave room', async () => {
		expect(await comesDownTo(100, 3000)).toBe(3000);
	});

	it('the target is raised above protected messages, so that a short summary fits', async () => {
		const tokens = await comesDownTo(4000, 3000);
		expect(tokens).toBeGreaterThan(4000);
		expect(tokens).toBeLessThan(4000 + 2000);
	});

	it.each([
		[4000, 5300],
		[12_000, 8000],
		[30_000, 15_000],
	])('the target leaves a quarter next to %i protected tokens if it is %i', async (question, target) => {
		expect(await comesDownTo(question, target)).toBeGreaterThanOrEqual(question + target / 4);
	});

	it.each([60, 400, 4000, 30_000])(
		'the effective target next to %i protected tokens is the target or a fixed floor',
		async (question) => {
			const floor = await comesDownTo(question, 1);
			for (const target of [100, 1000, 3000, 8000, 20_000, 33_000])
				expect(await comesDownTo(question, target)).toBe(Math.max(target, floor));
		},
	);

	it('the effective target never grows when the target shrinks', async () => {
		for (const question of [10, 60, 400, 4000]) {
			const targets = [1, 20, 60, 97, 115, 300, 1000, 3000, 8000];
			const reached = await Promise.all(targets.map((target) => comesDownTo(question, target)));
			expect(reached).toEqual([...reached].sort((a, b) => a - b));
		}
	});

	it('the target is unchanged if the request would fail otherwise', async () => {
		expect(await comesDownTo(4000, 3000, true)).toBe(3000);
	});
});
