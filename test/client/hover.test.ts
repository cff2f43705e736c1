import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listCategories } from '../../client-vscode/src/text/categories.ts';
import { createHover } from '../../client-vscode/src/usage/hover.ts';
import {
	categoryColours,
	createBar,
	distributeCells,
	listLegend,
} from '../../client-vscode/src/usage/hoverMarkdown.ts';
import type { ShownSession } from '../../client-vscode/src/usage/usage.ts';
import { stats } from './stats.ts';

const followed: ShownSession = {
	sessionId: 's1',
	isReadOnly: false,
	title: 'Fix it',
	followed: { agent: 'claude-code', label: 'Claude Code', path: '/t.jsonl' },
};
const limit = { tokens: 136_000, of: 'agent', compacts: 'agent' } as const;

function hover(change: Parameters<typeof stats>[0] = {}, session = followed, ended?: string): string {
	const measurement = { stats: stats({ limit, ...change }), at: 0 };
	const usage = { kind: 'known', session, measurement } as const;
	return createHover({
		usage,
		session,
		measurement,
		now: 12_000,
		...(ended !== undefined && { endedAgo: ended }),
	});
}

/** Matches the only styles that VS Code's Markdown sanitizer keeps. */
const allowedStyle =
	/^(color:(#[0-9a-fA-F]+|var\(--vscode(-[a-zA-Z0-9]+)+\));)?(background-color:(#[0-9a-fA-F]+|var\(--vscode(-[a-zA-Z0-9]+)+\));)?(border-radius:[0-9]+px;)?$/;

describe('money in the hover', () => {
	const cache = { warmUntil: 132_000, lifetimeMs: 300_000, coldTokens: 104_000, coldCostTokens: 119_600 };

	it('says when the cache expires, what the next request then costs more, and what was spent', () => {
		const text = hover({ cache: { ...cache, coldCost: 0.3588 }, cost: { tokens: 900_000, usd: 2.7 } });
		expect(text).toContain('Session so far: $2.70');
		expect(text).toContain('The prompt cache expires in 2 min: the next request then costs $0.36 more');
		const expired = hover({ cache: { ...cache, warmUntil: 12_000, coldCost: 0.004 } });
		expect(expired).toContain('The prompt cache has expired: the next request costs \\<$0.01 more');
	});

	it('says what compactions saved or cost more, and nothing below a cent', () => {
		const total = { tokens: 19_000_000, usd: 57, since: new Date(1970, 0, 3).getTime() };
		expect(hover({ savings: { tokens: 1_400_000, usd: 4.1, total } })).toContain(
			'~$4.10 saved with this session, ~$57.00 saved since 3 Jan, compared with never compacting',
		);
		const more = { tokens: -100_000, usd: -0.3, total: { ...total, tokens: 400, usd: 0.001 } };
		expect(hover({ savings: more })).toContain(
			'~$0.30 more spent with this session, compared with never compacting',
		);
		expect(hover({ savings: { tokens: 900, usd: 0.003 } })).not.toContain('never compacting');
	});

	it('gives costs in tokens of input if the price is unknown, and says nothing without a cache', () => {
		const text = hover({ cache, cost: { tokens: 900_000 } });
		expect(text).toContain('the next request then costs 120k of input more');
		expect(text).toContain('Session so far: 900k of input');
		expect(hover()).not.toMatch(/cache|so far/);
	});
});

describe('bar of the hover', () => {
	it('the bar of the hover has a span per category in a style that the editor allows', () => {
		const categories = listCategories(stats());
		const spans = [...createBar(categories).matchAll(/<span style="([^"]*)">((?:&nbsp;)+)<\/span>/g)];
		expect(spans).toHaveLength(categories.length - 1);
		for (const [, style = ''] of spans) expect(style).toMatch(allowedStyle);
		expect(spans.reduce((sum, [, , cells = '']) => sum + cells.length / '&nbsp;'.length, 0)).toBe(72);
	});

	it('names each category next to the colour that it has in the bar', () => {
		const [, , first = '', ...rest] = listLegend(listCategories(stats()));
		expect(first).toContain('--vscode-charts-purple');
		expect(first).toContain('System Instructions | 4k | 3% |');
		expect(rest.at(-1)).toContain('Output Reserve | 64k |  |');
	});

	it('the bar of the hover has the colours of the Context Usage view', () => {
		const css = readFileSync(
			fileURLToPath(new URL('../../client-vscode/src/view/page/view.css', import.meta.url)),
			'utf8',
		);
		for (const [kind, colour] of Object.entries(categoryColours)) {
			if (kind === 'free' || kind === 'reserve') continue;
			const [, rule = ''] = new RegExp(`\\.category-${kind}\\b[^{]*\\{([^}]*)\\}`).exec(css) ?? [];
			expect([kind, rule]).toEqual([kind, expect.stringContaining(`var(--vscode-${colour})`)]);
		}
	});

	it('divides the cells completely, and gives each share at least one', () => {
		const shares = fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { minLength: 1, maxLength: 9 });
		fc.assert(
			fc.property(shares, (all) => {
				const cells = distributeCells(all, 72);
				expect(cells.reduce((sum, one) => sum + one, 0)).toBe(72);
				expect(Math.min(...cells)).toBeGreaterThanOrEqual(1);
			}),
		);
	});
});

describe('hover of the meter', () => {
	it('says where the agent compacts, what changed, and what a turn takes', () => {
		const text = hover({ growth: { sinceUserMessage: 3_100, perTurn: 4_200 } });
		expect(text).toContain('50k tokens until Claude Code compacts at 136k');
		expect(text).toContain('**+3.1k** since your last message · a typical turn takes 4.2k');
		expect(hover({ growth: { sinceUserMessage: -38_000 } })).toContain('**−38k** since your last message');
	});

	it('the hover does not report the change of a session that ended', () => {
		const growth = { sinceUserMessage: 3_100 };
		expect(hover({ growth }, followed, '2 d ago')).not.toContain('since your last message');
		expect(hover()).not.toContain('since your last message');
	});

	it.each([
		['a session of Claude Code', followed, 'contextd.continueInAgent'],
		['a session that can be compacted', { sessionId: 's1', isReadOnly: false }, 'contextd.compact '],
		[
			'a session of another agent',
			{ ...followed, followed: { agent: 'codex', label: 'Codex', path: '/t' } },
			'contextd.takeAlong',
		],
	])('offers three actions for %s', (_, session, first) => {
		const actions = hover({}, session).split('\n').at(-1) ?? '';
		expect(actions.match(/\(command:/g)).toHaveLength(3);
		expect(actions).toContain(`(command:${first}`);
	});

	it('shows markup in names as text', () => {
		const session = { ...followed, title: '<span style="color:#f00">x</span> &lt;b&gt; [y](command:z)' };
		const text = hover({}, session);
		expect(text).not.toContain('<span style="color:#f00');
		expect(text).not.toContain(' &lt;');
		expect(text).toContain('\\[y\\]\\(command');
	});
});
