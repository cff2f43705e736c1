import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, readResult, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

/** Returns a session with these calls of Codex, each with the JSON of its result. */
function sessionOf(...calls: [made: ToolCall, output: string, code: number][]): Source[] {
	return [
		user(0, 'Move the berths.'),
		...calls.flatMap(([made, output, code], index) => {
			const seq = 2 * index + 1;
			const content = JSON.stringify({ output, metadata: { exit_code: code, duration_seconds: 0.1 } });
			return [assistant(seq, '', made), readResult(seq + 1, made, content)];
		}),
	];
}

const shell = (script: string): ToolCall =>
	call('shell', { command: ['bash', '-lc', script], workdir: '/w/app' });

it('the return code in a JSON result of mini-SWE-agent is that of the command', () => {
	const lint = call('bash', { command: 'sqlfluff lint query.sql' });
	const content = JSON.stringify(
		{ returncode: 1, output: 'L: 2 | P: 12 | AL01 | Implicit aliasing of table.\nAll Finished!' },
		undefined,
		2,
	);
	const text = summaryOf([
		user(0, 'Count the medals.'),
		assistant(1, '', lint),
		readResult(2, lint, content),
	]);
	expect(text).toContain('sqlfluff lint query.sql → exit 1: ');
});

it.each([
	[
		{ output: '', exit_code: -1, error: 'BLOCKED: the user denied this command.' },
		'→ exit -1: BLOCKED: the user denied this command.',
	],
	[{ output: 'exit code: 2 was expected\n5 passed in 0.40s', exit_code: 0 }, '5 passed in 0.40s'],
])('the result of a command in JSON has its exit code and its error: %j', (wrapped, outcome) => {
	const made = call('terminal', { command: 'pytest -q' });
	const content = JSON.stringify(wrapped);
	const text = summaryOf([user(0, 'Test it.'), assistant(1, '', made), readResult(2, made, content)]);
	expect(text).toContain(outcome);
	expect(text).not.toContain('exit 2:');
});

describe('results of Codex that wrap an output with its exit code', () => {
	it('a failed patch changed nothing', () => {
		const patch = '*** Begin Patch\n*** Update File: src/pier.ts\n@@\n-a\n+b\n*** End Patch';
		const text = summaryOf(
			sessionOf([
				shell(`apply_patch <<'EOF'\n${patch}\nEOF`),
				'apply_patch verification failed: no match',
				1,
			]),
		);
		expect(text).toContain('exit 1: apply_patch verification failed: no match');
		expect(text).not.toContain('changed');
	});

	it.each([
		['mv src/a.ts src/b.ts', "mv: cannot stat 'src/a.ts': No such file or directory", 1],
		['sed -i s/a/b/ src/b.ts', "sed: can't read src/b.ts: No such file or directory", 2],
		['rm -r dist', 'rm: dist: Permission denied', 1],
	])('a failed command changed nothing: %s', (script, output, code) => {
		const text = summaryOf(sessionOf([shell(script), output, code]));
		expect(text).toContain(`→ exit ${code}: ${output}`);
		expect(text).not.toMatch(/- (?:changed|removed)|State: changed/);
	});

	it('a check that failed after its report did not pass', () => {
		const output = 'Tests: 12 passed, 12 total\nERROR: Coverage does not meet the threshold';
		expect(summaryOf(sessionOf([shell('npm test'), output, 1]))).toContain(
			'npm test in app: exit 1: ERROR: Coverage does not meet the threshold',
		);
	});

	it('a short result has its output, too', () => {
		expect(summaryOf(sessionOf([shell('npm test'), 'boom', 3]))).toContain('exit 3: boom');
		expect(summaryOf(sessionOf([shell('./count'), '12 berths', 0]))).toContain('./count in app → 12 berths');
	});
});
