import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../server/core/compact/plan/finishPlan.ts';
import { plan } from '../../../server/core/compact/plan/plan.ts';
import type { CompactionConfig } from '../../../server/protocol/compact.ts';
import { row, stateWith } from '../../support/rows.ts';
import { exchange, planInput } from './planned.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
/** Returns six exchanges with a result of 2,000 tokens each: 12,180 tokens in all. */
const history = () => stateWith(...names.flatMap((name) => exchange(name, 2000)));

const planned = (target: number, config: CompactionConfig = {}): Promise<Plan> =>
	plan(planInput(history(), { target, config }));
const reasons = ({ stages }: Plan) => stages.map(({ stage, reason }) => [stage, reason]);

/** Settings under which no result is too new to be pruned, and no saving too small. */
const pruneAll = { pruneProtectTokens: 0, pruneMinimumSavings: 0 };

describe('planning a compaction', () => {
	it('a plan does nothing at or below the target, with a reason for each stage', async () => {
		const made = await planned(12_180);
		expect(made).toMatchObject({ patches: [], removed: { messages: [] }, shortfall: 0 });
		expect(reasons(made)).toEqual([
			['deduplicate', 'the target is reached'],
			['prune', 'the target is reached'],
			['summarize', 'the target is reached'],
			['truncate', 'the target is reached'],
		]);
	});

	it('a plan stops at the first stage that reaches the target', async () => {
		const made = await planned(6000, pruneAll);
		expect(made.stages.filter(({ ran }) => ran).map(({ stage }) => stage)).toEqual(['prune']);
		expect(made.shortfall).toBe(0);
	});

	it('a plan skips disabled stages', async () => {
		const off = { enableDeduplicate: false, enablePrune: false, enableSummarize: false };
		const made = await planned(6000, off);
		expect(reasons(made)).toEqual([
			['deduplicate', 'disabled'],
			['prune', 'disabled'],
			['summarize', 'disabled'],
			['truncate', undefined],
		]);
		expect(made.patches[0]?.replacement?.made).toBe('marker');
	});

	it('a plan reports its shortfall if all stages are disabled', async () => {
		const made = await planned(6000, {
			enableDeduplicate: false,
			enablePrune: false,
			enableSummarize: false,
			enableTruncate: false,
		});
		expect(made).toMatchObject({ patches: [], shortfall: 6180 });
	});

	it('a plan prunes after a failed summary, and reports each stage once', async () => {
		const input = planInput(history(), {
			target: 3000,
			config: { ...pruneAll, pruneTools: ['tool'] },
			summarize: async () => ({ text: '' }),
		});
		const made = await plan(input);
		expect(made.stages.map(({ stage }) => stage).sort()).toEqual([
			'deduplicate',
			'prune',
			'summarize',
			'truncate',
		]);
		expect(made.shortfall).toBe(0);
	});

	it('a plan reports every message that is shortened, with the removed tokens', async () => {
		const { removed, patches } = await planned(6000, pruneAll);
		expect(removed.messages.map(({ messageId, change }) => [messageId, change])).toEqual(
			names.map((name) => [`${name}-result`, 'shortened']),
		);
		const kept = patches.reduce((sum, { replacement: show }) => sum + (show?.counts.text ?? 0), 0);
		expect(removed.messages.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(12_000 - kept);
	});

	it('planning does not modify its input', async () => {
		const state = history();
		const before = structuredClone({ view: state.view, rows: state.rows, meter: state.meter });
		const input = Object.freeze(planInput(state, { target: 500 }));
		await plan(input);
		expect({ view: state.view, rows: state.rows, meter: state.meter }).toEqual(before);
		expect(input.target).toBe(500);
	});

	it('a plan keeps pinned messages, and the first and the newest prompt', async () => {
		const state = stateWith(...names.flatMap((name) => exchange(name, 2000)), row('last'));
		state.pins.add(9);
		const { removed } = await plan(planInput(state, { target: 300 }));
		const lost = removed.messages.map(({ messageId }) => messageId);
		expect(lost).toContain('b-result');
		for (const id of ['a-asked', 'last', state.rows[9]?.id]) expect(lost).not.toContain(id);
	});

	it("a plan keeps the user's rules before other short messages if no summary is made", async () => {
		const rules = Array.from({ length: 10 }, (_, index) => row(`rule${index}`));
		const fillers = Array.from({ length: 60 }, (_, index) => [
			row(`filler${index}`),
			row(`answer${index}`, { role: 'assistant' }),
		]);
		const input = planInput(stateWith(row('first'), ...rules, ...fillers.flat()), {
			target: 300,
			config: { enableSummarize: false, enablePrune: false },
		});
		const contentOf = (id: string) => (id.startsWith('rule') ? 'Never touch settings.ini.' : 'Thank you.');
		const read = input.effects.read;
		input.effects.read = async (rows) =>
			(await read(rows)).map((message) => ({ ...message, content: contentOf(message.id) }));
		const { removed } = await plan(input);
		expect(removed.messages.filter(({ messageId }) => messageId.startsWith('rule'))).toEqual([]);
		expect(removed.messages.length).toBeGreaterThan(0);
	});
});
