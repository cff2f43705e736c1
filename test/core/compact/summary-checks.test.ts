import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { ran, sectionIn, summaryOf as writeSummary } from './summaries.ts';

/** Returns a summary that is too small for a head. A head would show some of the checks instead of the list. */
const summaryOf = (sources: readonly Source[]): string => writeSummary(sources, 950);

describe('checks in a summary', () => {
	it('each check is listed with its last and earlier outcomes', () => {
		const checks = sectionIn(
			summaryOf(
				ran(
					['npm test', 'Exit code 1\nTests: 3 failed, 9 passed', true],
					['npm run lint', 'Found 2 warnings'],
					['npm test', 'Tests: 12 passed'],
				),
			),
			'checks',
		);
		expect(checks).toBe(
			[
				'- npm run lint: Found 2 warnings (#5)',
				'- npm test: Tests: 12 passed (#7); before: exit 1: Tests: 3 failed, 9 passed (#3)',
			].join('\n'),
		);
	});

	it('a check is the same with other commands or variables around it', () => {
		const checks = sectionIn(
			summaryOf(
				ran(
					['cd /repo && npm test 2>&1 | tail -5', 'Exit code 1\nTests: 3 failed', true],
					['CI=1 npm test', 'Tests: 12 passed'],
				),
			),
			'checks',
		);
		expect(checks.split('\n')).toHaveLength(1);
		expect(checks).toContain(
			'npm test: Tests: 12 passed (#5); before: without variables, exit 1: Tests: 3 failed',
		);
	});

	it.each([
		'> tsc --noEmit\nnpm error Lifecycle script `check` failed with error:',
		'> tsc --noEmit\nnpm ERR! code ELIFECYCLE',
	])(
		'a check without an exit code that npm reports as failed is a failure that may pass later: %s',
		(output) => {
			const text = summaryOf(ran(['npm run check', output], ['npm run check', 'Checked 9 files']));
			expect(text).toMatch(/npm run check → .*\(passed later, #5\)/);
		},
	);

	it('a sum that a check prints twice is shown once', () => {
		const sum = 'Tests: 3 failed, 9 passed';
		expect(sectionIn(summaryOf(ran(['npm test', `${sum}\n${sum}`])), 'checks')).toBe(
			`- npm test: ${sum} (#3)`,
		);
	});

	it('text that a command writes, or its comment, is not a check', () => {
		const text = summaryOf(
			ran(
				["cat >> notes.md << 'EOF'\nnpm test\nnpm run build\nEOF", 'written'],
				['# Check how the build is set up\nls ci/', 'setup.sh'],
				["cat > run.sh <<'END'\nnpm run lint\nEND\nnpm test", 'Tests: 12 passed'],
			),
		);
		expect(sectionIn(text, 'checks')).toBe('- npm test: Tests: 12 passed (#7)');
	});

	it('a long earlier outcome of a check is cut between words', () => {
		const long = 'FAIL test/import.test.ts > keeps the order of rows | ReferenceError: index is not defined';
		const checks = sectionIn(
			summaryOf(ran(['npm test', `Exit code 1\n${long}`, true], ['npm test', 'Tests: 12 passed'])),
			'checks',
		);
		expect(checks).toContain('keeps the order of rows | ReferenceError:… (#3)');
	});

	it('at most the five latest checks are listed', () => {
		const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
		const runs = names.map((name): [string, string] => [`npm test ${name}`, `Tests: 1 passed`]);
		const checks = sectionIn(summaryOf(ran(...runs)), 'checks').split('\n');
		expect(checks.map((line) => /test (\w+)/.exec(line)?.[1])).toEqual(names.slice(2));
	});

	it('a check without output passed', () => {
		const checks = sectionIn(
			summaryOf(
				ran(['go build ./...', 'Exit code 1\nmain.go:7:2: undefined: total', true], ['go build ./...', '']),
			),
			'checks',
		);
		expect(checks).toBe(
			'- go build ./...: passed, without a word (#5); before: exit 1: main.go:7:2: undefined: total (#3)',
		);
	});

	it('a check whose exit code a pipe hid shows why it failed', () => {
		const output =
			'ReferenceError: jest is not defined\n\nTest Suites: 1 failed, 1 total\nTests:       0 total';
		expect(sectionIn(summaryOf(ran(['npx jest a.test.ts | tail -20', output])), 'checks')).toBe(
			'- npx jest a.test.ts: ReferenceError: jest is not defined | Test Suites: 1 failed, 1 total (#3)',
		);
	});

	it.each([
		'git add test/login.test.ts',
		'gh issue close 7 --reason="The tests pass"',
		'cp -r build/ /srv/test',
		'tracker close 7 --note "build and lint are green"',
		`curl -s https://example.com/issues | jq -r '.[] | select(.title | test("build|lint")) | .title'`,
	])('a command that only mentions a check is not one: %s', (command) => {
		expect(sectionIn(summaryOf(ran([command, 'done: 1 item'])), 'checks')).toBe('');
	});

	it.each([
		'bash -lc "npm test"',
		'bash -lc "cd a; npm test | tail -3"',
		'npm run "test:unit"',
		'./gradlew build',
		'cd /repo && git pull && make check',
		'python -m pytest a/b.py',
	])('the check in %s is found', (command) => {
		expect(sectionIn(summaryOf(ran([command, '3 passed'])), 'checks')).toContain('3 passed (#3)');
	});

	it('showing a test file is not a check', () => {
		expect(sectionIn(summaryOf(ran(['cat test/login.test.ts', 'expect(1).toBe(1)'])), 'checks')).toBe('');
	});

	it.each([
		['npm run lint && npm test', 'npm run lint', 'npm test'],
		['npx vitest run test/a.test.ts', 'npx vitest run'],
		['uv run pytest -q tests/test_rows.py::test_sum', 'uv run pytest -q'],
		["go test ./shop -run 'TestSum|TestRow' -v", 'go test ./...'],
		['pnpm exec jest a.test.ts -t "adds (rows|cells)"', 'pnpm exec jest'],
		['cargo test --package shop 2>&1 | grep -E "(P|F)AIL"', 'cargo test'],
		['cd /srv && bash -lc "npx tsc --noEmit"', 'npx tsc --noEmit && npx vitest run'],
		['go test ./shop/rows', 'go test ./shop/...'],
		['cargo test -p core', 'cargo test -p core -p cli'],
		['cargo test --package=core --test rows', 'cargo test -p core'],
	])('a failure of %s is shown as settled by later runs', (failing, ...later) => {
		const passing = later.map((command): [string, string] => [command, 'all 9 tests passed']);
		const text = summaryOf(ran([failing, 'Exit code 1\nerror: the sum is wrong', true], ...passing));
		expect(sectionIn(text, 'checks')).not.toContain('the sum is wrong');
		expect(text).toMatch(/the sum is wrong.*\(passed later, #\d+\)/);
	});

	it.each([
		['npm run lint && npm test', 'npm run lint'],
		['npx vitest run', 'npx vitest run test/a.test.ts'],
		['go test ./...', 'go test ./... -run TestSum'],
		['npm run test:unit', 'npm run test:e2e'],
		['pytest tests/test_a.py', 'pytest tests/test_b.py'],
		['go test ./shop/rows', 'go test ./shop'],
		['go test ./shop', 'go test'],
		['cargo test -p core -p cli', 'cargo test -p core'],
		['cargo test -p core', 'cargo test -p core --test rows'],
	])('a failure of %s is shown as open after a run of %s', (failing, later) => {
		const text = summaryOf(
			ran([failing, 'Exit code 1\nerror: the sum is wrong', true], [later, 'all 9 tests passed']),
		);
		expect(sectionIn(text, 'checks')).toContain('the sum is wrong');
		expect(text).not.toContain('passed later');
	});

	it.each([
		['cargo test | tail -2', 'test result: ok. 12 passed; 0 failed; 0 ignored'],
		['go test ./... | head -20', 'ok  \texample.com/a\t0.1s\nok  \texample.com/b\t0.1s'],
		['go test ./... 2>&1 | tail -1', 'ok  \texample.com/b\t0.1s'],
		['go build ./... 2>&1 | head -30', ''],
		['npm test | tee out.txt', 'Tests: 12 passed, 12 total'],
		[
			'npx jest || npx jest --onlyFailures',
			'FAIL src/a.test.ts\nTests: 1 failed\nPASS src/a.test.ts\nTests: 1 passed',
		],
		['python -m unittest 2>&1 | tail -3', 'Ran 12 tests in 0.01s\n\nOK'],
		['bun test | tail -4', ' 12 pass\n 0 fail\nRan 12 tests across 3 files. [1.2s]'],
		['cd a; npm run lint && npm run build', 'written'],
		['make check | tail -2', '12/12 passed'],
		['make check | tail -2', '0 of 12 tests failed, 12 passed'],
	])('a failure of %s is settled by %j', (command, output) => {
		const text = summaryOf(ran([command, 'Exit code 1\nerror: the sum is wrong', true], [command, output]));
		expect(text).toContain('(passed later, #5)');
	});

	it('a failure is not shown with a test that passed if its output names no other', () => {
		const text = summaryOf(ran(['npm test', 'Exit code 1\nPASS src/a.test.ts\nPASS src/b.test.ts', true]));
		expect(sectionIn(text, 'checks')).toBe('- npm test: exit 1: its output names no error (#3)');
	});

	it.each([
		['npx jest', 'No tests found, exiting with code 0'],
		['npx jest', 'Tests:       12 skipped, 12 total'],
		['npx mocha', '0 passing'],
		['go test ./...', '?   \texample.com/rows\t[no test files]'],
		['cargo test', 'running 0 tests\ntest result: ok. 0 passed; 0 failed; 9 filtered out'],
		['python -m unittest', 'Ran 0 tests in 0.000s\n\nOK'],
		['mvn test', 'Tests run: 0, Failures: 0, Errors: 0'],
		['npm test &', ''],
		['npm test; echo $?', 'Tests: 12 passed\n1'],
		['npm test; echo "code: $?"', 'Tests: 12 passed\ncode: 1'],
	])('a run of %s that proves nothing settles no failure: %j', (command, output) => {
		const failed = 'Exit code 1\nerror: the sum is wrong';
		expect(summaryOf(ran([command, failed, true], [command, output]))).not.toContain('passed later');
	});

	it('a failure of Maven is shown with its error, not with its counts', () => {
		const output = '[INFO] Tests run: 3, Failures: 0\n[ERROR] SumsTest.carries:14 expected 3';
		const text = summaryOf(ran(['mvn test', `Exit code 1\n${output}`, true]));
		expect(sectionIn(text, 'checks')).toContain('exit 1: [ERROR] SumsTest.carries');
	});

	it.each([
		['bun test', '(pass) sums > adds [1.20ms]\n(fail) sums > carries [3.11ms]\n\n 1 pass\n 1 fail'],
		['node --test', 'TAP version 13\nok 1 - sums adds rows\nnot ok 2 - sums carries'],
		['npx mocha', '  ✓ sums adds rows\n  ✗ sums carries'],
		['go test -v ./...', '--- PASS: TestSumsAdds (0.00s)\n--- FAIL: TestSums/carries (0.00s)'],
		['pytest -v', 'test_sums.py::test_adds PASSED [ 50%]\ntest_sums.py::test_carries FAILED [100%]'],
		['cargo test', 'running 2 tests\ntest sums::adds ... ok\ntest sums::carries ... FAILED'],
	])('a failure of %s is shown with a test that failed, not with one that passed', (command, output) => {
		const [line = ''] = sectionIn(summaryOf(ran([command, `Exit code 1\n${output}`, true])), 'checks').split(
			'\n',
		);
		expect(line).toContain('carries');
		expect(line).not.toMatch(/adds/i);
	});

	it.each([
		['cargo test | head -1', 'running 12 tests'],
		['cargo test 2>&1 | sed -n 1,3p', 'running 12 tests'],
		['cargo test |& head -2', 'running 12 tests\ntest a ... ok'],
		['python -m unittest 2>&1 | tail -1', 'Ran 12 tests in 0.01s'],
		['go test ./... | head -2', 'ok  \texample.com/a\t0.1s\nok  \texample.com/b\t0.1s'],
		['npm run check | grep "error TS" | wc -l', '11'],
		['go build ./... 2>&1 | head -30', 'rows/rows.go:189:10: undefined: Row'],
		['make 2>&1 | tail -5', 'make: *** [Makefile:3: all] Error 2'],
		['npm run lint; npm test', '✖ 3 problems (3 errors, 0 warnings)\nTests: 12 passed, 12 total'],
		['npm run lint; echo done', 'done'],
		['npm run lint || true', 'rows.ts is wrong'],
		['mocha | grep passing', '  9 passing (10ms)'],
		[
			'npm test -w a -w b | tail -20',
			'Tests: 2 failed, 3 passed\nTest Suites: 1 failed\nTests: 9 passed\nTest Suites: 2 passed',
		],
		['bun test | tail -4', ' 11 pass\n 1 fail\nRan 12 tests across 3 files. [1.2s]'],
		['for one in a b; do make check $one; done', 'fine'],
		['make check | tail -2', '10/12 passed'],
		['make check | tail -2', '2 tests failed, 10 passed'],
		['make check | tail -2', '10 passed, 2 timed out'],
		['make check | tail -2', '10 passed, 2 失败'],
		['npx jest --json | tail -1', '{"numFailedTests":2,"numPassedTests":10,"success":false}'],
		['npm run build | tail -4', 'success: no'],
	])('a failure of %s is not settled by %j', (command, output) => {
		const text = summaryOf(ran([command, 'Exit code 1\nerror: the sum is wrong', true], [command, output]));
		expect(text).not.toContain('passed later');
	});

	it.each([
		[
			'Codex',
			[call('exec_command', { cmd: 'npm test' }), 'Process running with session ID 61772\nOutput:\n> test'],
			[
				call('write_stdin', { session_id: 61772, chars: '' }),
				'Process exited with code 1\nOutput:\nTests: 1 failed, 2 passed',
			],
		],
		[
			'Claude Code',
			[
				call('Bash', { command: 'npm test', run_in_background: true }),
				'Command running in background with ID: b1. Output is being written to: /tmp/b1.output',
			],
			[
				call('BashOutput', { bash_id: 'b1' }),
				'<status>failed</status>\n<exit_code>1</exit_code>\n<stdout>\nTests: 1 failed, 2 passed\n</stdout>',
			],
		],
	] as const)('the end of a check of %s that another call reads is its outcome', (_, first, second) => {
		const text = summaryOf([
			user(1, 'Make it pass.'),
			...[first, second].flatMap(([made, output], index) => [
				assistant(2 + 2 * index, '', made),
				result(3 + 2 * index, made, output),
			]),
			assistant(6, 'I saw it.'),
			user(7, 'Go on.'),
		]);
		expect(sectionIn(text, 'checks')).toMatch(/^- npm test: exit 1: Tests: 1 failed, 2 passed \(#5\)/);
		expect(text).not.toContain('interrupted');
	});

	it.each([
		[
			'Codex',
			'exec_command',
			{ cmd: 'npm test' },
			'Chunk ID: 1\nWall time: 30.0 seconds\nProcess running with session ID 61772\nOutput:\n(pass) keeps rows',
		],
		['Claude Code', 'Bash', { command: 'npm test' }, 'Command running in background with ID: b1'],
		[
			'Cline',
			'execute_command',
			{ command: 'npm test' },
			"Command is still running in the user's terminal.\nHere's the output so far:\n3 passed",
		],
		[
			'OpenHands',
			'execute_bash',
			{ command: 'npm test' },
			'3 passed\n[The command has no new output after 30 seconds. You may wait longer.]',
		],
	])('a check of %s that still runs is named so and settles nothing', (_, name, args, output) => {
		const [failing, running] = [call(name, args), call(name, args)];
		const text = summaryOf([
			user(1, 'Make it pass.'),
			assistant(2, '', failing),
			result(3, failing, 'Exit code 1\nerror: the sum is wrong', true),
			assistant(4, '', running),
			result(5, running, output),
		]);
		expect(sectionIn(text, 'checks')).toContain('npm test: still running then');
		expect(text).not.toContain('passed later');
	});

	it.each([
		[
			'pnpm -r test',
			'Tests: 2 failed, 3 passed\nTest Suites: 1 failed\nTests: 9 passed\nTest Suites: 2 passed',
			'Tests: 2 failed, 3 passed',
		],
		[
			'cargo test --no-fail-fast',
			'test result: FAILED. 3 passed; 1 failed\ntest result: ok. 4 passed; 0 failed\ntest result: ok. 0 passed; 0 failed',
			'1 failed',
		],
		[
			'npm run lint; npm test',
			'✖ 3 problems (3 errors, 0 warnings)\nTests: 12 passed, 12 total\nTest Suites: 2 passed',
			'3 problems',
		],
		[
			'npx vitest run',
			' ✓ keeps 3 failed rows 1ms\nTest Files  2 passed (2)\nTests  12 passed (12)',
			'Tests  12 passed (12)',
		],
	])('the outcome of %s names failures that are not last', (command, output, outcome) => {
		expect(sectionIn(summaryOf(ran([command, output])), 'checks')).toContain(outcome);
	});

	it.each([
		['npx tsc --noEmit | grep error', true],
		['npx tsc --noEmit | grep -iE "error|warn"', true],
		['npx tsc --noEmit | grep -v error', false],
		['npx tsc --noEmit | grep rows', false],
		['npx eslint --grep errors', true],
	])('a failure of %s is settled by its later silence: %s', (command, isSettled) => {
		const failed = 'src/rows.ts(3,1): error TS2304: Cannot find name.';
		const text = summaryOf(ran([command, failed], [command, '']));
		expect(text.includes('passed later, #5')).toBe(isSettled);
	});

	it.each([
		['Claude Code', 'Bash', { command: 'npm test' }],
		['Codex', 'shell', { command: ['bash', '-lc', 'npm test'] }],
		['OpenHands', 'terminal', { command: 'npm test', security_risk: 'LOW' }],
	])('the newest outcome is shown once above the narrative for %s', (_, name, args) => {
		const runs = ['Tests: 3 failed, 9 passed', 'Tests: 12 passed'].flatMap((output, index) => {
			const made = call(name, args);
			return [assistant(2 + 2 * index, '', made), result(3 + 2 * index, made, output)];
		});
		const text = writeSummary([user(1, 'Make it pass.'), ...runs]);
		expect(text).toContain('last check: npm test: Tests: 12 passed (#5)');
		expect(text.split('Tests: 12 passed (#5)')).toHaveLength(2);
		expect(sectionIn(text, 'checks')).toBe('- npm test: see State; before: Tests: 3 failed, 9 passed (#3)');
	});

	it('the newest outcome stays in the list if the head has no space for it', () => {
		const text = writeSummary(
			ran([`npm test -- ${'a/long/name.test.ts '.repeat(12)}`, 'Tests: 12 passed']),
			1100,
		);
		expect(text.split('Tests: 12 passed (#3)')).toHaveLength(2);
	});

	it('an outcome that only the user repeats stays in the list', () => {
		const made = call('Bash', { command: 'npm test' });
		const sources = [
			user(1, 'Make it pass.'),
			assistant(2, '', made),
			result(3, made, 'Tests: 12 passed'),
			user(4, 'I doubt that npm test: Tests: 12 passed (#3) covers the search.'),
		];
		expect(sectionIn(summaryOf(sources), 'checks')).toBe('- npm test: Tests: 12 passed (#3)');
	});
});
