import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { call } from './facts-sources.ts';
import { ran, sectionIn, sessionOfCalls, summaryOf as writeSummary } from './summaries.ts';

/** Returns the checks in a summary that is too small for a head. A head would show some of the checks instead. */
const checksIn = (sources: readonly Source[]): string => sectionIn(writeSummary(sources, 950), 'checks');

const numbering =
	"Get-Content src\\tide.ts -TotalCount 9 | ForEach-Object {[string]::Format('{0,3}: {1}', $global:line++, $_)}";

describe('programs that check the work', () => {
	it.each([
		['/opt/ferry/build/bin/ferry-server --port 4000', 'listening'],
		['~/make/tides --port 4000', 'listening'],
		['cargo search tides', 'tides = "0.3.3"'],
		['cargo update -p tides', 'Locking 1 package'],
		['rustc --version && cargo --version', 'cargo 1.95.0'],
		['test -x bin/ferry && echo available', 'available'],
		['docker rmi ferry-server:test', 'Deleted: sha256:45e7690abb1b'],
		['docker compose logs test', 'listening'],
		['npx webpack serve --open', 'compiled'],
		[
			"$lines | ForEach-Object { [string]::Format('{0,3}: {1}', $global:line++, $_) }",
			'0: export const tide',
		],
		['.plan/scripts/check-prerequisites.sh --json', '{"FOLDER":"/srv/ferry"}'],
		['bash check-env.sh', 'node 22'],
		['npm run check:deps', 'ok'],
		['chrome --headless --no-default-browser-check --screenshot=a.png', 'written to file a.png'],
		['Test-Path eslint.config.*; Test-Path .prettierrc*', 'True'],
		['(Get-ChildItem -Name eslint.config.* | Measure-Object).Count -gt 0', 'False'],
	])('no check is %s', (command, output) => {
		expect(checksIn(ran([command, output]))).toBe('');
	});

	it.each([
		['python3 -c "\nasync def test():\n    print(await tide.check())\n"', 'HTML saved'],
		['cd /srv && "C:/Python 3/python.exe" -c "import tide; tide.build()"', 'Saved'],
		['psql -c "SELECT COUNT(*) FROM ferry JOIN format ON true;"', ' count\n-------\n 4\n(1 row)'],
		['sqlite3 ferry.db "select * from test"', '4'],
		['psql -U pilot -d ferry -c "SELECT 1; build;"', ' 1'],
		['node -e "test(4); build()"', '4'],
	])('no check is code or a query that only shows something: %s', (command, output) => {
		expect(checksIn(ran([command, output]))).toBe('');
	});

	it.each([
		['Bash', (command: string) => ({ command })],
		['exec_command', (cmd: string) => ({ cmd })],
	])('code with assertions is a check: %s', (tool, createArgs) => {
		const made = call(tool, createArgs('python3 -c "import tide; assert tide.level() == 4"'));
		const failure = 'Exit code 1\nAssertionError';
		expect(checksIn(sessionOfCalls([made, failure, true]))).toContain('AssertionError');
	});

	it('no check is a patch that Codex passes to a command of an array', () => {
		const patch = '*** Begin Patch\n*** Update File: .gitignore\n@@\n+# Tests\n+build/\n+test\n*** End Patch';
		const made = call('shell', { command: ['apply_patch', patch] });
		expect(checksIn(sessionOfCalls([made, 'Success. Updated the following files:\nM .gitignore']))).toBe('');
	});

	it.each([
		['Codex', call('shell', { command: ['pwsh.exe', '-Command', numbering] })],
		['Gemini CLI', call('run_shell_command', { command: numbering })],
	])('no check is a read with numbered lines by %s', (_, made) => {
		expect(checksIn(sessionOfCalls([made, '0: export const tide = 4']))).toBe('');
	});

	it.each([
		[
			'powershell -Command "Set-Location \'C:\\ferry\'; npx vitest run 2>&1"',
			'powershell: npx vitest run in ferry',
		],
		['pwsh -NoProfile -c "npx vitest run"', 'npx vitest run'],
		['"C:/Program Files/Git/bin/bash.exe" -c "npx vitest run"', 'npx vitest run'],
		['/usr/bin/make test', '/usr/bin/make test'],
		['./test/all.sh', './test/all.sh'],
		['scripts/check-types.sh', 'scripts/check-types.sh'],
		['npm run check', 'npm run check'],
		['docker compose run --rm web npm test', 'docker compose run --rm web npm test'],
		['docker exec ferry pytest', 'docker exec ferry pytest'],
		['node esbuild.config.mjs', 'node esbuild.config.mjs'],
		['npx webpack --mode production', 'npx webpack --mode production'],
	])('a check is %s', (command, name) => {
		expect(checksIn(ran([command, 'Tests  15 passed (15)']))).toContain(`${name}: Tests  15 passed (15)`);
	});
});

