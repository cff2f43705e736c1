import { describe, expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { ran, summaryOf } from './summaries.ts';

describe('failures in the narrative', () => {
	it('a failure is shown behind its call with exit code and error line', () => {
		const text = summaryOf(
			ran([
				'./deploy --now',
				'Exit code 3\nsome output before\nerror: no room left on the device\nbye',
				true,
			]),
		);
		expect(text).toContain('[#2] Bash ./deploy --now → exit 3: error: no room left on the device');
	});

	it.each([
		'throw new TideError(message);',
		'return new TypeError(message);',
		'triggerUncaughtException(err, true /* fromPromise */);',
	])('a failure of Node.js is shown by its exception, not by the line of code that threw it: %s', (code) => {
		const output = `Exit code 1\nnode:internal/process/promises:394\n      ${code}\n      ^\n\nError [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/pier/tides'`;
		expect(summaryOf(ran(['node pier.mjs', output, true]))).toContain(
			"→ exit 1: Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/pier/tides'",
		);
	});

	it('a failure names the later run that passed', () => {
		const text = summaryOf(
			ran(
				['./deploy', 'Exit code 3\nerror: no room left on the device', true],
				['rm -r old', ''],
				['./deploy', 'deployed'],
			),
		);
		expect(text).toContain('→ exit 3: error: no room left on the device (passed later, #7)');
	});

	it('a failure is not settled by an earlier run or another command', () => {
		const text = summaryOf(
			ran(
				['./deploy', 'deployed'],
				['./deploy', 'Exit code 3\nerror: it is locked', true],
				['./other', 'fine'],
			),
		);
		expect(text).toContain('exit 3: error: it is locked');
		expect(text).not.toContain('passed later');
	});

	it('a failure is not settled by a run of fewer files, but by one of their folder', () => {
		const failure = ['npx jest src/a.test.ts src/b.test.ts', 'Exit code 1\nerror: it fails', true] as const;
		const narrower = summaryOf(ran([...failure], ['npx jest src/a.test.ts', '3 passed']));
		expect(narrower).not.toContain('passed later');
		expect(summaryOf(ran([...failure], ['npx jest src/', '9 passed']))).toContain('(passed later, #5)');
	});

	it.each([
		[
			'lists files that failed before files that passed',
			'npx jest 2>&1 | grep -E "(PASS|FAIL)" | head -50',
			'FAIL src/a.test.ts\nFAIL src/b.test.ts\nPASS src/c.test.ts\nPASS src/d.test.ts',
		],
		[
			'shows only the start of the output',
			'npx jest 2>&1 | head -3',
			'PASS src/c.test.ts\nPASS src/d.test.ts',
		],
	])('a later run that %s settles no failure', (_, command, output) => {
		const failure: [string, string, boolean] = [
			'npx jest src/a.test.ts',
			'FAIL src/a.test.ts\nTests: 1 failed',
			true,
		];
		const text = summaryOf(ran(failure, [command, output]));
		expect(text).not.toContain('passed later');
		expect(
			summaryOf(ran(failure, ['npx jest 2>&1 | head -9', 'PASS src/a.test.ts\nTests: 4 passed'])),
		).toContain('passed later');
	});

	it('a failure is not settled by a check whose output was searched without a hit', () => {
		const text = summaryOf(
			ran(
				['npx jest a.test.ts', 'Exit code 1\nerror: it does not compile', true],
				['npx jest a.test.ts 2>&1 | grep -A 9 "Total"', ''],
			),
		);
		expect(text).not.toContain('passed');
		expect(text).toContain('npx jest a.test.ts: no match (#5)');
	});

	it('a failure is not settled by a run whose failure a pipe hid', () => {
		const text = summaryOf(
			ran(
				['npx jest a.test.ts', 'Exit code 1\nerror: it does not compile', true],
				['npx jest a.test.ts | tail -9', 'FAIL a.test.ts\nTest Suites: 1 failed, 1 total'],
			),
		);
		expect(text).toContain('exit 1: error: it does not compile');
		expect(text).not.toContain('passed later');
	});

	it('a failure that a pipe hid names the later run that passed', () => {
		const text = summaryOf(
			ran(
				['go test ./... | tail -9', '--- FAIL: TestTotal (0.01s)\nFAIL\tshop/total\t0.4s\nFAIL'],
				['go test ./... | tail -9', 'ok  \tshop/total\t0.4s'],
			),
		);
		expect(text).toMatch(/→ --- FAIL: TestTotal \(0\.01s\) \| FAIL\sshop\/total\s0\.4s \(passed later, #5\)/);
	});

	it("a failure shows the program's own error, and no error inside a shown file", () => {
		const output = `Exit code 2\n${'export function parse() {\n  throw new Error("no rows in the file");\n}\n'.repeat(3)}sed: can't read src/rows.ts: No such file or directory`;
		const text = summaryOf(
			ran(["cd /srv && sed -n '1,9p' src/parse.ts && sed -n '1,9p' src/rows.ts", output, true]),
		);
		expect(text).toContain("→ exit 2: sed: can't read src/rows.ts: No such file or directory");
	});

	it.each<[command: string, output: string]>([
		['rg -n oldName src', 'Exit code 1'],
		['egrep -rn oldName src', ''],
		['cd /srv && ack oldName', ''],
	])('a search without hits is not a failure: %s', (command, output) => {
		const text = summaryOf(ran([command, output, true]));
		expect(text).toContain(`${command} → no match`);
		expect(text).not.toContain('exit 1');
	});

	it("a refused call shows the user's reason", () => {
		const text = summaryOf(
			ran([
				'git push --force',
				"The user doesn't want to proceed with this tool use. The tool use was rejected. The user said: push to my fork instead",
				true,
			]).map((source) => (source.role === 'tool' ? { ...source, isAnsweredByUser: true } : source)),
		);
		expect(text).toContain('git push --force → refused by the user: push to my fork instead');
	});

	it('a refused call is not reported as passed later, although the user accepted it the second time', () => {
		const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
		const text = summaryOf(ran(['git push --force', refusal, true], ['git push --force', 'main -> main']));
		expect(text).toContain('git push --force → refused by the user');
		expect(text).not.toContain('passed later');
	});

	it("a failure for breaking a tool's rules is left out after a correct call", () => {
		const args = { file_path: 'src/a.ts', old_string: 'one two three', new_string: 'four' };
		const [edit, again] = [call('Edit', args), call('Edit', args)];
		const text = summaryOf([
			user(1, 'Rename it.'),
			assistant(2, 'I rename it, since the name misleads.', edit),
			result(3, edit, '<tool_use_error>File has not been read yet. Read it first.</tool_use_error>', true),
			assistant(4, '', again),
			result(5, again, 'The file src/a.ts has been updated successfully.'),
			assistant(6, 'Renamed.'),
		]);
		expect(text).toContain('I rename it, since the name misleads.');
		expect(text).not.toMatch(/not been read|tool_use_error|→ failed/);
	});
});
