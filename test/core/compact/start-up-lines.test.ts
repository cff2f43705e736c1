import { describe, expect, it } from 'vitest';
import { call } from './facts-sources.ts';
import { sessionOfCalls, summaryOf } from './summaries.ts';

const complaint = '/opt/quay/shell/init.sh: line 7: /usr/bin/tide: Operation not permitted';

describe.each([
	['Claude Code', 'Bash', 'command', (code: number) => (code === 0 ? '' : `Exit code ${code}\n`)],
	['Codex', 'shell', 'command', (code: number) => `Exit code: ${code}\nWall time: 0.1 seconds\nOutput:\n`],
	[
		'Gemini CLI',
		'run_shell_command',
		'command',
		(code: number) => (code === 0 ? 'Output: ' : `Exit code ${code}\n`),
	],
])('a line that begins most outputs of %s', (_, tool, name, start) => {
	const run = (command: string, output: string, code = 0): [ReturnType<typeof call>, string, boolean] => [
		call(tool, { [name]: command }),
		`${start(code)}${output}`,
		code > 0,
	];

	it('is not the result of a command', () => {
		const text = summaryOf(
			sessionOfCalls(
				run('cd /srv && cp quay.env .env', complaint),
				run("rg --files -g 'pier*'", complaint, 1),
				run('git rev-parse --git-dir', `${complaint}\n/srv/ferry/.git`),
				run('./moor --all', `${complaint}\nmoored 3 ferries`),
				run('node moor.js', 'moored 4 ferries'),
			),
		);
		expect(text).toContain('moor --all → moored 3 ferries');
		expect(text).toContain("rg --files -g 'pier*' → no match");
		expect(text).not.toContain(`] ${complaint}`);
		expect(text).not.toMatch(/→ (?:(?:failed|exit 1): )?\/opt\/quay/);
	});

	it.each([
		['one program prints it', ['./moor --all', './moor --one', './moor --two', './moor --three'], 0],
		['all commands fail', ['./moor --all', 'git push', 'node moor.js', 'rg pier'], 2],
	])('is a result if %s', (_case, commands, code) => {
		const text = summaryOf(sessionOfCalls(...commands.map((command) => run(command, complaint, code))));
		expect(text).toMatch(/moor --all → (?:(?:failed|exit 2): )?\/opt\/quay/);
	});
});
