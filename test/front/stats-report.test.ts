import { describe, expect, it } from 'vitest';
import { MessageLabels } from '../../server/front/output/labels.ts';
import { formatLines, type Line } from '../../server/front/output/line.ts';
import { renderMeter, renderStats, renderUsageNotice } from '../../server/front/output/statsView.ts';
import { measureWidth } from '../../server/front/output/width.ts';
import { statsWith } from './values.ts';

function plain(lines: readonly Line[]): string {
	return formatLines(lines, 'plain');
}

const none = new MessageLabels();

describe('the report on a session', () => {
	it('the stats report shows what the newest compaction cost at the provider, unless it is undone', () => {
		const newest = {
			compactionId: 'c',
			at: 0,
			tokensBefore: 115_000,
			tokensAfter: 19_000,
			stagesUsed: [],
			cache: { rewrittenTokens: 19_000, costTokens: 21_850, paysBackAfterCalls: 3 },
		};
		const report = (undone: boolean) =>
			plain(renderStats(statsWith({ lastCompaction: { ...newest, undone } }), none, 80));
		expect(report(false)).toContain('19,000 tokens rewritten (price: 21,850 of input); pays back in 3 calls');
		expect(report(true)).not.toContain('rewritten');
	});
});

describe('the money of a session', () => {
	const now = Date.UTC(2026, 10, 26, 12);
	const report = (more: Parameters<typeof statsWith>[0]) =>
		plain(renderStats(statsWith(more), none, 120, now));

	it('the stats report shows cost, savings and the price of an expired cache', () => {
		const total = { tokens: 11_400_000, usd: 57, since: Date.UTC(2026, 10, 3, 12) };
		const cache = { warmUntil: now + 240_000, lifetimeMs: 3_600_000, coldTokens: 104_000 };
		const text = report({
			cost: { tokens: 900_000, usd: 2.7 },
			savings: { tokens: 820_000, usd: 4.1, total },
			cache: { ...cache, coldCostTokens: 119_600, coldCost: 0.41 },
		});
		expect(text).toContain('Cost      $2.70 so far\n');
		expect(text).toContain('Savings   ~$4.10 saved with this session, ~$57.00 saved since 3 Nov');
		expect(text).toContain('compared with never compacting\n');
		expect(text).toContain('cache expires in 4 min: $0.41 more for the next request\n');
	});

	it('the stats report shows no money if nothing is known of it', () => {
		expect(report({})).not.toMatch(/^(?:Cost|Savings|Next)/m);
	});
});

describe('the notice on usage', () => {
	it.each([
		[0.2, ''],
		[0.6, ''],
		[0.601, 'Context: 60% of window used\n'],
		[0.65, 'Context: 65% of window used\n'],
	])('usageNotice at %d', (usageRatio, expected) =>
		expect(plain(renderUsageNotice(statsWith({ usageRatio })))).toBe(expected),
	);

	it('usageNotice warns from the threshold on', () => {
		const stats = statsWith({
			usageRatio: 0.83,
			estimatedInputTokens: 166_000,
			availableInputTokens: 200_000,
			shouldCompact: true,
			agent: 'pi',
		});
		expect(plain(renderUsageNotice(stats))).toBe(
			'Context usage: 83% of window (166,000 / 200,000 tokens available)\n' +
				'Auto-compaction will trigger to preserve conversation quality.\n',
		);
	});

	it('usageNotice promises no compaction for a file', () => {
		const stats = statsWith({
			usageRatio: 1.14,
			estimatedInputTokens: 94_688,
			availableInputTokens: 83_200,
			shouldCompact: true,
		});
		expect(plain(renderUsageNotice(stats))).toBe(
			'Context usage: 114% of window (94,688 / 83,200 tokens available)\n',
		);
	});

	it.each(['agent', 'nobody'] as const)(
		'usageNotice promises no compaction if it is left to %s',
		(compacts) => {
			const stats = statsWith({
				usageRatio: 0.83,
				shouldCompact: true,
				limit: { ...statsWith().limit, compacts },
			});
			expect(plain(renderUsageNotice(stats))).toBe('Context: 83% of window used\n');
		},
	);

	it('usageNotice is gray as a notice and yellow as a warning', () => {
		expect(renderUsageNotice(statsWith({ usageRatio: 0.7 }))[0]?.[0]?.tone).toBe('gray');
		expect(renderUsageNotice(statsWith({ shouldCompact: true }))[0]?.[0]?.tone).toBe('yellow');
	});
});

