import { describe, expect, it } from 'vitest';
import { listFailedTests } from '../../../server/core/analysis/shell/failedTests.ts';
import { ran, sectionIn, summaryOf } from './summaries.ts';

const goRun = [
	'=== RUN   TestLedger',
	'--- PASS: TestImport (0.01s)',
	'--- FAIL: TestLedger (0.44s)',
	'    --- FAIL: TestLedger/of_one_year (0.44s)',
	'        ledger_test.go:31: got 4 rows, want 3',
	'--- FAIL: TestTotals (0.63s)',
	'FAIL\texample.com/shop\t17.1s',
].join('\n');

const outputs: Record<string, [output: string, names: string[]]> = {
	'go test': [goRun, ['TestLedger/of_one_year', 'TestTotals']],
	pytest: [
		'tests/test_a.py::test_keeps_rows PASSED [ 10%]\ntests/test_a.py::test_order[a b] FAILED [ 20%]\nFAILED tests/test_b.py::TestB::test_sum[a c] - AssertionError: 3 != 4',
		['tests/test_a.py::test_order[a b]', 'tests/test_b.py::TestB::test_sum[a c]'],
	],
	'cargo test': [
		'test store::keeps_rows ... ok\ntest store::keeps_order ... FAILED\ntest result: FAILED. 1 passed; 1 failed',
		['store::keeps_order'],
	],
	jest: [
		'FAIL src/store.test.ts\n  ✕ keeps the order (3 ms)\n  ● store › keeps the order\n',
		['store › keeps the order'],
	],
	vitest: [
		' × keeps the order 12ms\n FAIL  test/store.test.ts > store > keeps the order',
		['test/store.test.ts > store > keeps the order'],
	],
	unittest: [
		'FAIL: test_order (tests.test_store.StoreTest)\nERROR: test_sum (tests.test_store.StoreTest)\nFAILED (failures=1, errors=1)',
		['test_order (tests.test_store.StoreTest)', 'test_sum (tests.test_store.StoreTest)'],
	],
	'pytest with spaces, dashes and brackets in names': [
		'FAILED tests/test_a.py::test_range[1 - 2] - assert [1] - [2]\nFAILED tests/test_a.py::test_sum - assert rows[1 - 2] == 3',
		['tests/test_a.py::test_range[1 - 2]', 'tests/test_a.py::test_sum'],
	],
	'pytest that could not load files': [
		'ERROR tests/test_a.py - ImportError: no module\nERROR tests/rows_test.py\nERROR tests/test_b.py::test_rows - fixture not found',
		['tests/test_a.py', 'tests/rows_test.py', 'tests/test_b.py::test_rows'],
	],
	'unittest with parts of tests': [
		'FAIL: test_even (tests.test_a.EvenTest.test_even) (i=1)\nFAIL: test_even (tests.test_a.EvenTest.test_even) [odd] (i=3)',
		[
			'test_even (tests.test_a.EvenTest.test_even) (i=1)',
			'test_even (tests.test_a.EvenTest.test_even) [odd] (i=3)',
		],
	],
	'unittest that could not set up or load tests': [
		'ERROR: setUpClass (tests.test_a.RowsTest)\nERROR: tearDownModule (tests.test_b)\nERROR: tests.test_c (unittest.loader._FailedTest.tests.test_c)',
		[
			'setUpClass (tests.test_a.RowsTest)',
			'tearDownModule (tests.test_b)',
			'tests.test_c (unittest.loader._FailedTest.tests.test_c)',
		],
	],
	'jest with one file that passed again': [
		'FAIL src/a.test.ts (5.1 s)\n  ● rows › keeps one\nFAIL src/b.test.ts\n  ● rows › keeps two\nPASS src/a.test.ts\nFAIL src/b.test.ts\n  ● rows › keeps two',
		['rows › keeps two'],
	],
	'vitest with one file that passed again': [
		' FAIL  test/a.test.ts > rows > keeps one\n FAIL  test/b.test.ts > rows > keeps two\n ✓ test/a.test.ts (3 tests) 12ms',
		['test/b.test.ts > rows > keeps two'],
	],
	rspec: ['rspec ./spec/store_spec.rb:12 # Store keeps the order', ['./spec/store_spec.rb:12']],
	'two packages with a test of the same name': [
		'--- FAIL: TestNew (0.1s)\nFAIL\texample.com/a\t0.1s\n--- PASS: TestNew (0.1s)\nok  \texample.com/b\t0.1s\n--- FAIL: TestOld (0.1s)',
		['TestNew', 'TestOld'],
	],
	'a test that was run again': ['--- FAIL: TestFlaky (0.1s)\n--- PASS: TestFlaky (0.1s)', []],
};

describe('the tests that failed', () => {
	it.each(Object.entries(outputs))('the output of %s names them', (_, [output, names]) => {
		expect(listFailedTests(output)).toEqual(names);
	});

	it.each([
		'All 12 tests passed.',
		'FAIL\texample.com/shop\t17.1s',
		'error: could not compile `store`',
		'I fixed FAILED tests.',
		'× 2 = 4 rows',
		'✘ [ERROR] Could not resolve "foo"',
		'        --- FAIL: TestInner (0.1s)',
		'    FAILED tests/a.py::test_old is flaky',
		'ERROR app.py - could not reach the store',
		'ERROR: build (release)',
		'[ERROR] com.example.Service:42 - could not reach the store',
	])('%j names none', (output) => {
		expect(listFailedTests(output)).toEqual([]);
	});

	it('a summary lists them for the last run of a check', () => {
		const text = summaryOf(
			ran(['go test ./...', `${goRun}\nexit code 1`, true], ['ls', 'main.go\nstore.go']),
		);
		expect(sectionIn(text, 'checks')).toContain('failing: TestLedger/of_one_year, TestTotals');
	});

	it.each([
		['once a later run has passed', ['go test ./...', 'ok  \texample.com/shop\t3.1s'] as const],
		[
			'of a script that also prints commits',
			['git log -2; go test ./...', `${goRun}\nexit code 1`, true] as const,
		],
	])('a summary lists none %s', (_, [command, output, failed]) => {
		const runs = failed
			? []
			: [['go test ./...', `${goRun}\nexit code 1`, true] as [string, string, boolean]];
		expect(summaryOf(ran(...runs, [command, output, failed]))).not.toContain('failing:');
	});

	it('a summary states the number of those that do not fit', () => {
		const failed = Array.from({ length: 80 }, (_, index) => `--- FAIL: TestNumber${index}_keeps_rows (0.1s)`);
		const text = summaryOf(ran(['go test ./...', failed.join('\n'), true]), 4000);
		expect(sectionIn(text, 'checks')).toMatch(/failing: TestNumber0_keeps_rows, .* and \d\d more in #3/);
	});

	it('a summary counts all of many', () => {
		const failed = Array.from(
			{ length: 700 },
			(_, index) => `--- FAIL: TestNumber${index}_keeps_rows (0.1s)`,
		);
		const text = sectionIn(summaryOf(ran(['go test ./...', failed.join('\n'), true]), 4000), 'checks');
		const shown = text.match(/TestNumber\d+_keeps_rows(?=,| and)/g)?.length ?? 0;
		expect(text).toContain(` and ${700 - shown} more`);
	});

	it('a summary marks a name that it shortens', () => {
		const name = `tests/test_a.py::test_rows[${'long value '.repeat(16)}]`;
		const text = summaryOf(ran(['pytest', `FAILED ${name}\n1 failed`, true]), 4000);
		expect(sectionIn(text, 'checks')).toMatch(/failing: tests\/test_a\.py::test_rows\[long value .*…/);
	});
});
