import { expect, it } from 'vitest';
import { call } from './facts-sources.ts';
import { ran, sectionIn, sessionOfCalls, summaryOf as writeSummary } from './summaries.ts';

/** Returns the last result of a check, in a summary without a head. */
function lastResult(command: string, output: string, isFlagged = true): string {
	return sectionIn(writeSummary(ran([command, output, isFlagged]), 950), 'checks');
}

const typeError = (file: string): string =>
	`  ${file}:74:77 - error TS2345: Argument of type 'Ferry | undefined' is not assignable to parameter of type 'Ferry'.`;

it('a failed check shows the error of its own target next to the counts', () => {
	const output = [
		'FAIL test/unit/tides.test.ts',
		typeError('test/unit/tides.test.ts'),
		'FAIL test/unit/berths.test.ts',
		typeError('test/unit/berths.test.ts'),
		'Test Suites: 2 failed, 2 total',
	].join('\n');
	for (const line of [
		lastResult('npx jest test/unit/berths.test.ts', output),
		lastResult('npx jest test/unit/berths.test.ts | tail -40', output, false),
	]) {
		expect(line).toContain(
			"test/unit/berths.test.ts:74:77 - error TS2345: Argument of type 'Ferry | undefined'",
		);
		expect(line).toContain('… | Test Suites: 2 failed, 2 total');
	}
});

it.each([
	[
		'long tracebacks',
		"    def test_count():\n>       raise KeyError(berth)\nE       KeyError: 'ferry-2'\n\ntests/test_berths.py:31: KeyError",
		"KeyError: 'ferry-2' | 1 failed, 3 passed",
	],
	[
		'short tracebacks',
		'tests/test_berths.py:31: in test_count\n    check_berth(2)\ntests/test_berths.py:12: in check_berth\n    assert 3 == 4\nE   assert 3 == 4',
		'assert 3 == 4 | 1 failed, 3 passed',
	],
	[
		'messages that were cut off',
		'tests/test_berths.py:12: in check_berth\n/opt/tide/tables.py:7: DeprecationWarning: no more tides\nFAILED tests/test_berths.py::test_count - AssertionError: three',
		'FAILED tests/test_berths.py::test_count - AssertionError: three | 1 failed, 3 passed in 0.2s',
	],
	[
		'lines of the log',
		'tests/test_berths.py:12: in check_berth\nAssertionError: three berths are missing',
		'AssertionError: three berths are missing',
	],
])(
	'a failed check of a test shows the message of pytest rather than its frame, with %s',
	(_, lines, message) => {
		const output = `${lines}\n1 failed, 3 passed in 0.2s`;
		for (const command of [
			'pytest tests/test_berths.py::test_count',
			'pytest -q',
			'cd quay && pytest tests/test_berths.py',
		]) {
			const line = lastResult(command, output);
			expect(line).toContain(message);
			expect(line).not.toContain(':12: in check_berth');
		}
	},
);

it('a failed check shows counts rather than a long error of another file', () => {
	const output = [
		typeError('test/unit/a-file-with-a-long-name-that-nobody-asked-for.test.ts'),
		'FAIL test/unit/berths.test.ts',
		'Tests:       176 failed, 815 passed, 991 total',
		'Test Suites: 35 failed, 35 passed, 70 total',
	].join('\n');
	const line = lastResult('npx jest test/unit/berths.test.ts | tail -40', output, false);
	expect(line).toContain('Test Suites: 35 failed, 35 passed, 70 total');
	expect(line).not.toContain('a-file-with-a-long-name');
});

it('a failed build shows its error before a list of what could not be built', () => {
	const output = [
		'ferry/berths/moor.go:487:23: undefined: keelDepth',
		'ferry/berths/moor.go:897:23: undefined: keelDepth',
		'FAIL\texample.com/ferry/berths/integration_tests [build failed]',
		'FAIL\texample.com/ferry/berths/moorings_and_tides [build failed]',
	].join('\n');
	expect(lastResult('make test | tail -40', output, false)).toContain('moor.go:487:23: undefined: keelDepth');
});

it.each([
	['pi', 'Command aborted', true],
	['Codex', 'aborted by user after 3.1s', true],
	['OpenCode', '<bash_metadata>\nUser aborted the command\n</bash_metadata>', false],
])(
	'a check that a user of %s aborted did not pass, and no line of its output is the reason',
	(_, end, isFlagged) => {
		const output = `> node --test\n\nError in the bootloader of the debugger\nDebugger attached.\n\n${end}`;
		expect(lastResult('npm test', output, isFlagged)).toMatch(/npm test: failed: (?:Command|User|aborted)/);
	},
);

it.each([
	'Option "testPathPattern" was replaced by "--testPathPatterns".',
	"error: unknown option '--rows'",
	'unrecognized argument: --rows',
])('a check that refuses an option shows the refusal: %s', (refusal) => {
	const output = `${refusal}\n\nPlease update your configuration.`;
	expect(lastResult('npm test', output)).toContain(refusal);
	expect(lastResult('npm test | tee test.log', output, false)).toContain(refusal);
});

