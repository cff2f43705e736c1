/** The fullness of the context is the same in the real Claude Code and in the terminal at the same time. */

import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { formatTokens } from '../../../server/core/figures.ts';
import { estimateTokens } from '../../../server/core/measure/text/textCounter.ts';
import { insideClaudeCode } from './inside.ts';
import { readingSteps } from './script.ts';
import type { ClaudeProcess, ClaudeSession } from './session.ts';
import { mainOf } from './wire.ts';

/** The share by which an estimate may differ from the provider's count. */
const tolerance = 0.06;

const numberIn = (text: string | undefined): number => Number(text?.replaceAll(',', ''));

/**
 * Counts a request like a provider: the tokens of its texts, and of its tools as JSON. The length of the whole request as
 * JSON would count the escaped line ends of documents, which no tokenizer does.
 */
function countTexts(json: string): number {
	const [system, , , tools, messages] = JSON.parse(json);
	const count = (value: unknown): number => {
		if (typeof value === 'string') return estimateTokens(value);
		if (typeof value !== 'object' || value === null) return 0;
		return Object.values(value).reduce((sum, one) => sum + count(one), 1);
	};
	return estimateTokens(JSON.stringify(tools ?? [])) + count(system) + count(messages);
}

/** Sets the user's threshold in the settings that plugins read. */
async function setThreshold({ home }: ClaudeSession, threshold: number): Promise<void> {
	const file = join(home, '.local/state/contextd/agents/settings.json');
	const settings = JSON.parse(await readFile(file, 'utf8'));
	await writeFile(file, JSON.stringify({ ...settings, compaction: { threshold } }));
}

/** Returns the figures of a status line: the used tokens and the limit, in thousands, and the percentage. */
function statusLine(session: ClaudeSession): [used: string, limit: string, percent: string] {
	const input = JSON.stringify({ session_id: session.sessionId, model: { id: 'claude-sonnet-4-5' } });
	const format = ['--format', '{used} {limit} {percent}'];
	const { stdout } = spawnSync(process.execPath, [resolve('dist/contextd.cjs'), 'statusline', ...format], {
		env: session.environment(),
		input,
		encoding: 'utf8',
	});
	const [used = '', limit = '', percent = ''] = stdout.trim().split(' ');
	return [used, limit, percent];
}

/** The figures that `/contextd` and the terminal show at one moment. */
interface Figures {
	tokens: number;
	/** The newest receipt, in tokens of the whole request. */
	receipt?: readonly [before: number, after: number];
}

/** Returns the current figures, once `/contextd`, the terminal and the status line show the same. */
async function figuresOf(session: ClaudeSession, claude: ClaudeProcess): Promise<Figures> {
	const report = (await claude.say('/contextd')).text;
	const [, used, limit, percent] =
		/([\d,]+) of ([\d,]+) tokens \((\d+)%\), compacts at (\d+k)/.exec(report) ?? [];
	const [tokens, available] = [numberIn(used), numberIn(limit)];
	const stats = JSON.parse(session.contextd('stats', '--json'));
	expect(stats).toMatchObject({
		sessionId: `claude:${session.sessionId}`,
		estimatedInputTokens: tokens,
		availableInputTokens: available,
		limit: { compacts: 'contextd' },
	});
	expect(session.contextd('sessions')).toContain(` ${percent}% `);
	await expect
		.poll(() => statusLine(session))
		.toEqual([formatTokens(tokens), formatTokens(available), `${percent}%`]);
	const [, before, after] = /last decision: ([\d,]+) → ([\d,]+) tokens/.exec(report) ?? [];
	return { tokens, ...(after !== undefined && { receipt: [numberIn(before), numberIn(after)] }) };
}

/** Returns the line about a compaction that is shown to people. */
const reducedText = ([before, after]: readonly [number, number]): string =>
	`Context reduced from ${formatTokens(before)} to ${formatTokens(after)} tokens (transcript untouched). Undo: /contextd-undo`;

/** Parses a line about a compaction; returns the tokens afterwards, in thousands. */
const thousandsAfter = (line: string | undefined): number =>
	1000 * Number(/to ([\d.]+)k tokens/.exec(line ?? '')?.[1]);

await insideClaudeCode((begin) => {
	it('/compact, notices, receipts, /contextd, the terminal and the status line show the figure that is sent', {
		timeout: 300_000,
	}, async () => {
		const session = await begin({ countTokens: countTexts });
		await setThreshold(session, 0.45);
		const claude = await session.start();
		session.mock.script(await readingSteps(session, 12, 12_000));
		await claude.say('Please read the documents.');
		const id = `claude:${session.sessionId}`;

		/** Expects that a prompt has `tokens` tokens, by the provider's count. */
		const expectCounted = (sent: number | undefined, tokens: number): void =>
			expect(Math.abs((sent ?? 0) - tokens) / tokens).toBeLessThan(tolerance);

		/** Expects that the next prompt has `tokens` tokens, by the provider's count. */
		async function expectSent(tokens: number): Promise<void> {
			session.mock.script([{ text: 'Yes.' }]);
			const [request] = mainOf((await claude.say('Go on?')).exchanges);
			expectCounted(request?.tokens, tokens);
		}

		const before = await figuresOf(session, claude);
		await expectSent(before.tokens);
		const full = await figuresOf(session, claude);

		const { text } = await claude.say('/compact');
		const reduced = await figuresOf(session, claude);
		expect(text).toBe(`Not compacted · ${reducedText([full.tokens, reduced.tokens])}`);
		expect(text).toContain(reducedText(reduced.receipt ?? [0, 0]));
		await expectSent(reduced.tokens);

		const undone = session.contextd('undo', '--session', id);
		const [, now] = /Now\s+([\d,]+) of/.exec(undone) ?? [];
		const whole = await figuresOf(session, claude);
		expect(numberIn(now)).toBe(whole.tokens);
		await expectSent(whole.tokens);

		const fullAgain = await figuresOf(session, claude);
		const compacted = session.contextd('compact', '--session', id, '--target', '3k');
		const [, from, after] = /([\d,]+) (?:→|>) ([\d,]+) tokens/.exec(compacted) ?? [];
		const small = await figuresOf(session, claude);
		expect(numberIn(after)).toBe(small.tokens);
		// The parts of a figure are rounded separately.
		expect(Math.abs(numberIn(from) - fullAgain.tokens)).toBeLessThanOrEqual(1);
		expect(small.receipt).toEqual([numberIn(from), numberIn(after)]);
		await expectSent(small.tokens);
		const noticed = () => claude.notices().filter((line) => line.startsWith('Context reduced from'));
		expect(noticed()).toEqual([reducedText([numberIn(from), numberIn(after)])]);

		// The session reaches the user's threshold, and the plugin compacts by itself.
		session.mock.script(await readingSteps(session, 22, 12_000, 13));
		const { exchanges } = await claude.say('Please read these, too.');
		const prompts = mainOf(exchanges).map(({ tokens }) => tokens);
		const shorter = prompts.find((tokens, index) => tokens < (prompts[index - 1] ?? 0)) ?? 0;
		const automatic = await figuresOf(session, claude);
		const [receipt = 0, noticedTokens] = [automatic.receipt?.[1], thousandsAfter(noticed()[1])];
		expect(noticed()).toHaveLength(2);
		// Prompts that the provider counted later may have corrected the estimate of the system prompt.
		for (const tokens of [receipt, noticedTokens]) expectCounted(shorter, tokens);
		await expectSent(automatic.tokens);
		await claude.end();
	});
});
