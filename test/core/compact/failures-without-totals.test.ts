import { describe, expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { ran, sectionIn, summaryOf } from './summaries.ts';

/** The start of the output of Go's tests, as `head` cuts it: no exit code, and no line of totals. */
const output = [
	'ok  \texample.com/ferry/tide\t(cached)',
	'--- FAIL: TestPier (0.32s)',
	'    pier_test.go:12: Initial harbour: 18ecb26',
	'        ✓ Created the folder of the harbour',
	'    pier_test.go:30: ✓ All checks of the pier passed',
	'    pier_test.go:31: got 4 ferries, want 3',
	'--- FAIL: TestBooking (0.04s)',
	'    --- FAIL: TestBooking/of_two_decks (0.04s)',
	'        ✓ Created the folder of the harbour',
].join('\n');

describe.each([
	['Claude Code', 'Bash', { command: 'mise run test:ci 2>&1 | head -150', timeout: 300_000 }],
	['Codex', 'exec_command', { cmd: 'mise run test:ci 2>&1 | head -150' }],
	['OpenHands', 'execute_bash', { command: 'mise run test:ci 2>&1 | head -150' }],
])('failed tests in an output that is cut, in the format of %s', (_, name, args) => {
	it('the check failed, and its line names the tests', () => {
		const run = call(name, args);
		const sources = [user(1, 'Run it.'), assistant(2, '', run), result(3, run, output)];
		const checks = sectionIn(summaryOf(sources, 950), 'checks');
		expect(checks).toContain('--- FAIL: TestBooking');
		expect(checks).toContain('failing: TestPier, TestBooking/of_two_decks');
		expect(checks).not.toContain('✓ Created');
	});

	it('a later run that passes settles it', () => {
		const [run, again] = [call(name, args), call(name, args)];
		const passed = 'ok  \texample.com/ferry/tide\t0.2s\nok  \texample.com/ferry/pier\t0.4s\nExit code 0';
		const sources = [
			user(1, 'Run it.'),
			assistant(2, '', run),
			result(3, run, output),
			assistant(4, '', again),
			result(5, again, passed),
		];
		expect(summaryOf(sources, 950)).not.toContain('passed later, #3');
	});
});

it('failed tests of pytest without totals make a check fail', () => {
	const lines = 'tests/test_pier.py::test_order FAILED [ 20%]\ntests/test_pier.py::test_tide PASSED [ 30%]';
	const text = summaryOf(ran(['pytest -v | head -40', lines]), 950);
	expect(sectionIn(text, 'checks')).toContain('1 failed: tests/test_pier.py::test_order');
});

it('a script that also prints a file does not fail because of the lines in that file', () => {
	const text = summaryOf(ran(['make check | tail -1; cat old.log', `done\n${output}`]), 950);
	expect(sectionIn(text, 'checks')).not.toContain('failing:');
});

it('a check whose totals report a pass does not fail because of lines that its tests print', () => {
	const printed = 'tests/test_pier.py::test_order FAILED [ 20%]\nTests: 12 passed, 12 total';
	const text = summaryOf(ran(['npm test', printed]), 950);
	expect(sectionIn(text, 'checks')).not.toContain('failing:');
	expect(sectionIn(text, 'checks')).toContain('12 passed');
});

it('the first line of a Go test’s log is not the error', () => {
	const text = summaryOf(ran(['go test ./...', `Exit code 1\n${output}`, true]), 950);
	expect(sectionIn(text, 'checks')).toContain('pier_test.go:31: got 4 ferries, want 3');
	expect(sectionIn(text, 'checks')).not.toContain('Initial harbour');
});
