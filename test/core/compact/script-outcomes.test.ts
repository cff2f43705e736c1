import { describe, expect, it } from 'vitest';
import { ran, summaryOf } from './summaries.ts';

const traceback =
	'Traceback (most recent call last):\n  File "/w/tide.py", line 36, in read\n    raise ValueError("levels must be ordered")\nValueError: levels must be ordered';
const elapsed = '\n\nreal\t0m3.821s\nuser\t0m3.810s\nsys\t0m0.012s';

const summaryOfRun = (command: string, output: string, failed = false): string =>
	summaryOf(ran([command, output, failed]));

describe('the outcome of a script', () => {
	it('is the exception with which it ended, although its elapsed time follows', () => {
		const text = summaryOfRun('time python3 tide.py 2>&1 | tail -60', traceback + elapsed);
		expect(text).toMatch(/→ (?:failed: )?ValueError: levels must be ordered$/m);
		expect(text).not.toMatch(/→ .*0m3\.821s/);
	});

	it('is its elapsed time if it printed no exception', () => {
		const text = summaryOfRun('time python3 tide.py 2>&1 | tail -60', `12 levels read${elapsed}`);
		expect(text).toMatch(/real\s0m3\.821s/);
	});

	it('is that of a check if its name says that it tests', () => {
		const lines = Array.from({ length: 40 }, (_, index) => `[ok] tide ${index}`).join('\n');
		const text = summaryOfRun('python3 src/smoke_test.py', `${lines}\n19/19 tide tests passed`);
		expect(text).toMatch(/^State:.*last check: python3 src\/smoke_test\.py: 19\/19 tide tests passed/m);
	});

	it('names what git refused, although the script went on', () => {
		const output = [
			'Building …',
			'error: Your local changes to the following files would be overwritten by checkout:',
			'\tsrc/pier.ts',
			'Please commit your changes or stash them before you switch branches.',
			'Aborting',
			'[main 7c41e9b] Deploy',
			...Array.from({ length: 90 }, (_, index) => ` create mode 100644 assets/tide-${index}.js`),
			"Already on 'main'",
		].join('\n');
		expect(summaryOfRun('./deploy.sh', output)).toMatch(
			/→ error: Your local changes .* overwritten by checkout: \| Already on 'main'$/m,
		);
	});

	it('is no pass if some of its tests failed', () => {
		const text = summaryOfRun('python3 src/smoke_test.py', '15/18 tide tests passed');
		expect(text).toMatch(/^State:.*smoke_test\.py: unclear: 15\/18/m);
	});

	it('is a failure if there are only complaints below its headings', () => {
		const loop = 'for path in a b; do echo "=== $path ==="; gh api "$path"; done';
		const complaints =
			'=== a ===\n(eval):4: command not found: gh\n\n=== b ===\n(eval):4: command not found: gh';
		const refused = loop.replaceAll('; ', '\n');
		expect(summaryOfRun(refused.replaceAll('\n', ' && '), complaints)).toMatch(
			/→ failed: .*command not found: gh/,
		);
	});

	it('is no match if a search behind a heading finds nothing', () => {
		const text = summaryOfRun('echo "--- log ---"; grep ERROR tide.log', 'Exit code 1\n--- log ---', true);
		expect(text).toMatch(/→ no match/);
	});
});

describe('what a script prints below a heading', () => {
	it('stays with the heading', () => {
		const sites = ['north', 'south', 'east', 'west'].map(
			(one) => `=== https://tides.example/${one}\nHTTP:404 size:12`,
		);
		const text = summaryOfRun('for u in $(cat urls); do probe "$u"; done', sites.join('\n'));
		for (const line of text.split('\n').filter((one) => one.includes('HTTP:404')))
			expect(line).toContain('===');
	});
});

describe('a failed script', () => {
	it('passed later if it ran again behind a here-document that changed it', () => {
		const edit = "python3 - <<'PY'\nopen('tide.py', 'w').write('...')\nPY\npython3 tide.py --json out.json";
		const text = summaryOf(
			ran(['python3 tide.py --json out.json', traceback, true], [edit, 'wrote out.json', false]),
		);
		expect(text).toContain('passed later, #5');
	});
});

describe('the outcome of a check', () => {
	it('is the failed test, not what other tests printed, with the counts', () => {
		const output = [
			'stderr | tests/fetch.test.ts > falls back to the cache',
			'Failed to update the tides. Error: Server down',
			'',
			' FAIL  tests/tide.test.ts > the level at noon',
			'AssertionError: expected -5 to be +0',
			'',
			' Test Files  1 failed | 8 passed (9)',
			'      Tests  1 failed | 76 passed (77)',
		].join('\n');
		const text = summaryOfRun('npm run test:run', `Exit code 1\n${output}`, true);
		expect(text).toMatch(/→ .*tide\.test\.ts|→ .*expected -5 to be \+0/);
		expect(text).not.toMatch(/→ .*Server down/);
	});

	it('has the counts of its tests next to the error', () => {
		const output = 'Exit code 1\nAssertionError: expected -5 to be +0\n\nTests  1 failed | 76 passed (77)';
		expect(summaryOfRun('npm run test:run', output, true)).toMatch(
			/→ exit 1: AssertionError: expected -5 to be \+0 \| Tests\s+1 failed \| 76 passed \(77\)/,
		);
	});

	it('is not the mark that a program put behind the output', () => {
		const text = summaryOfRun('bash build.sh', '✓ tides.pdf\n[rerun: b7]');
		expect(text).toContain('✓ tides.pdf');
		expect(text).not.toContain('rerun');
	});

	it('is known from an exit code between marks', () => {
		const run = 'godot --headless --quit; echo "---- exit: $? ----"';
		expect(summaryOfRun(run, 'Godot Engine v4\nready\n---- exit: 0 ----')).not.toMatch(/→ .*exit: 0/);
	});

	it('is none for the last item of a list', () => {
		const list = Array.from({ length: 9 }, (_, index) => `${index + 1}. tide-${index} Draw the tide`).join(
			'\n',
		);
		expect(summaryOfRun('bd ready', list)).not.toMatch(/→ 9\. /);
	});

	it.each([
		'npx create-next-app@latest web --eslint --yes',
		'bash scripts/setup-test.sh',
		'./start-test.sh',
		'pkill -f jest',
		'Get-ChildItem cap | Format-Table -AutoSize',
		'if (-not (Test-Path cap)) { New-Item cap }',
	])('is not asked for %s, which checks nothing', (command) => {
		expect(summaryOfRun(command, 'Success')).not.toContain('last check');
	});
});

