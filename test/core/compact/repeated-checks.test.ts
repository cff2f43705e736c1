import { describe, expect, it } from 'vitest';
import { collectOutcomes, findRepeatedChecks } from '../../../server/core/analysis/calls/outcomes.ts';
import { createAnalysisCache } from '../../../server/core/analysis/message/analyses.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { ran } from './summaries.ts';

/** Returns the ordinals of the results that a later run repeats. The first result is 3, the second is 5. */
const repeatedIn = (sources: readonly Source[]): number[] => [
	...findRepeatedChecks(runToEnd(collectOutcomes(sources, createAnalysisCache()))),
];

const failed = 'Exit code 1\nTests: 2 failed, 40 passed';
const passed = 'Tests: 42 passed';

/** Returns two calls of one tool, each with its output. */
function ranTwice(tool: string, args: readonly [object, object], outputs = [failed, passed]): Source[] {
	const calls = args.map((one) => call(tool, one));
	return [
		user(1, 'Make it pass.'),
		...calls.flatMap((one, index) => [
			assistant(2 + 2 * index, '', one),
			result(3 + 2 * index, one, outputs[index] ?? ''),
		]),
	];
}

describe('checks that ran again', () => {
	it.each<[agent: string, tool: string, first: object, second: object]>([
		['Claude Code', 'Bash', { command: 'npm test' }, { command: 'npm test 2>&1 | tail -5' }],
		['Codex', 'shell', { command: ['bash', '-lc', 'npm test'] }, { command: ['bash', '-lc', 'npm test'] }],
		['Codex', 'exec_command', { cmd: 'npm test', workdir: '/w' }, { cmd: 'npm test', workdir: '/w' }],
		[
			'Codex exec',
			'command_execution',
			{ command: "bash -lc 'cargo test'" },
			{ command: "bash -lc 'cargo test'" },
		],
		['Gemini CLI', 'run_shell_command', { command: 'go test ./...' }, { command: 'go test ./...' }],
		['OpenHands', 'execute_bash', { command: 'cd /w && pytest -q' }, { command: 'pytest -q' }],
		['Cline', 'execute_command', { command: 'npm run lint' }, { command: 'npm run lint' }],
		['OpenCode', 'bash', { command: 'tsc --noEmit' }, { command: 'tsc --noEmit' }],
	])('finds the earlier run of a check of %s (%s)', (_, tool, first, second) => {
		expect(repeatedIn(ranTwice(tool, [first, second]))).toEqual([3]);
	});

	it('finds every run but the last, whether they passed or failed', () => {
		const runs = ran(['npm test', passed], ['npm test', failed, true], ['npm test', passed]);
		expect(repeatedIn(runs).sort()).toEqual([3, 5]);
	});

	it('finds a failed run whose tests passed later in a larger run', () => {
		expect(repeatedIn(ran(['npx jest rows.test.ts', failed, true], ['npx jest', passed]))).toEqual([3]);
	});

	it.each(['mise run fmt && mise run lint', 'cargo fmt && cargo clippy', 'gofmt -w . && go vet ./...'])(
		'finds a failed run of a formatter and a check if the check passed later: %s',
		(command) => {
			const check = command.split(' && ')[1] ?? '';
			expect(repeatedIn(ran([command, failed, true], [check, '0 issues.']))).toEqual([3]);
		},
	);

	it.each<[reason: string, first: string, second: string]>([
		['in another folder', 'cd /w/rows && npm test', 'cd /w/cells && npm test'],
		['of another check', 'npm test', 'npm run lint'],
		['of its last check only', 'cargo fmt --check && cargo clippy', 'cargo clippy'],
		['of some of its tests', 'npm test', 'npm test -- rows.test.ts'],
		['of a command that checks nothing', 'cat build.log', 'cat build.log'],
		['of a search', 'grep -rn "Ledger" src', 'grep -rn "Ledger" src'],
	])('does not count a later run %s', (_, first, second) => {
		expect(repeatedIn(ran([first, passed], [second, passed]))).toEqual([]);
	});

	it('does not count a later run that the user refused', () => {
		const refusal = "The user doesn't want to proceed with this tool use.";
		expect(repeatedIn(ran(['npm test', failed, true], ['npm test', refusal, true]))).toEqual([]);
	});

	it('does not count a later run before it ended', () => {
		const outputs = [failed, 'Process running with session ID 61772\nOutput:\n> test'];
		const args = [{ cmd: 'npm test' }, { cmd: 'npm test' }] as const;
		expect(repeatedIn(ranTwice('exec_command', args, outputs))).toEqual([]);
	});

	it('counts a later run that ended while another call read its output', () => {
		const started = ranTwice(
			'exec_command',
			[{ cmd: 'npm test' }, { cmd: 'npm test' }],
			[failed, 'Process running with session ID 61772\nOutput:\n> test'],
		);
		const poll = call('write_stdin', { session_id: 61772, chars: '' });
		const output = `Process exited with code 0\nOutput:\n${passed}`;
		expect(repeatedIn([...started, assistant(6, '', poll), result(7, poll, output)])).toContain(3);
	});
});
