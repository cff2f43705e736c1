import { describe, expect, it } from 'vitest';
import { createDraft, isHidden } from '../../../server/core/compact/draft.ts';
import { deduplicateStage } from '../../../server/core/compact/plan/deduplicate.ts';
import { createPatches } from '../../../server/core/compact/plan/finishPlan.ts';
import { pruneFallbackStage, pruneStage } from '../../../server/core/compact/plan/prune.ts';
import { dropReasoningStage } from '../../../server/core/compact/plan/selectedStages.ts';
import { summarizeStage } from '../../../server/core/compact/plan/summarize.ts';
import { truncateByForceStage, truncateStage } from '../../../server/core/compact/plan/truncate.ts';
import type { PlanInput, Stage, SummaryTask } from '../../../server/core/compact/stage.ts';
import type { RowTouch, StoredRow } from '../../../server/core/history/record.ts';
import type { State } from '../../../server/core/history/state.ts';
import { row, stateWith } from '../../support/rows.ts';
import { exchange, planInput, sized } from './planned.ts';

/** Runs one stage alone; returns its report, the draft, and the ids of messages that it changes or hides. */
async function runAlone(stage: Stage, state: State, input: PlanInput) {
	const draft = await createDraft(input);
	const report = await stage.run(draft, input);
	const lost = createPatches(draft).flatMap(({ from, to }) => state.rows.slice(from, to).map(({ id }) => id));
	return { report, draft, lost };
}

const reading = (callId: string, from: number, to: number): RowTouch => {
	return { kind: 'read', path: '/src/queue.ts', callId, from, to };
};
const shows = (touch: RowTouch): Partial<StoredRow> => ({ shows: [touch] });

describe('deduplicate', () => {
	it('deduplicate replaces a read whose lines a later one shows, and keeps one that shows more', async () => {
		const state = stateWith(
			...exchange('wide', 900, shows(reading('wide', 1, 90))),
			...exchange('narrow', 900, shows(reading('narrow', 20, 30))),
			...exchange('late', 900, shows(reading('late', 10, 40))),
		);
		const { report, lost } = await runAlone(deduplicateStage, state, planInput(state, { target: 1000 }));
		expect(lost).toEqual(['narrow-result']);
		expect(report).toEqual({ filesDeduped: 1 });
	});

	it('deduplicate replaces a long result that a later one repeats, but no short one', async () => {
		const state = stateWith(
			...exchange('a', 900, { digest: 'long' }),
			...exchange('b', 10, { digest: 'short' }),
			...exchange('c', 900, { digest: 'long' }),
			...exchange('d', 10, { digest: 'short' }),
		);
		const { lost } = await runAlone(deduplicateStage, state, planInput(state, { target: 100 }));
		expect(lost).toEqual(['a-result']);
	});

	it('deduplicate gives a reason if no read is superseded', async () => {
		const state = stateWith(...exchange('a', 900), ...exchange('b', 900));
		const { report, lost } = await runAlone(deduplicateStage, state, planInput(state, { target: 100 }));
		expect(lost).toEqual([]);
		expect(report.reason).toBe('no read is superseded by a later one');
	});
});

describe('prune', () => {
	const history = () =>
		stateWith(...exchange('a', 3000), ...exchange('b', 3000), ...exchange('c', 3000), row('end'));
	const all = { pruneProtectTokens: 0, pruneMinimumSavings: 0 };

	it('prune leaves the newest results within pruneProtectTokens whole', async () => {
		const state = history();
		const config = { ...all, pruneProtectTokens: 3000 };
		const { lost, draft } = await runAlone(pruneStage, state, planInput(state, { target: 6000, config }));
		expect(lost).toEqual(['a-result', 'b-result']);
		expect(draft.tokens).toBeLessThanOrEqual(6000);
	});

	it('prune leaves results of protected tools whole', async () => {
		const state = history();
		const config = { ...all, pruneProtectedTools: ['to*'] };
		const { lost, report } = await runAlone(pruneStage, state, planInput(state, { target: 6000, config }));
		expect(lost).toEqual([]);
		expect(report.reason).toBe('every tool result is protected or among the newest 0 tokens of results');
	});

	it('prune leaves results whole for a summary if it cannot reach the target alone', async () => {
		const state = history();
		const { lost, report } = await runAlone(pruneStage, state, planInput(state, { target: 90, config: all }));
		expect(lost).toEqual([]);
		expect(report.reason).toContain('summarizing the whole results instead');
	});

	it('prune runs after summarize only if no summary was made', async () => {
		const state = history();
		const input = planInput(state, { target: 2000, config: all });
		const draft = await createDraft(input);
		expect(pruneFallbackStage.applies(draft, input)).toBe(true);
		await summarizeStage.run(draft, input);
		expect(pruneFallbackStage.applies(draft, input)).toBe(false);
	});
});