it.each([
	[
		'package example.com/ferry/berths: build constraints exclude all Go files in /srv/ferry/berths',
		'setup',
		'go test -v -run TestBerth ./ferry/berths',
	],
	['stat /srv/ferry/berths/berths: directory not found', 'setup', 'go test ./berths/...'],
	['ferry/berths/moor.go:487:23: undefined: keelDepth', 'build', 'go test ./ferry/berths'],
])('a package of Go that could not be built has the reason: %s', (reason, step, command) => {
	const output = `# example.com/ferry/berths\n${reason}\nFAIL\texample.com/ferry/berths [${step} failed]\nFAIL`;
	expect(lastResult(command, output)).toContain(reason);
	expect(lastResult(`${command} 2>&1 | tail -20`, output, false)).toContain(reason);
});

it('a check of one file does not replace the whole check', () => {
	const whole: [string, string, boolean] = [
		'npx tsc --noEmit',
		'src/b.ts(9,1): error TS1005: expected ;',
		true,
	];
	const text = sectionIn(writeSummary(ran(whole, ['npx tsc --noEmit | grep src/a.ts', '']), 950), 'checks');
	expect(text).toContain('- npx tsc --noEmit: failed: src/b.ts(9,1): error TS1005');
	expect(text).toContain('- npx tsc --noEmit | grep src/a.ts: ');
	const errors = ran(whole, ['npx tsc --noEmit | grep error', 'src/b.ts(9,1): error TS1005: expected ;']);
	expect(sectionIn(writeSummary(errors, 950), 'checks').split('\n')).toHaveLength(1);
});

it('an error that a check prints twice is shown once', () => {
	const line = 'FAIL test/unit/berths.test.ts';
	const output = `PASS test/unit/tides.test.ts\n${line}\n${line}\n`;
	expect(lastResult('npx jest | grep -E "PASS|FAIL"', output, false).split(line)).toHaveLength(2);
});

it.each([
	[
		'make',
		'make up',
		"make[1]: *** [Makefile:3: up] Error 1\nmake[1]: Leaving directory '/quay'\nmake: *** [Makefile:9: all] Error 2",
	],
	['make in another language', 'make up', 'make: *** [up] Fehler 1'],
	['just', 'just build', 'error: Recipe `build` failed on line 12 with exit code 1'],
	[
		'npm',
		'npm run build',
		'npm error Lifecycle script `build` failed with error:\nnpm error code 1\nnpm error path /quay/web\nnpm error command sh -c vite build',
	],
	[
		'npm 8',
		'npm run build',
		'npm ERR! Lifecycle script `build` failed with error:\nnpm ERR! code ELIFECYCLE',
	],
])('the report of %s that a command failed is not the reason', (_, command, report) => {
	const reason = "unable to moor 'ferry-2': the quay does not answer";
	for (const [tool, name, start] of [
		['Bash', 'command', 'Exit code 2'],
		['shell_command', 'command', 'Exit code: 2\nWall time: 0.5 seconds\nOutput:'],
	] as const) {
		const run = call(tool, { [name]: command });
		const text = writeSummary(
			sessionOfCalls([run, `${start}\nferryctl up --quay 2\n${reason}\n${report}`, true]),
			950,
		);
		expect(text).toContain(`→ exit 2: ${reason}`);
	}
});

it('a report of make in an output without an exit code shows a failure next to its reason', () => {
	const output = "unable to moor 'ferry-2': the quay does not answer\nmake: *** [Makefile:9: test] Error 2";
	const line = lastResult('make test 2>&1 | tail -5', output, false);
	expect(line).toContain('the quay does not answer | make: *** [Makefile:9: test] Error 2');
});

it('progress is not the result of a check', () => {
	const built = 'Running the builder\nreading pages... [100%] index\nwriting module pages... [100%] quay';
	const line = lastResult(
		'make pages',
		`${built}\nReceiving tides: 100% (12/12), done.\nThe pages are in out/pages.`,
		false,
	);
	expect(line).toContain('make pages: The pages are in out/pages.');
	expect(lastResult('make', '[ 50%] Building C object tide.o\n[100%] Built target ferry', false)).toContain(
		'[100%] Built target ferry',
	);
});

it.each([
	['Claude Code', 'Bash', 'command', ''],
	['Codex', 'exec_command', 'cmd', 'Process exited with code 0\nOutput:\n'],
])('what a search found after a check of %s is the result', (_, tool, name, start) => {
	const run = call(tool, { [name]: 'make pages && grep ferry out/pages/index.html' });
	const output = `${start}reading pages... [100%] index\nThe pages are in out/pages.\n<em>ferry</em> to the quay`;
	expect(writeSummary(sessionOfCalls([run, output]), 950)).toContain('→ <em>ferry</em> to the quay');
});
