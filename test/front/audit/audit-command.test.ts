import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallQuery, SessionCalls } from '../../../server/core/cost/audit/audit.ts';
import { modelCall, sessionOf } from '../../core/cost/audit/calls.ts';
import { runCommand } from '../runCommand.ts';

let folder = '';
beforeEach(async () => {
	folder = await mkdtemp(path.join(tmpdir(), 'contextd-audit-'));
});
afterEach(() => rm(folder, { recursive: true }));

const hour = 3_600_000;

/** Returns a month of work in three projects: pauses, sub-agents, long prompts, a model without a price. */
function month(now: number): SessionCalls[] {
	return ['shop', 'bank', '<b>&"x'].map((project, index) => {
		const calls = Array.from({ length: 60 }, (_, step) => {
			const prompt = 20_000 + step * 4000;
			const isPause = step % 15 === 14;
			return modelCall(`${project}${step}`, {
				at: now - (60 - step) * 11 * hour + index,
				folder: `/home/me/${project}`,
				model: index === 2 ? 'mystery-1' : 'claude-opus-4-5',
				provider: index === 2 ? 'mine' : 'anthropic',
				usage: isPause
					? { input: 5, output: 900, cacheRead: 0, cacheWrite: prompt }
					: { input: 5, output: 900, cacheRead: prompt - 4000, cacheWrite: 4000 },
				...(step % 20 === 19 && { subAgent: 'a1' }),
			});
		});
		return sessionOf(calls, { agent: index === 1 ? 'codex' : 'claude-code', path: `/${index}.jsonl` });
	});
}

const collectCalls = async () => ({ sessions: month(Date.now()), unreadable: [] });
const run = (args: string[], columns = '100') =>
	runCommand(['audit', ...args], { collectCalls, env: { COLUMNS: columns } });

describe('the report of an audit', () => {
	test.each([80, 100])(
		'the report of an audit fits on a screen of %i columns and 40 lines',
		async (columns) => {
			const { out, code } = await run([], String(columns));
			expect(code).toBe(0);
			const lines = out.trimEnd().split('\n');
			expect(lines.length).toBeLessThanOrEqual(40);
			for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns);
		},
	);

	test('the report of an audit has every section and the advice, and says what it leaves out', async () => {
		const { out } = await run([]);
		for (const words of ['By agent', 'By model', 'By project', 'By day', 'Most expensive moments']) {
			expect(out).toContain(words);
		}
		expect(out).toMatch(/^\$\d/m);
		expect(out).toContain('Not included: mystery-1');
		expect(out).toContain('the setting "prices"');
		expect(out).toContain('after a pause compact first');
	});

	test('counts in tokens of input if no model has a known price', async () => {
		const sessions = month(Date.now()).slice(2);
		const { out } = await runCommand(['audit'], { collectCalls: async () => ({ sessions, unreadable: [] }) });
		expect(out).toMatch(/^[\d.]+[kM] tokens at the price of input/m);
		expect(out).not.toContain('$');
	});

	test('uses prices of the settings', async () => {
		const value = { prices: { 'mystery-*': { input: 1, output: 5 } } };
		const settingsFiles = [{ scope: 'user' as const, path: '/contextd.json', value }];
		const { out } = await runCommand(['audit'], { collectCalls, settingsFiles });
		expect(out).not.toContain('Not included');
	});

	test('says so if no agent reported a call', async () => {
		const { out } = await runCommand(['audit']);
		expect(out).toContain('No agent reported a call in this time.');
	});

	test('names a transcript that could not be read', async () => {
		const unreadable = ['cannot read /a.db: it is damaged'];
		const { err } = await runCommand(['audit'], { collectCalls: async () => ({ sessions: [], unreadable }) });
		expect(err).toContain('1 transcript could not be read: cannot read /a.db: it is damaged');
	});
});

test('--json has the sums of the report in dollars and tokens', async () => {
	const { out } = await run(['--json']);
	const audit = JSON.parse(out);
	const sum = audit.byCause.reduce((total: number, { usd }: { usd: number }) => total + usd, 0);
	expect(sum).toBeCloseTo(audit.usd, 6);
	expect(audit.unpricedInputTokens).toBeGreaterThan(0);
	expect(audit.moments).toHaveLength(10);
});

test('--html writes a page that needs nothing else, and shows names of others as text', async () => {
	const file = path.join(folder, 'audit.html');
	const { err } = await run(['--html', file]);
	expect(err).toContain('audit.html');
	const page = await readFile(file, 'utf8');
	expect(page).toContain("default-src 'none'");
	expect(page).not.toMatch(/<script|https?:|<b>&"x/);
	expect(page).toContain('&lt;b&gt;&amp;&quot;x');
	expect(page.match(/<svg/g)?.length).toBeGreaterThan(5);
});

test('--html draws each cause in its colour, and explains it', async () => {
	const file = path.join(folder, 'audit.html');
	await run(['--html', file]);
	const page = await readFile(file, 'utf8');
	expect(page).toMatch(/Cache expired in a pause<small>After a pause the cache was gone/);
	expect(page).toContain('<rect class="expiry"');
	expect(page).toContain('<rect class="subAgents"');
});

describe('the arguments of an audit', () => {
	test.each([
		[['--since', 'x'], '--since: expected a time like 30d, 12h, 2026-11-01 or all, got "x"'],
		[['--since', '0d'], '--since: expected a time'],
		[['--since', '2026-13-45'], '--since: expected a time'],
		[['--agent', 'emacs'], '--agent: expected one of codex, '],
		[['--html', ''], '--html needs the name of a file'],
		[['/no/such/folder'], 'no such folder'],
		[['a', 'b'], 'expected one FILE'],
	])('arguments of an audit are refused with a reason: %j', async (args, words) => {
		const { code, err } = await run(args);
		expect(code).toBe(2);
		expect(err).toContain(words);
	});

	test.each([
		['30d', 30 * 24],
		['12h', 12],
		['2w', 14 * 24],
	])('--since %s begins that long ago', async (since, hours) => {
		let asked: CallQuery | undefined;
		const begun = Date.now();
		await runCommand(['audit', '--since', since], {
			collectCalls: async (query) => {
				asked = query;
				return { sessions: [], unreadable: [] };
			},
		});
		const ago = begun - (asked?.since ?? 0);
		expect(Math.round(ago / hour)).toBe(hours);
	});

	test('--agent takes the beginning of names', async () => {
		let asked: CallQuery | undefined;
		await runCommand(['audit', '--agent', 'copilot'], {
			collectCalls: async (query) => {
				asked = query;
				return { sessions: [], unreadable: [] };
			},
		});
		expect(asked?.agents).toEqual(['copilot-cli', 'copilot-chat']);
	});
});
