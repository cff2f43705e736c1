/** Outputs of tools as the model receives them. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mcpServer } from '../mcpServer.ts';
import type { ScriptedAnswer } from '../mock/server.ts';
import { insideClaudeCode } from './inside.ts';
import { blocksLike, mainOf, problemsOf, resultText } from './wire.ts';

/** Removes Claude Code's remark about its remaining budget after a result, which differs from run to run. */
function withoutBudget(text: string): string {
	return text.replace(/<total_tokens>\d+/, '<total_tokens>');
}

await insideClaudeCode((begin) => {
	/** Returns the model's view of 200 lines of 100 characters from three tools, and of a failed test. */
	async function received(
		isPlain: boolean,
	): Promise<Record<'bash' | 'read' | 'server' | 'failed' | 'tests', string>> {
		const session = await begin({ isPlain });
		const rows = Array.from({ length: 200 }, (_, index) => {
			const words = `${index + 1}. the row of ${(index * 7919) % 9973} items waits in queue ${index % 17} for its turn `;
			return words.padEnd(100, 'x');
		}).join('\n');
		const file = join(session.project, 'rows.txt');
		await writeFile(file, rows);
		await writeFile(
			join(session.project, 'server.cjs'),
			mcpServer({ _meta: { 'anthropic/alwaysLoad': true } }),
		);
		const noted = [
			...rows.split('\n').slice(0, 100),
			'FAIL src/queue.test.ts > drops the oldest',
			'AssertionError: expected 3 to be 4',
			...rows.split('\n').slice(100),
		];
		await writeFile(join(session.project, 'tests.txt'), noted.join('\n'));
		const failing = [
			rows.slice(0, 3000),
			'FAIL src/queue.test.ts > drops the oldest',
			'AssertionError: expected 3 to be 4',
			rows.slice(0, 3000),
		];
		await writeFile(join(session.project, 'failing.txt'), failing.join('\n'));
		const config = JSON.stringify({
			mcpServers: { rows: { command: process.execPath, args: [join(session.project, 'server.cjs'), file] } },
		});
		const claude = await session.start({
			args: ['--mcp-config', config],
			env: { ENABLE_TOOL_SEARCH: 'false' },
		});
		const steps: ScriptedAnswer[] = [
			{ calls: [{ name: 'Bash', args: { command: `cat ${file}`, description: 'Show the rows' } }] },
			{ calls: [{ name: 'Read', args: { file_path: file } }] },
			{ calls: [{ name: 'mcp__rows__all', args: {} }] },
			{
				calls: [
					{
						name: 'Bash',
						args: {
							command: `cat ${join(session.project, 'failing.txt')}; exit 1`,
							description: 'Run the tests',
						},
					},
				],
			},
			{
				calls: [
					{
						name: 'Bash',
						args: { command: `cat ${join(session.project, 'tests.txt')}`, description: 'Run all tests' },
					},
				],
			},
			{ text: 'Done.' },
		];
		session.mock.script(steps);
		const { exchanges } = await claude.say('Please show the rows.');
		const last = mainOf(exchanges).at(-1);
		if (last === undefined) throw new Error('no request');
		expect(problemsOf(last)).toEqual([]);
		const [bash = '', read = '', mcp = '', failed = '', tests = ''] = blocksLike(last, 'tool_result')
			.map(resultText)
			.map(withoutBudget);
		return { bash, read, server: mcp, failed, tests };
	}

	it('the plugin cuts long tool results, and keeps the lines that report failures', {
		timeout: 180_000,
	}, async () => {
		const plain = await received(true);
		const cut = await received(false);
		for (const tool of ['bash', 'read', 'server'] as const) {
			expect(plain[tool].length, tool).toBeGreaterThan(20_000);
			expect(cut[tool].length, tool).toBeLessThan(0.9 * plain[tool].length);
			expect(cut[tool], tool).toContain('contextd_recall');
			expect(cut[tool], tool).toContain('1. the row of 0 items');
			expect(cut[tool], tool).toContain('200. the row of');
		}
		expect(cut.failed).toBe(plain.failed);
		for (const text of [cut.failed, cut.tests]) {
			expect(text).toContain('FAIL src/queue.test.ts > drops the oldest');
			expect(text).toContain('AssertionError: expected 3 to be 4');
		}
		expect(cut.tests.length).toBeLessThan(0.9 * plain.tests.length);
	});
});
