import { describe, expect, it } from 'vitest';
import { type CardCompaction, createCardModel, formatCacheCost } from '../../client-vscode/src/card/model.ts';
import type { ShownSession } from '../../client-vscode/src/usage/usage.ts';
import type { RemovedMessage } from '../../server/protocol/compaction.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { stats } from './stats.ts';

const call = (id: string, name: string, args: object): ChatMessage => ({
	id: `${id}-call`,
	role: 'assistant',
	content: '',
	toolCalls: [{ id, name, args }],
});
const answer = (id: string, content: string): ChatMessage => ({ id, role: 'tool', toolCallId: id, content });

const history: ChatMessage[] = [
	{ id: 'u', role: 'user', content: 'Why does it\nfail?' },
	call('r', 'Read', { file_path: '/w/src/main.go' }),
	answer('r', '     1→package main'),
	call('b', 'Bash', { command: 'npm test' }),
	answer('b', 'Exit code 1\nFAIL TestX'),
	{ id: 'a', role: 'assistant', content: 'I see.' },
];

function change(messageId: string, parts: Partial<RemovedMessage>): RemovedMessage {
	return { messageId, stage: 'prune', change: 'shortened', tokens: 10_000, role: 'tool', ...parts };
}

const removed = [
	change('u', { stage: 'summarize', change: 'replaced', tokens: 5000, role: 'user' }),
	change('r', { stage: 'deduplicate', change: 'replaced' }),
	change('b', {}),
];
const after: ChatMessage[] = [
	{
		role: 'user',
		content: '## What happened\n[#0 user] Why? See #2 and #99.',
		metadata: { isSummary: true },
	},
	...history.slice(1, 4),
	answer('b', 'FAIL TestX'),
	...history.slice(5),
];

const session: ShownSession = { sessionId: 's1', isReadOnly: false };
const followed = { agent: 'claude-code', label: 'Claude Code', path: '/t.jsonl' };

function card(change: Partial<CardCompaction> = {}, shown = session, isOutdated = false) {
	const compaction = { tokensBefore: 70_000, tokensAfter: 48_000, removed, ...change };
	return createCardModel({
		session: shown,
		stats: stats(),
		compaction,
		fullHistory: history,
		before: history,
		after,
		isOutdated,
	});
}

const commands = (model: ReturnType<typeof card>) => model.actions.map(({ command }) => command);
const entry = { compactionId: 'k1', at: 5, isUndone: false };

