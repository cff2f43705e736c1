/** The fullness of the context is the same in the real Claude Code and in the terminal at the same time. */

import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
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

/** Returns the figures of a status line: tokens in use and the limit, in thousands, and percent. */
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

/** Returns the current figure, once all places show the same. */
async function figureOf(session: ClaudeSession, claude: ClaudeProcess): Promise<number> {
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
	return tokens;
}

await insideClaudeCode((begin) => {
	it('/compact, notices, /contextd, the terminal and the status line show the figure that is sent', {
		timeout: 240_000,
	}, async () => {
		// A length divided by four weighs tools and documents differently from any tokenizer.
		const session = await begin({ countTokens: estimateTokens });
		const claude = await session.start();
		session.mock.script(await readingSteps(session, 12, 12_000));
		await claude.say('Please read the documents.');
		const id = `claude:${session.sessionId}`;

		/** Expects that the next prompt has this number of tokens, by the provider's count. */
		async function expectSent(tokens: number): Promise<void> {
			session.mock.script([{ text: 'Yes.' }]);
			const [request] = mainOf((await claude.say('Go on?')).exchanges);
			expect(Math.abs((request?.tokens ?? 0) - tokens) / tokens).toBeLessThan(tolerance);
		}

		const before = await figureOf(session, claude);
		await expectSent(before);
		const full = await figureOf(session, claude);

		const { text } = await claude.say('/compact');
		const reduced = await figureOf(session, claude);
		expect(text).toBe(
			`Not compacted · Context reduced from ${formatTokens(full)} to ${formatTokens(reduced)} tokens (transcript untouched). Undo: /contextd-undo`,
		);
		await expectSent(reduced);

		const undone = session.contextd('undo', '--session', id);
		const [, now] = /Now\s+([\d,]+) of/.exec(undone) ?? [];
		const whole = await figureOf(session, claude);
		expect(numberIn(now)).toBe(whole);
		await expectSent(whole);

		const fullAgain = await figureOf(session, claude);
		const compacted = session.contextd('compact', '--session', id, '--target', '3k');
		const [, from, after] = /([\d,]+) (?:→|>) ([\d,]+) tokens/.exec(compacted) ?? [];
		const small = await figureOf(session, claude);
		expect(numberIn(after)).toBe(small);
		// The parts of a figure are rounded before and after it.
		expect(Math.abs(numberIn(from) - fullAgain)).toBeLessThanOrEqual(1);
		await expectSent(small);
		await claude.end();
	});
});
