import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { call, logLines, prose, result, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

/** Returns an output that differs for each id. */
const outputOf = (id: string, lines: number): string => logLines(lines, Number.parseInt(id, 36) % 10_000);

/** Returns a command and its output of `lines` lines. */
function run(id: string, lines: number, command: string, tool = 'Bash'): ChatMessage[] {
	return [call(`c-${id}`, [id], tool, { command }), result(id, id, outputOf(id, lines), { toolName: tool })];
}

const read = (id: string, lines: number): ChatMessage[] => run(id, lines, `cat notes/${id}.md`);

/** Prunes the results of a session to a target; returns the length of the text that each result keeps. */
async function pruneTo(targetTokens: number, results: readonly ChatMessage[]): Promise<Map<string, number>> {
	const session = await sessionWith(testWorld(), [
		user('u', 'Move the booking desk.'),
		...results,
		user('v', prose(9)),
	]);
	const receipt = await compactNow(session, {
		targetTokens,
		config: { enableSummarize: false, enableTruncate: false, pruneProtectTokens: 0, pruneMinimumSavings: 0 },
	});
	expect(receipt.tokensAfter).toBeLessThanOrEqual(targetTokens);
	const shown = (await historyOf(session)).filter(({ role }) => role === 'tool');
	return new Map(
		shown.map(({ id = '', content }) => [
			id,
			String(content).replace(/\n?\[Tool result cleared.*\]$/, '').length,
		]),
	);
}

describe('what pruned results keep', () => {
	it('small results stay whole next to huge ones', async () => {
		const small = ['plan', 'rules', 'design', 'tests'];
		const huge = [...read('search', 3000), ...read('listing', 3000)];
		const kept = await pruneTo(12_000, [...small.flatMap((id) => read(id, 40)), ...huge]);
		for (const id of small) expect(kept.get(id)).toBe(outputOf(id, 40).length);
		for (const id of ['search', 'listing']) expect(kept.get(id)).toBeGreaterThan(1000);
	});

	it('an old result keeps less than a newer one of the same size', async () => {
		const kept = await pruneTo(6000, [...read('first', 600), ...read('other', 600), ...read('third', 600)]);
		const [first = 0, other = 0, third = 0] = kept.values();
		expect(first).toBeGreaterThan(1000);
		expect(other).toBeGreaterThan(first);
		expect(third).toBeGreaterThan(other);
	});

	it('the oldest large results are cleared before only a few lines of each are left', async () => {
		const ids = Array.from({ length: 20 }, (_, index) => `r${index}`);
		const pruned = await pruneTo(
			3000,
			ids.flatMap((id) => read(id, 300)),
		);
		const kept = [...pruned.values()];
		const cleared = kept.findIndex((length) => length > 0);
		expect(cleared).toBeGreaterThan(5);
		expect(cleared).toBeLessThan(19);
		for (const length of kept.slice(cleared + 1)) expect(length).toBeGreaterThan(250);
	});

	it.each([
		['Claude Code', 'Bash', 'npm test'],
		['Gemini CLI', 'run_shell_command', 'go test ./...'],
		['OpenHands', 'execute_bash', 'pytest -q'],
		['Codex exec', 'command_execution', "bash -lc 'npm run test:unit'"],
	])('a check of %s (%s) that ran again keeps less than its last run', async (_, tool, command) => {
		const runs = [...run('early', 900, command, tool), ...run('later', 900, command, tool)];
		const kept = await pruneTo(9000, [...runs, ...read('notes', 900)]);
		expect(kept.get('early')).toBeGreaterThan(200);
		expect(kept.get('early')).toBeLessThan(0.5 * (kept.get('later') ?? 0));
	});

	it('a command that checks nothing keeps as much as others of its age, although it ran again', async () => {
		const kept = await pruneTo(9000, [
			...run('early', 900, 'node report.mjs'),
			...run('later', 900, 'node report.mjs'),
			...read('notes', 900),
		]);
		expect(kept.get('early')).toBeGreaterThan(0.5 * (kept.get('later') ?? 0));
	});
});