describe('the model of a card', () => {
	it('the headline shows the tokens of the request, and where the meter will be', () => {
		expect(card().title).toBe('86k → 64k (63% → ~47%)');
	});

	it('each message has a row with its name and what happens to it', () => {
		expect(
			card().rows.map(({ number, name, kind, savedTokens }) => [number, name, kind, savedTokens]),
		).toEqual([
			[0, 'user', 'summarized', 5000],
			[1, 'assistant', 'kept', 0],
			[2, 'Read main.go', 'cleared', 10_000],
			[3, 'assistant', 'kept', 0],
			[4, 'Bash npm test → exit 1', 'shortened', 10_000],
			[5, 'assistant', 'kept', 0],
		]);
	});

	it('a row shows the first words of its message, or the calls of one without words', () => {
		const words = card().rows.map((row) => row.firstWords);
		expect(words).toEqual([
			'Why does it fail?',
			'→ Read main.go',
			'package main',
			'→ Bash npm test',
			'Exit code 1 FAIL TestX',
			'I see.',
		]);
	});

	it('a result of which only a placeholder is left is cleared', () => {
		const left = after.map((one) =>
			one.id === 'b' ? answer('b', '[Tool result cleared: 900 tokens, original b]') : one,
		);
		const compaction = { tokensBefore: 70_000, tokensAfter: 48_000, removed };
		const sources = {
			session,
			stats: stats(),
			compaction,
			fullHistory: history,
			before: history,
			isOutdated: false,
		};
		expect(createCardModel({ ...sources, after: left }).rows[4]?.kind).toBe('cleared');
	});

	it('the bars add up to the request before and after', () => {
		const { before, after: left, limit } = card().bars;
		const sum = (parts: typeof before) => parts.reduce((total, { tokens }) => total + tokens, 0);
		expect([sum(before), sum(left), limit]).toEqual([85_680, 63_680, 136_000]);
		expect(before.map(({ kind }) => kind)).toEqual(['stays', 'shortened', 'cleared', 'summarized']);
		expect(left).toEqual([
			{ kind: 'stays', tokens: 60_680 },
			{ kind: 'summary', tokens: 3000 },
		]);
	});

	it('the summary links to the messages that the session has', () => {
		const { summary, referencedIds, summaryTokens } = card();
		expect(summary.map(({ kind }) => kind)).toEqual(['heading', 'entry']);
		expect(referencedIds).toEqual({ 0: 'u', 2: 'r' });
		expect(summaryTokens).toBe(3000);
	});

	it('numbers count appended messages only, as summaries do', () => {
		const full: ChatMessage[] = [
			{ id: 'old', role: 'user', content: 'old', condenseParent: 'k' },
			{ id: 's', role: 'user', content: 'a summary', condenseId: 'k' },
			{ id: 't', role: 'tool', content: 'long', condenseParent: 'k' },
			{ id: 't', role: 'tool', content: 'short', condenseId: 'k' },
			{ id: 'new', role: 'user', content: 'new' },
		];
		const before = [full[1], full[3], full[4]] as ChatMessage[];
		const compaction = { tokensBefore: 9, tokensAfter: 9, removed: [] };
		const model = createCardModel({
			session,
			stats: stats(),
			compaction,
			fullHistory: full,
			before,
			after: before,
			isOutdated: false,
		});
		expect(model.rows.map(({ number }) => number)).toEqual([null, 1, 2]);
	});

	it('the cost of the cache and when it pays back is described, unless nothing is charged', () => {
		const cache = { rewrittenTokens: 13_384, costTokens: 15_392, paysBackAfterCalls: 5 };
		expect(formatCacheCost(cache)).toBe(
			'Cache: 13k tokens are written again, for the price of 15k input tokens; pays back after 5 requests.',
		);
		expect(formatCacheCost({ ...cache, paysBackAfterCalls: 1 })).toContain('pays back after 1 request.');
		expect([formatCacheCost(undefined), formatCacheCost({ ...cache, costTokens: 0 })]).toEqual(['', '']);
	});

	it('a plan offers to compact, and to plan again once the session changed', () => {
		expect(commands(card())).toEqual(['compact', 'compare']);
		expect(commands(card({}, session, true))).toEqual(['compact', 'planAgain', 'compare']);
		expect(commands(card({}, { ...session, isReadOnly: true }))).toEqual(['compare']);
	});

	it('a plan for a followed session offers to continue, and to export unless the caller chose what to free', () => {
		expect(commands(card({}, { ...session, followed }))).toEqual(['continueInAgent', 'takeAlong', 'compare']);
		const own = card({ hasCustomParams: true }, { ...session, followed });
		expect(commands(own)).toEqual(['continueInAgent', 'installPlugin', 'compare']);
		expect(own.notes).toEqual([
			'Claude Code manages its own context.',
			expect.stringContaining('With its plugin, contextd can compact running sessions of Claude Code'),
		]);
		const other = { agent: 'codex', label: 'Codex', path: '/t.jsonl' };
		const without = card({ hasCustomParams: true }, { ...session, followed: other });
		expect([commands(without), without.notes]).toEqual([['compare'], ['Codex manages its own context.']]);
	});

	it('a past compaction says why it was due if the window was not nearly full', () => {
		const decision = {
			isDue: true,
			reason: 'cold',
			preference: 'balanced',
			targetTokens: 24_000,
			costTokens: 0,
			savesOnceTokens: 60_000,
			savesPerCallTokens: 4800,
			paysBackAfterCalls: 0,
			expectedCalls: 10,
		} as const;
		expect(card({ entry, decision }).status).toBe('Compacted, because the provider’s cache had expired');
		expect(card({ entry, decision: { ...decision, reason: 'threshold' } }).status).toBe('Compacted');
	});

	it('a past compaction offers its undo until it is undone, unless an agent made it', () => {
		expect(commands(card({ entry }))).toEqual(['undo', 'compare']);
		expect(commands(card({ entry: { ...entry, agent: 'Claude Code' } }))).toEqual(['compare']);
		const undone = card({ entry: { ...entry, isUndone: true } });
		expect([commands(undone), undone.status]).toEqual([['compare'], 'Undone: all messages are restored.']);
	});

	it('a missed target and warnings are notes', () => {
		const { notes } = card({ reason: '900 tokens above the target remain', warnings: ['Take care.'] });
		expect(notes).toEqual(['The target was missed: 900 tokens above the target remain.', 'Take care.']);
	});
});
