import { expect, it } from 'vitest';
import { estimateTokensAfterUndo } from '../../client-vscode/src/usage/windowChange.ts';
import type { CompactionSummary } from '../../server/protocol/compaction.ts';

function compaction(compactionId: string, saved: number, more: Partial<CompactionSummary> = {}) {
	return {
		compactionId,
		at: 1,
		tokensBefore: 50_000 + saved,
		tokensAfter: 50_000,
		stagesUsed: [],
		undone: false,
		...more,
	} satisfies CompactionSummary;
}

const stats = { estimatedInputTokens: 60_000 };

it('an undo restores the tokens that the compaction and later ones saved', () => {
	const all = [compaction('first', 7000), compaction('second', 3000)];
	expect(estimateTokensAfterUndo(stats, all, 'second')).toBe(63_000);
	expect(estimateTokensAfterUndo(stats, all, 'first')).toBe(70_000);
});

it('an undo restores nothing of undone compactions and those of the agent', () => {
	const all = [
		compaction('first', 7000),
		compaction('second', 3000, { undone: true }),
		compaction('agents', 9000, { byAgent: true }),
	];
	expect(estimateTokensAfterUndo(stats, all, 'first')).toBe(67_000);
	expect(estimateTokensAfterUndo(stats, all, 'unknown')).toBe(60_000);
});