describe('the meter', () => {
	it.each([
		[0, '░░░░░░░░░░░░░░░░┊░░░  0% healthy'],
		[0.001, '█░░░░░░░░░░░░░░░┊░░░  <1% healthy'],
		[0.5, '██████████░░░░░░┊░░░  50% healthy'],
		[0.999, '███████████████████░  100% healthy'],
		[1, '████████████████████  100% healthy'],
		[3, '████████████████████  300% healthy'],
	])('meterLine at %d', (ratio, expected) => {
		const history = { ...statsWith().history, toolResults: ratio * 1e6 };
		for (const name of ['user', 'assistant', 'toolCalls', 'system'] as const) history[name] = 0;
		const breakdown = { ...statsWith().breakdown, systemPrompt: 0, toolDefinitions: 0, other: 0 };
		const stats = statsWith({ usageRatio: ratio, history, breakdown, availableInputTokens: 1e6 });
		const figure = expected.split('  ')[1]!;
		expect(plain([renderMeter(stats, 23 + figure.length)])).toBe(`${expected}\n`);
	});

	it('meterLine uses one tone per category, and the tone of the state for its figure', () => {
		const line = renderMeter(statsWith({ state: 'critical' }), 100);
		expect(new Set(line.map(({ tone }) => tone)).size).toBeGreaterThan(4);
		expect(line.at(-1)).toEqual({ text: '65% critical', tone: 'red' });
	});
});

describe('the report', () => {
	it('the stats report shows the window, what fills it, and the largest messages', () => {
		const labels = new MessageLabels();
		labels.add('m9', { role: 'user', content: 'Fix it' });
		const text = plain(renderStats(statsWith(), labels, 80));
		expect(text).toContain('88,400 of 136,000 tokens · 47,600 free · compacts at 108,800 (80%)');
		expect(text).toContain('Model     anthropic / claude-sonnet-4-5\n');
		expect(text).toContain('Window    200,000 tokens, 64,000 of them reserved for the answer\n');
		expect(text).toMatch(/■ Tool results {9}60,000 {3}68% {2}█+\n■ Assistant messages/);
		expect(text).toMatch(/ {2}480 {4}1% {2}m9 {10}user {13}Fix it\n/);
		expect(text).toMatch(/9,120 {3}10% {2}m7 {10}read_file\n/);
	});

	it('the stats report says that a compaction is held back', () => {
		const text = plain(renderStats(statsWith({ isHeldBack: true }), none, 160));
		expect(text).toContain(
			'compacts at 108,800 (80%), held back: a compaction now would not pay back before the next one',
		);
	});

	it("the stats report names the session's agent, and what the agent keeps free", () => {
		const limit = { tokens: 136_000, of: 'agent', compacts: 'agent' } as const;
		const text = plain(renderStats(statsWith({ agent: 'codex', limit }), none, 80));
		expect(text).toContain('47,600 free · Codex compacts at 136,000\n');
		expect(text).toContain('Agent     codex\n');
		expect(text).toContain('64,000 of them reserved as its auto-compact buffer\n');
	});

	it('the stats report marks a guessed window as a guess', () => {
		const limit = { tokens: 136_000, of: 'guess', compacts: 'agent' } as const;
		const text = plain(renderStats(statsWith({ agent: 'codex', limit }), none, 120));
		expect(text).toContain('~65% healthy');
		expect(text).toContain('(a guess; set it with --window)');
	});

	it('the stats report says which of its rows are estimates', () => {
		const stats = { ...statsWith(), headEstimator: 'calibrated' as const };
		const title = "What fills it · calibrated, within the provider's figure\n";
		expect(plain(renderStats(stats, none, 120))).toContain(title);
		expect(plain(renderStats(statsWith(), none, 120))).toContain('What fills it\n');
	});

	it('the stats report leaves out nearly empty categories', () => {
		expect(plain(renderStats(statsWith(), none, 80))).not.toMatch(/System messages|Images/);
	});

	it.each([
		[{ availableInputTokens: 80_000 }, '8,400 too many'],
		[{ contextWindowSource: 'default' as const }, 'a guess; the model is unknown'],
		[{ staleReads: [{ uri: 'file:///a', messageId: 'm1' }] }, '1 file read outdated'],
		[{ source: 'estimated' as const }, 'Counted   by contextd (exact)'],
		[{ source: 'reported' as const }, 'Counted   reported by the provider\n'],
	])('the stats report points out unusual values (%#)', (changes, expected) => {
		expect(plain(renderStats(statsWith(changes), none, 120))).toContain(expected);
	});

	it.each([20, 24, 30, 40, 60, 80, 200])('the stats report keeps its tables within %d columns', (columns) => {
		const stats = statsWith({ largest: [{ messageId: '漢字'.repeat(40), role: 'tool', tokens: 5_000_000 }] });
		const lines = renderStats(stats, none, columns);
		const from = lines.findIndex((line) => line[0]?.text === 'What fills it');
		for (const line of lines.slice(from, -2)) {
			expect(measureWidth(line.map(({ text }) => text).join(''))).toBeLessThanOrEqual(columns);
		}
	});

	it('the stats report prints no control characters of the input', () => {
		const stats = statsWith({
			model: 'm\u001b]0;title\u0007',
			largest: [{ messageId: '\u001b[2J\n', role: 'tool', toolName: 'x\u202e\u0000', tokens: 5 }],
		});
		const text = plain(renderStats(stats, none, 80));
		expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
	});
});