describe('the result line of a check', () => {
	it.each(['v22.15.0', '9.1.0-beta.2'])('is not the version of a program: %s', (version) => {
		const text = checksIn(ran(['node --version && npx vitest run', version]));
		expect(text).toContain('npx vitest run: printed no outcome');
	});

	it.each([
		[
			'rubocop',
			'bin/rubocop; echo "---"; git status --short',
			'Inspecting 24 files\n24 files inspected, no offenses detected\n---\n M Gemfile\n?? render.yaml',
			'24 files inspected, no offenses detected',
		],
		[
			'a build of a page with warnings',
			'npm run build',
			"Creating an optimized production build...\nCompiled with warnings.\n\nFailed to parse source map from 'tide.map' file: Error: ENOENT\n\nThe build folder is ready.",
			"Compiled with warnings. | Failed to parse source map from 'tide.map' file: Error: ENOENT",
		],
		[
			'cargo test with empty documentation tests',
			'cargo test',
			'running 8 tests\ntest result: ok. 8 passed; 0 failed; 0 ignored\n\n   Doc-tests ferry\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored',
			'test result: ok. 8 passed; 0 failed; 0 ignored',
		],
		[
			'a script that tests itself and reports a failure',
			'python3 src/selftest.py 2>&1 | tail -40',
			'ok rows are sorted\nnot ok export\nok report',
			'not ok export',
		],
		[
			'pytest, which frames its totals',
			'pytest -v | tail -3',
			'a.py::test_rows PASSED [100%]\n\n====== 54 passed, 12 deselected in 4.13s ======',
			'54 passed, 12 deselected in 4.13s',
		],
		[
			'pytest after what it collected',
			'pytest -v',
			'===== test session starts =====\ncollecting ... collected 3 items / 1 deselected / 2 selected\n\na.py::b PASSED\n\n==== 1 failed, 1 passed in 0.1s ====',
			'1 failed, 1 passed in 0.1s',
		],
		[
			'a build of an image',
			'docker build -t ferry:test . | tail -100',
			'#18 exporting layers 0.7s done\n#18 naming to docker.io/library/ferry:test done\n#18 DONE 1.1s',
			'naming to docker.io/library/ferry:test done',
		],
		[
			'a script that tests itself',
			'python3 src/selftest.py 2>&1 | tail -40',
			'ok   rows are sorted\nok   the plan wrote report.md\n24 checks passed',
			'24 checks passed',
		],
		[
			'a script that lists commits',
			'make demo; git log --oneline -2',
			'the plan has 209 piers\n50cb619 Plan the piers\n1ab2c3d (HEAD -> main) Start',
			'the plan has 209 piers',
		],
	])('is that of %s', (_, command, output, line) => {
		expect(checksIn(ran([command, output]))).toMatch(
			new RegExp(`: (?:unclear: )?${line.replace(/[.]/g, '\\.')} \\(#3\\)`),
		);
	});

	it.each([
		[
			'compiler of Claude Code',
			call('Bash', { command: 'docker compose -p quay build ferry 2>&1 | grep -i error | head -20' }),
			[
				"#9 4.108 src/tide.ts(7,3): error TS2551: Property 'hight' does not exist.",
				'#9 ERROR: process "/bin/sh -c npm run build" did not complete successfully: exit code: 2',
				"4.108 src/tide.ts(7,3): error TS2551: Property 'hight' does not exist.",
			],
			": src/tide.ts(7,3): error TS2551: Property 'hight' does not exist. | ERROR: process",
		],
		[
			'command of Codex after a step that passed',
			call('exec_command', { cmd: 'docker build . 2>&1 | tail -60' }),
			[
				'#7 2.511 Tests  12 passed (12)',
				'#7 DONE 2.6s',
				'#9 0.402 Error: no such harbour: quay',
				'#9 ERROR: process "/bin/sh -c make quay" did not complete successfully: exit code: 1',
				'ERROR: failed to solve: process "/bin/sh -c make quay" did not complete successfully: exit code: 1',
			],
			': Error: no such harbour: quay | ERROR: process "/bin/sh -c make quay" did not complete',
		],
	])('is the error of a build of an image that failed: %s', (_, made, lines, shown) => {
		const text = checksIn(sessionOfCalls([made, lines.join('\n')]));
		expect(text).toContain(shown);
	});

	it('counts offenses of rubocop as failures unless they were corrected', () => {
		const failed = ran(
			['bin/rubocop | tail -1', '24 files inspected, 3 offenses detected'],
			['bin/rubocop', '24 files inspected, no offenses detected'],
		);
		expect(writeSummary(failed)).toContain('(passed later, #5)');
		const corrected = ran(
			['bin/rubocop -A | tail -1', '24 files inspected, 3 offenses detected, 3 offenses corrected'],
			['bin/rubocop -A', '24 files inspected, no offenses detected'],
		);
		expect(writeSummary(corrected)).not.toContain('passed later');
	});
});