describe('summarize', () => {
	const history = () => stateWith(...exchange('a', 3000), ...exchange('b', 3000), ...exchange('c', 300));

	it('summarize passes the originals of all replaced messages', async () => {
		const state = history();
		let task: SummaryTask | undefined;
		const input = planInput(state, {
			target: 2500,
			async summarize(asked) {
				task = asked;
				return { text: 'What was said.' };
			},
		});
		const { lost, draft } = await runAlone(summarizeStage, state, input);
		expect(task?.rows.map(({ id }) => id)).toEqual(lost);
		expect(lost).toContain('a-result');
		expect(lost).not.toContain('a-asked');
		expect(draft.rangeReplacements.summarize?.message).toMatchObject({
			id: 'summary',
			role: 'user',
			content: 'What was said.',
			metadata: { isSummary: true },
		});
	});

	it('summarize changes nothing if there is no summary, and gives the reason', async () => {
		const state = history();
		const failure = { code: 'MODEL_FAILED', message: 'no answer came', retryable: true } as const;
		const input = planInput(state, { target: 2500, summarize: async () => ({ text: '', failure }) });
		const { lost, report, draft } = await runAlone(summarizeStage, state, input);
		expect(lost).toEqual([]);
		expect(draft.tokens).toBe(6390);
		expect(report).toEqual({ reason: 'MODEL_FAILED: no answer came', failure });
	});

	it('summarize refuses a summary that is larger than what it replaces', async () => {
		const state = stateWith(...exchange('a', 300), ...exchange('b', 20), row('end'));
		const text = 'x'.repeat(4 * 400);
		const { lost, report } = await runAlone(
			summarizeStage,
			state,
			planInput(state, { target: 250, summarize: async () => ({ text }) }),
		);
		expect(lost).toEqual([]);
		expect(report.failure?.code).toBe('CONTEXT_GROWTH');
	});
});

describe('truncate', () => {
	const history = () =>
		stateWith(...['a', 'b', 'c', 'd'].flatMap((name) => exchange(name, 1000)), row('end'));

	it('truncate removes the oldest exchanges first, behind one marker', async () => {
		const state = history();
		const { lost, draft } = await runAlone(truncateStage, state, planInput(state, { target: 2500 }));
		expect(lost).toContain('b-result');
		expect(lost).not.toContain('d-result');
		expect(draft.rangeReplacements.truncate?.made).toBe('marker');
		expect(createPatches(draft).filter(({ replacement: show }) => show !== undefined)).toHaveLength(1);
	});

	it.each([200, 1200, 2200, 3200])(
		'truncate removes calls with their results, down to %i tokens',
		async (target) => {
			const state = history();
			const { draft } = await runAlone(truncateStage, state, planInput(state, { target }));
			for (const [item, { row: shown }] of state.view.entries()) {
				if (shown.calls !== undefined) expect(isHidden(draft, item)).toBe(isHidden(draft, item + 1));
			}
		},
	);

	it('truncate cuts the middle of the largest messages if whole exchanges are not enough', async () => {
		const state = stateWith(row('first'), row('answer', { role: 'assistant', ...sized(5000) }), row('end'));
		const { lost, draft } = await runAlone(truncateStage, state, planInput(state, { target: 1000 }));
		expect(lost).toEqual(['answer']);
		expect([...draft.replacements.values()].map(({ made }) => made)).toEqual(['cut']);
		expect(draft.tokens).toBeLessThanOrEqual(1000);
	});
});

describe('truncation by force', () => {
	it('truncation by force cuts user messages only if the request would fail otherwise', async () => {
		const state = stateWith(row('first', sized(4000)), row('answer', { role: 'assistant' }), row('end'));
		const usual = planInput(state, { target: 1000 });
		expect(truncateByForceStage.applies(await createDraft(usual), usual)).toBe(false);
		const input = planInput(state, { target: 1000, cutUserMessages: 'when nothing else is left' });
		expect(truncateByForceStage.applies(await createDraft(input), input)).toBe(true);
		const { lost, draft } = await runAlone(truncateByForceStage, state, input);
		expect(lost).toContain('first');
		expect(draft.tokens).toBeLessThanOrEqual(1000);
	});
});

describe('dropReasoning', () => {
	it('dropReasoning removes reasoning from answers of earlier turns only', async () => {
		const state = stateWith(
			row('u1'),
			row('a1', { role: 'assistant' }),
			row('u2'),
			row('a2', { role: 'assistant' }),
		);
		const input = planInput(state, { target: 10 });
		const read: PlanInput['effects']['read'] = async (rows) =>
			rows.map(({ id, role }) => {
				const thought = { type: 'reasoning', text: 'long thoughts' } as const;
				return { id, role, content: [thought, { type: 'text', text: 'said' }] };
			});
		const effects = { ...input.effects, read };
		const { lost, draft } = await runAlone(dropReasoningStage, state, { ...input, effects });
		expect(lost).toEqual(['a1']);
		expect([...draft.replacements.values()].map(({ message }) => message.content)).toEqual([
			[{ type: 'text', text: 'said' }],
		]);
	});
});
