import { describe, expect, it } from 'vitest';
import { call } from './facts-sources.ts';
import { summaryOfCall } from './summaries.ts';

/** Commands that print two files, in the formats of Claude Code, Codex and Gemini. */
const formats: [tool: string, createArgs: (command: string) => unknown][] = [
	['Bash', (command) => ({ command })],
	['exec_command', (cmd) => ({ cmd })],
	['run_shell_command', (command) => ({ command })],
];

describe.each(formats)('a line of a result of %s', (tool, createArgs) => {
	const show = (command: string, output: string): string =>
		summaryOfCall(
			'Where is the tide_limit_meters set?',
			call(tool, createArgs(command)),
			output,
			'The tide_limit_meters is in the second file.',
		);

	it('has no file’s name in its label if the command shows several files', () => {
		const text = show(
			'head -1 docs/pier.md docs/tide.md',
			'==> docs/pier.md <==\n# Berths at the pier\n\n==> docs/tide.md <==\ntide_limit_meters = 4.25',
		);
		expect(text).toContain(`[#2 ${tool}]`);
		expect(text).not.toContain('pier.md]');
	});

	it('has the file’s name in its label if the command shows two parts of it', () => {
		const text = show(
			'sed -n 1,9p docs/tide.md; sed -n 90,99p docs/tide.md',
			'The tides of the harbour\ntide_limit_meters = 4.25',
		);
		expect(text).toContain(`[#2 ${tool} tide.md]`);
	});
});
