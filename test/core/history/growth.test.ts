import { describe, expect, it } from 'vitest';
import { measureGrowth } from '../../../server/core/history/growth.ts';
import type { Row } from '../../../server/core/history/row.ts';
import type { UsagePoint } from '../../../server/core/history/state.ts';

type Spec = ['user' | 'injected' | 'tool'] | ['assistant', number, UsagePoint['source']?];

/** Returns a history with a measured point after each answer. */
function history(...specs: Spec[]): Parameters<typeof measureGrowth>[0] {
	const usagePoints: UsagePoint[] = [];
	const rows = specs.map(([kind, tokens = 0, source = 'reported'], seq) => {
		const id = `m${seq}`;
		if (kind === 'assistant') usagePoints.push({ messageId: id, at: seq, tokens, source });
		const role = kind === 'injected' ? 'user' : kind;
		return { id, seq, role, ...(kind === 'injected' && { injected: true }) } as Row;
	});
	return { rows, usagePoints, index: new Map(rows.map(({ id, seq }) => [id, seq])) };
}

const now = (tokens: number, source: UsagePoint['source'] = 'anchored') => ({ tokens, source });

describe('growth of a window', () => {
	it('growth counts from the answer before the newest typed message', () => {
		const state = history(
			['user'],
			['assistant', 20_000],
			['user'],
			['assistant', 21_000],
			['tool'],
			['injected'],
			['assistant', 23_000],
		);
		expect(measureGrowth(state, now(23_100))).toEqual({ sinceUserMessage: 3_100 });
	});

	it('growth is unknown before the second message of the user', () => {
		expect(measureGrowth(history(['user'], ['assistant', 20_000]), now(20_000))).toBeUndefined();
		expect(measureGrowth(history(), now(0))).toBeUndefined();
	});

	it('growth is negative after a compaction', () => {
		const state = history(['user'], ['assistant', 150_000], ['user'], ['assistant', 30_000]);
		expect(measureGrowth(state, now(30_000))?.sinceUserMessage).toBe(-120_000);
	});

	it('growth does not compare estimates', () => {
		const state = history(['user'], ['assistant', 2_000, 'estimated'], ['user'], ['assistant', 30_000]);
		expect(measureGrowth(state, now(30_000))).toBeUndefined();
		const reported = history(['user'], ['assistant', 20_000], ['user']);
		expect(measureGrowth(reported, now(3_000, 'estimated'))).toBeUndefined();
		expect(measureGrowth(reported, now(21_000))?.sinceUserMessage).toBe(1_000);
	});

	it('takes the median of at least three turns that grew, and skips compacted ones', () => {
		const sizes = [2_000, 4_000, -50_000, 8_000, 6_000];
		let tokens = 100_000;
		const turns = sizes.flatMap((size): Spec[] => {
			tokens += size;
			return [['user'], ['assistant', tokens]];
		});
		const before: Spec[] = [['user'], ['assistant', 100_000]];
		const state = history(...before, ...turns, ['user']);
		expect(measureGrowth(state, now(tokens + 10))).toEqual({ sinceUserMessage: 10, perTurn: 6_000 });
		const few = history(...before, ...turns.slice(0, 4), ['user']);
		expect(measureGrowth(few, now(106_000))?.perTurn).toBeUndefined();
	});
});
