import { describe, expect, it } from 'vitest';
import { explainCompaction, explainDue, explainWait } from '../../../server/core/cost/costTexts.ts';
import type { PolicyDecision, PolicyReason } from '../../../server/protocol/compaction.ts';
import { statsWith } from '../../front/values.ts';

function decision(reason: PolicyReason, isDue: boolean): PolicyDecision {
	return {
		isDue,
		reason,
		preference: 'balanced',
		targetTokens: 26_000,
		costTokens: 29_900,
		savesOnceTokens: 0,
		savesPerCallTokens: 2000,
		paysBackAfterCalls: 15,
		expectedCalls: 10,
	};
}

describe('the words for a decision', () => {
	it('the words for a decision say after how many calls a compaction would pay back', () => {
		const stats = statsWith({ isHeldBack: true, decision: decision('paysBackLate', false) });
		expect(explainWait(stats)).toBe(
			'held back: a compaction now would pay back after 15 calls, and the session is expected to make 10 more',
		);
	});

	it('the words for a decision name a short session and an open call', () => {
		const short = statsWith({ isHeldBack: true, decision: decision('shortSession', false) });
		expect(explainWait(short)).toContain('if this session ends soon');
		expect(explainWait(statsWith({ decision: decision('openCalls', false) }))).toContain('result of a call');
	});

	it('the words for a decision are missing if a compaction is simply not due', () => {
		expect(explainWait(statsWith({ decision: decision('notReached', false) }))).toBeUndefined();
		expect(explainDue(decision('notReached', false))).toBeUndefined();
		expect(explainDue(decision('threshold', true))).toBeUndefined();
	});

	it('the words for a decision say why the next request is compacted, and why one was', () => {
		expect(explainDue(decision('cold', true))).toContain('cache has expired');
		expect(explainCompaction(decision('cold', true))).toContain('cache had expired');
		const reasons: PolicyReason[] = ['setting', 'threshold', 'cost', 'budget', 'cold'];
		expect(new Set(reasons.map((reason) => explainCompaction(decision(reason, true)))).size).toBe(
			reasons.length,
		);
	});
});