describe('a check that passed', () => {
	const passed: [string, string, boolean] = ['npm test', 'Tests  12 passed (12)', false];
	const broken: [string, string, boolean] = [
		'npm test',
		'Exit code 1\nTests  2 failed | 10 passed (12)',
		true,
	];

	it('failed later if its newest run did', () => {
		expect(summaryOf(ran(passed, broken))).toContain('12 passed (12) (failed later, #5)');
	});

	it('did not fail later if its newest run passed', () => {
		expect(summaryOf(ran(passed, broken, passed))).not.toContain('failed later');
	});

	it('did not fail later if the failed tests are new', () => {
		const extended = (passed: number): [string, string, boolean] => [
			'npm test',
			`Exit code 1\nTests  3 failed | ${passed} passed (15)`,
			true,
		];
		const first: [string, string, boolean] = ['npm test', 'Tests  12 passed (12)', false];
		expect(summaryOf(ran(first, extended(12)))).not.toContain('failed later');
		expect(summaryOf(ran(first, extended(11)))).toContain('(failed later, #5)');
	});

	it('did not fail later if a wider check passed after its failure', () => {
		const passedAlone: [string, string, boolean] = [
			'go test ./ferry/...',
			'ok  \texample.com/ferry\t0.4s',
			false,
		];
		const brokenAlone: [string, string, boolean] = [
			'go test ./ferry/...',
			'Exit code 1\n--- FAIL: TestFerry (0.01s)\nFAIL\texample.com/ferry\t0.2s',
			true,
		];
		const passedAll: [string, string, boolean] = [
			'go test ./ferry/... ./pier/...',
			'ok  \texample.com/ferry\t0.4s\nok  \texample.com/pier\t0.2s',
			false,
		];
		expect(summaryOf(ran(passedAlone, brokenAlone))).toContain('(failed later, #5)');
		expect(summaryOf(ran(passedAlone, brokenAlone, passedAll))).not.toContain('failed later');
	});

	it('did not fail later if it failed in another folder', () => {
		const [here, there] = [`cd /w/north && ${passed[0]}`, `cd /w/south && ${passed[0]}`];
		const text = summaryOf(ran([here, passed[1], false], [there, broken[1], true]));
		expect(text).not.toContain('failed later');
	});

	it('did not fail later if another check did', () => {
		expect(summaryOf(ran(passed, ['npm run lint', 'Exit code 1\n2 errors', true]))).not.toContain(
			'failed later',
		);
	});
});

describe('an outcome', () => {
	it.each([
		['npm test 2>&1 | grep -q "0 failed" && echo PASSED || echo FAILED', 'FAILED', false],
		['npm test | grep -q "0 failed" || { echo "tests failed"; exit 1; }', 'Exit code 1\ntests failed', true],
	])('of %s is no missing match, since the echo depends on it', (command, output, failed) => {
		expect(summaryOfRun(command, output, failed)).not.toContain('no match');
	});

	it('of a commit stays although a script printed a heading behind it', () => {
		const output = '[main 7c41e9b] Draw the tides\n 1 file changed\n=== done';
		expect(summaryOfRun('git commit -am "Draw the tides" && echo "=== done"', output)).toContain('7c41e9b');
	});

	it('of several commands that print their exit codes is the one that failed', () => {
		const output = '--- exit: 0 ---\nTests  2 failed | 10 passed (12)\n--- exit: 1 ---';
		expect(
			summaryOfRun('npm run lint; echo "--- exit: $? ---"; npm test; echo "--- exit: $? ---"', output),
		).toContain('→ exit 1: ');
	});

	it('of a command that shows a variable is not that of a command that runs on', () => {
		expect(summaryOfRun('cat .env', 'SESSION_ID=42\nSHOP=north')).not.toContain('not seen to end');
		expect(summaryOfRun('systemctl show tide', 'Unit: tide\nStatus: RUNNING')).not.toContain(
			'not seen to end',
		);
	});

	it('of tests keeps their totals if a search removed the lines between', () => {
		const output = 'stderr | tests/a.test.ts > falls back\nTests  2 failed | 10 passed (12)';
		expect(summaryOfRun('npx vitest run 2>&1 | grep -E "stderr|failed"', output)).toContain(
			'2 failed | 10 passed',
		);
	});

	it('of an alternative check is no pass that settles a failure', () => {
		const text = summaryOf(
			ran(
				['npm test', 'Exit code 1\nTests  2 failed | 10 passed (12)', true],
				['test -f .skip || npm test', 'skipped', false],
			),
		);
		expect(text).not.toContain('passed later');
	});

	it('of a pass without any test is none', () => {
		expect(summaryOfRun('python3 src/smoke_test.py', '0 of 0 tests passed')).not.toMatch(/: passed/);
	});
});
