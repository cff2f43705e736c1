import { describe, expect, it } from 'vitest';
import { call } from './facts-sources.ts';
import { sessionOfCalls, summaryOf } from './summaries.ts';

/** Returns the summary of a test that fails in `/w/app`, a change to `/w/base`, and a test that passes. */
function summaryOfTool(tool: string, change: string, changeOutput = ''): string {
	return summaryOf(
		sessionOfCalls(
			[call(tool, { command: 'cd /w/app && npm test' }), 'Tests: 3 failed, 9 passed', true],
			[call(tool, { command: change }), changeOutput],
			[call(tool, { command: 'npm test' }), 'Tests: 12 passed'],
		),
		3000,
	);
}

describe('the folder of a shell that lives on', () => {
	it.each(['cd /w/base', 'cd /w/base && git status --short'])(
		'a command runs in the folder to which an earlier one changed: %s',
		(change) => {
			const text = summaryOfTool('Bash', change);
			expect(text).not.toContain('passed later');
			expect(text).toContain('last check: npm test in base: Tests: 12 passed (#7)');
		},
	);

	it('a command runs in the first folder again after a reset', () => {
		const text = summaryOfTool('Bash', 'cd /w/base', 'Shell cwd was reset to /w/app');
		expect(text).toContain('(passed later, #7)');
	});

	it.each(['shell', 'run_shell_command', 'exec_command'])(
		'each command of %s begins in the same folder',
		(tool) => {
			expect(summaryOfTool(tool, 'cd /w/base')).toContain('(passed later, #7)');
		},
	);
});
