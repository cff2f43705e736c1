import { describe, expect, it } from 'vitest';
import { defaultMeterFormat } from '../../client-vscode/src/usage/meter.ts';
import { describeStatusBar } from '../../client-vscode/src/usage/statusBarText.ts';
import type { ShownSession, UsageState } from '../../client-vscode/src/usage/usage.ts';
import { stats } from './stats.ts';

const now = 1_000_000;
const options = { now, format: defaultMeterFormat };
const session: ShownSession = { sessionId: 's1', isReadOnly: false };
const followed = {
	...session,
	title: 'Fix it',
	followed: { agent: 'claude-code', label: 'Claude Code', path: '/t.jsonl' },
};

function known(change: Parameters<typeof stats>[0] = {}, shown = session): UsageState {
	return { kind: 'known', session: shown, measurement: { stats: stats(change), at: now - 12_000 } };
}

function compacting(measurement: { stats: ReturnType<typeof stats>; at: number } | null): UsageState {
	return { kind: 'compacting', session, measurement, step: 'summarize' };
}

describe('meter in the status bar', () => {
	it.each<[string, UsageState, string, string, string]>([
		['starting', { kind: 'starting' }, '$(dashboard) –', 'none', 'Context window: starting'],
		[
			'without a session',
			{ kind: 'noSession' },
			'$(dashboard) –',
			'none',
			'Context window unknown: no session',
		],
		[
			'without messages',
			{ kind: 'unknown', session },
			'$(dashboard) –',
			'none',
			'Context window unknown: no messages yet',
		],
		[
			'stopped',
			{ kind: 'stopped', reason: 'it crashed' },
			'$(dashboard) $(warning)',
			'warning',
			'Context window unknown: it crashed',
		],
		['reported', known(), '$(dashboard) 63%', 'none', 'Context window 63% full'],
		['anchored', known({ source: 'anchored' }), '$(dashboard) 63%', 'none', 'Context window 63% full'],
		[
			'estimated',
			known({ source: 'estimated' }),
			'$(dashboard) ~63%',
			'none',
			'Context window about 63% full',
		],
		[
			'little left',
			known({ usageRatio: 0.68, estimatedInputTokens: 92_000 }),
			'$(dashboard) 68%',
			'warning',
			'Context window 68% full, little is left',
		],
		[
			'compaction due',
			known({ usageRatio: 0.9, estimatedInputTokens: 122_000 }),
			'$(dashboard) 90%',
			'error',
			'Context window 90% full, less than a typical turn is left',
		],
		[
			'over the limit',
			known({ usageRatio: 1.1, estimatedInputTokens: 149_600 }),
			'$(error) 110%',
			'error',
			'Context window 110% full, over the limit',
		],
		[
			'followed',
			known({}, followed),
			'$(dashboard) 63% Claude Code',
			'none',
			'Claude Code: Context window 63% full',
		],
		[
			'followed, without messages',
			{ kind: 'unknown', session: followed },
			'$(dashboard) – Claude Code',
			'none',
			'Claude Code: Context window unknown: no messages yet',
		],
		[
			'compacting',
			compacting({ stats: stats(), at: now }),
			'$(loading~spin) 63%',
			'none',
			'Compacting the context, 63% full',
		],
		['compacting, unmeasured', compacting(null), '$(loading~spin)', 'none', 'Compacting the context'],
	])('the meter shows the state: %s', (_, usage, text, background, label) => {
		expect(describeStatusBar(usage, options)).toMatchObject({ text, background, label });
	});

	it('the tooltip has a table by category, the source with its age, and the headroom', () => {
		const { tooltip } = describeStatusBar(known(), options);
		expect(tooltip).toContain('&nbsp;Tool Definitions | 9k | 7% |');
		expect(tooltip).toContain('&nbsp;Output Reserve | 64k |  |');
		expect(tooltip).toContain('Reported by the provider, 12 s ago');
		expect(tooltip).toContain('23k tokens until auto-compaction at 80%');
	});

	it('the tooltip says why the next request is compacted, or why that is held back', () => {
		const tooltip = (change: Parameters<typeof known>[0]) =>
			describeStatusBar(known(change), options).tooltip;
		const decision = {
			isDue: true,
			reason: 'cold',
			preference: 'balanced',
			targetTokens: 24_000,
			costTokens: 0,
			savesOnceTokens: 60_000,
			savesPerCallTokens: 4800,
			paysBackAfterCalls: 14,
			expectedCalls: 10,
		} as const;
		expect(tooltip({ shouldCompact: true, decision })).toContain('because the provider’s cache has expired');
		const late = { ...decision, isDue: false, reason: 'paysBackLate' } as const;
		expect(tooltip({ isHeldBack: true, decision: late })).toContain('would pay back after 14 requests');
		const open = { ...decision, isDue: false, reason: 'openCalls' } as const;
		expect(tooltip({ decision: open })).toContain('waits for the result of a call');
	});

	it('the tooltip offers to undo the last compaction, but not twice', () => {
		const last = {
			compactionId: 'c',
			at: now - 60_000,
			tokensBefore: 171_000,
			tokensAfter: 48_000,
			stagesUsed: [],
		};
		const open = describeStatusBar(
			known({ lastCompaction: { ...last, undone: false }, undoable: { ...last, undone: false } }),
			options,
		).tooltip;
		expect(open).toContain('Last compaction 1 min ago: 171k → 48k');
		expect(open).toContain('command:contextd.undo');
		const undone = describeStatusBar(known({ lastCompaction: { ...last, undone: true } }), options).tooltip;
		expect(undone).toContain('undone');
		expect(undone).not.toContain('command:contextd.undo');
	});

	it('the tooltip of a read-only session offers no changes', () => {
		const last = {
			compactionId: 'c',
			at: now,
			tokensBefore: 2,
			tokensAfter: 1,
			stagesUsed: [],
			undone: false,
		};
		const { tooltip } = describeStatusBar(
			known({ lastCompaction: last, undoable: last }, { ...session, isReadOnly: true }),
			options,
		);
		expect(tooltip).toContain('used by another process');
		expect(tooltip).not.toContain('command:contextd.undo');
	});

	it('the tooltip of a followed session names its agent, and offers only what works there', () => {
		const lastCompaction = {
			compactionId: 'c',
			at: now,
			tokensBefore: 2,
			tokensAfter: 1,
			stagesUsed: [],
			undone: false,
		};
		const { tooltip } = describeStatusBar(known({ lastCompaction }, followed), options);
		expect(tooltip).toContain('Claude Code · Fix it · claude\\-sonnet\\-4\\-5');
		expect(tooltip).toContain('50k tokens left');
		expect(tooltip).toContain('Follows the transcript of Claude Code');
		expect(tooltip).toContain('command:contextd.showChanges');
		expect(tooltip).toContain('[Continue in Claude Code, Compacted](command:contextd.continueInAgent');
		expect(tooltip).not.toMatch(/contextd\.undo|contextd\.compact\b|auto-compaction|another process/);
	});

	it('the tooltip says when the followed agent compacts', () => {
		const limit = { tokens: 136_000, of: 'agent', compacts: 'agent' } as const;
		const room = describeStatusBar(known({ limit }, followed), options).tooltip;
		expect(room).toContain('50k tokens until Claude Code compacts at 136k');
		const full = describeStatusBar(
			known({ limit, withinBudget: false, state: 'critical' }, followed),
			options,
		).tooltip;
		expect(full).toContain('Claude Code compacts on its next request');
		expect(full).not.toContain('does not fit');
	});

	it('a guessed window is shown as a guess', () => {
		const limit = { tokens: 136_000, of: 'guess', compacts: 'agent' } as const;
		const view = describeStatusBar(known({ limit }, followed), options);
		expect(view.text).toBe('$(dashboard) ~63% Claude Code');
		expect(view.tooltip).toContain('assumed window of 200k');
	});

	it('a session that was left long ago is shown as the last one, not as a running meter', () => {
		const lastActivityAt = now - 12 * 86_400_000;
		const view = describeStatusBar(known({ lastActivityAt, state: 'critical' }, followed), options);
		expect(view).toMatchObject({
			text: '$(history) Claude Code 12 d ago',
			background: 'none',
			label: 'Claude Code: Last session 12 d ago, context window 63% full',
		});
		expect(view.tooltip).toContain('**Last session, 12 d ago**');
		expect(view.tooltip).toContain('Reported by the provider, 12 d ago');
		const recent = describeStatusBar(known({ lastActivityAt: now - 3 * 3_600_000 }, followed), options);
		expect(recent.text).toBe('$(dashboard) 63% Claude Code');
	});

	it('a session that was chosen by hand is shown as such, with a link to undo the choice', () => {
		const view = describeStatusBar(known({}, { ...followed, isUserChoice: true }), options);
		expect(view.text).toBe('$(pinned) 63% Claude Code');
		expect(view.label).toBe('Claude Code: Context window 63% full, selected manually');
		expect(view.tooltip).toContain('[Follow the newest](command:contextd.followNewest');
	});

	it('the meter names an agent like the daemon does', () => {
		const other = { ...session, followed: { agent: 'new-agent', label: 'New Agent', path: '/t' } };
		expect(describeStatusBar(known({}, other), options).text).toBe('$(dashboard) 63% New Agent');
	});

	it('the tooltip counts files that changed after they were read', () => {
		const one = { uri: 'file:///a.ts', messageId: 'm1' };
		expect(
			describeStatusBar(known({ staleReads: [one, { ...one, messageId: 'm2' }] }), options).tooltip,
		).toContain('1 file changed');
	});

	it('the tooltip offers to compact, and says why the session is shown', () => {
		const { tooltip } = describeStatusBar(known(), options);
		expect(tooltip).toContain('[Compact Context](command:contextd.compact');
		expect(tooltip).toContain('[Preview](command:contextd.preview');
		expect(tooltip).toContain('Shows the newest session of this folder.');
	});

	it('the tooltip says that the agent itself compacted', () => {
		const lastCompaction = {
			compactionId: 'agent-compaction-1-a',
			at: now - 60_000,
			tokensBefore: 30_000,
			tokensAfter: 37,
			stagesUsed: ['summarize' as const],
			undone: false,
			byAgent: true as const,
			told: { tokensBefore: 166_000 },
		};
		const { tooltip } = describeStatusBar(
			known({ lastCompaction, undoable: lastCompaction }, followed),
			options,
		);
		expect(tooltip).toContain('Last compaction 1 min ago: by Claude Code itself, at 166k tokens');
		expect(tooltip).not.toContain('contextd.undo');
	});

	it('titles and reasons are shown as text, never as links', () => {
		const titled = { ...session, title: '[x](command:contextd.undo) <b>' };
		const shown = describeStatusBar(known({}, titled), options).tooltip;
		expect(shown).toContain('\\[x\\]\\(command:contextd\\.undo\\)');
		const stopped = describeStatusBar(
			{ kind: 'stopped', reason: '[y](command:contextd.undo)' },
			options,
		).tooltip;
		expect(stopped).toContain('\\[y\\]');
	});
});
