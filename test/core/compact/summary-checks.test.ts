import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { ran, sectionIn, summaryOf as writeSummary } from './summaries.ts';

/** Returns a summary that is too small for a head, so that the list of checks is complete. */
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

	it('a check that ran before the last change of a file says so', () => {
		const edit = call('Edit', { file_path: 'src/sum.ts', old_string: 'a', new_string: 'b' });
		const before = ran(['npm test', 'Tests: 12 passed'], ['npm run lint', 'Found 2 warnings']);
		const checks = sectionIn(
			summaryOf([...before, assistant(6, '', edit), result(7, edit, 'The file was updated.')]),
			'checks',
		);
		expect(checks).toBe(
			'- npm test: Tests: 12 passed (#3), before later changes\n- npm run lint: Found 2 warnings (#5), before later changes',
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
		expect(checks).toContain('npm test: Tests: 12 passed (#5); before: exit 1: Tests: 3 failed (#3)');
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
		expect(sectionIn(text, 'checks')).toBe('- cat ; npm test: Tests: 12 passed (#7)');
	});

	it('a long earlier outcome of a check is cut between words', () => {
		const long = 'FAIL test/import.test.ts > keeps the order of rows | ReferenceError: index is not defined';
		const checks = sectionIn(
			summaryOf(ran(['npm test', `Exit code 1\n${long}`, true], ['npm test', 'Tests: 12 passed'])),
			'checks',
		);
		expect(checks).toContain('keeps the order of rows | ReferenceError: (#3)');
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
			'- npx jest a.test.ts: ReferenceError: jest is not defined | Test Suites: 1 failed, 1 total | Tests:       0 total (#3)',
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
		['npx tsc --noEmit | grep error', true],
		['npx tsc --noEmit | grep -iE "error|warn"', true],
		['npx tsc --noEmit | grep -v error', false],
		['npx tsc --noEmit | grep rows', false],
		['npx mocha --grep errors', true],
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
		expect(sectionIn(text, 'checks')).toBe('- npm test, before: Tests: 3 failed, 9 passed (#3)');
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
