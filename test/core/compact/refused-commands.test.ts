import { describe, expect, it } from 'vitest';
import { call, done, user } from './facts-sources.ts';
import { ran, sectionIn, sessionOfCalls, summaryOf } from './summaries.ts';

/** Returns a summary after commands, each with its output, of a shell that reports no exit code. */
const summaryAfter = (...runs: [command: string, output: string][]): string => summaryOf(ran(...runs), 3000);

describe('commands that only complain, without an exit code', () => {
	it.each([
		['rm src/tide.ts', "rm: cannot remove 'src/tide.ts': Permission denied"],
		['mv tide.html src/tide.html', 'mv: rename tide.html to src/tide.html: No such file or directory'],
		['cp tide.env pier.env', "cp: cannot stat 'tide.env': No such file or directory"],
		['echo 1 > /etc/tide.conf', 'bash: line 1: /etc/tide.conf: Permission denied'],
		['cd quay && npm test', 'bash: cd: quay: No such file or directory'],
		["sed -i 's/tide/pier/' src/tide.ts", "sed: can't read src/tide.ts: No such file or directory"],
		['git commit -am tide', 'fatal: not a git repository (or any of the parent directories): .git'],
	])('have failed and changed nothing: %s', (command, output) => {
		const text = summaryAfter([command, output]);
		expect(text).toContain(`→ failed: ${output}`);
		expect(text).not.toMatch(/^- (?:changed|removed)\b/m);
		expect(text).not.toMatch(/State: changed/);
	});

	it('have failed if git explains the error in more lines', () => {
		const error =
			"fatal: ambiguous argument 'src/tide.ts': unknown revision or path not in the working tree.";
		const hint =
			"Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'";
		const text = summaryAfter(['git diff --stat src/tide.ts 2>&1 | head -20', `${error}\n${hint}`]);
		expect(text).toContain(`→ failed: ${error}`);
	});

	it('have failed if a Python program printed nothing but an exception', () => {
		const command = 'python3 -c "\nimport tide\ntide.rows()\n" 2>&1 | grep -v ^/';
		const frames = 'Traceback (most recent call last):\n  File "<string>", line 3, in <module>';
		const error = "ValueError: invalid literal for int() with base 10: 'quay'";
		expect(summaryAfter([command, `${frames}\n${error}`])).toContain(`→ failed: ${error}`);
		expect(summaryAfter([command, `${frames}\n${error}\nThe other 14 rows were read.`])).not.toContain(
			'→ failed',
		);
	});

	it.each([
		['rm tide.ts; touch pier.ts', "rm: cannot remove 'tide.ts': No such file or directory"],
		['rm tide.ts || true', "rm: cannot remove 'tide.ts': No such file or directory"],
		['npm run tide', "rm: cannot remove 'old': No such file or directory\nThe tide is built."],
	])('are not known to have failed if other commands may have worked: %s', (command, output) => {
		expect(summaryAfter([command, output])).not.toContain('→ failed');
	});
});

describe('commands that were ended before they were done', () => {
	it.each([
		[
			'Gemini CLI',
			'Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output. Below is the output before it was cancelled:\n> vitest',
		],
		['Copilot', '> vitest\n^C'],
		[
			'OpenCode',
			'> vitest\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout 120000 ms\n</bash_metadata>',
		],
	])('settle no failure in %s', (_, output) => {
		const text = summaryOf(ran(['npm test', 'Exit code 1\nTests: 1 failed', true], ['npm test', output]));
		expect(text).not.toContain('passed later');
		expect(text).toMatch(/npm test → (?:failed: |stopped)/);
	});
});

describe('errors of programs', () => {
	it.each([
		[
			'PowerShell for an unknown program',
			".\\venv\\python.exe : The term '.\\venv\\python.exe' is not recognized as the name of a cmdlet, \nfunction or operable program. Check the spelling.\nAt line:2 char:1\n+ .\\venv\\python.exe -m pytest\n+ ~~~~~\n    + CategoryInfo : ObjectNotFound\n    + FullyQualifiedErrorId : CommandNotFoundException",
			"exit 1: .\\venv\\python.exe : The term '.\\venv\\python.exe' is not recognized",
		],
		[
			'Vitest without a test',
			'⎯⎯⎯⎯⎯⎯ Unhandled Error ⎯⎯⎯⎯⎯⎯⎯\nError: [vitest-pool]: Failed to start threads worker for quay.spec.ts',
			'exit 1: Error: [vitest-pool]: Failed to start threads worker',
		],
	])('are named by the line that says what is wrong: %s', (_, output, shown) => {
		const text = summaryOf(ran(['python -m pytest', `Exit code: 1\nOutput:\n${output}`, true]), 3000);
		expect(text).toContain(shown);
	});

	it('a patch that the system could not run did not change its file', () => {
		const input =
			'*** Begin Patch\n*** Add File: docs/tide.md\n+The tide turns at noon, and the ferry waits.\n*** End Patch';
		const text = summaryOf([
			user(1, 'Write the page.'),
			...done(2, [
				call('apply_patch', { input }),
				'execution error: Io(Custom { kind: Other, error: "206" })',
				true,
			]),
		]);
		expect(text).toContain('→ failed: execution error');
		expect(text).not.toMatch(/State: changed|The tide turns/);
	});

	it.each([
		['npm run build && cp dist/tide.js public/tide.js', 'src/tide.ts(4,2): error TS2304: no name x', false],
		['mkdir out && cp dist/tide.js public/tide.js', 'mkdir: cannot create directory: File exists', false],
		["sed -i 's/a/b/' public/tide.js && npm test", '3 failed', true],
	])(
		'of a failed chain, only the commands before the failure have worked: %s',
		(command, output, isChanged) => {
			const text = summaryOf(ran([command, `Exit code 1\n${output}`, true]), 3000);
			expect(/State: changed.*tide\.js/.test(text)).toBe(isChanged);
		},
	);

	it('a file that was moved back is not listed as removed', () => {
		const text = summaryAfter(['mv src/tide.ts src/pier.ts', ''], ['mv src/pier.ts src/tide.ts', '']);
		expect(text).toMatch(/- removed: src\/pier\.ts \(moved to src\/tide\.ts\)$/m);
	});

	it.each([
		['ls -la data', '-rw-r--r-- 1 me me 950 Nov 1 12:00 tides.json', false],
		['ls data/tides.json', 'ls: data/tides.json: No such file or directory', true],
		['grep -rn tides.json src', 'src/read.ts:4: read("data/tides.json")', true],
	])(
		'a removed file is listed as removed unless a listing shows it again: %s',
		(command, output, isRemoved) => {
			const text = summaryAfter(['rm data/tides.json', ''], ['./fetch-tides', 'fetched'], [command, output]);
			expect(/^- removed: data\/tides\.json/m.test(text)).toBe(isRemoved);
		},
	);

	it.each([
		["open('src/tide.ts', 'w').write(text)", false],
		["open('src/tide.ts', 'w').write(text)\nopen('src/pier.ts', 'w').write(text)", true],
	])('a program in a here-document that failed has not written its only file: %s', (writes, isChanged) => {
		const command = `python3 - <<'EOF'\nassert old in text\n${writes}\nEOF`;
		const text = summaryOf(ran([command, 'Exit code 1\nneedle not found', true]), 3000);
		expect(/State: changed/.test(text)).toBe(isChanged);
	});

	it('a removed folder that a build creates again is not listed as removed', () => {
		const text = summaryAfter(['rm -rf dist && npm run build', ''], ['rm -rf src/old', '']);
		expect(text).toContain('- removed: src/old');
		expect(text).not.toMatch(/removed:.*dist/);
	});
});

describe('checks whose end is not shown', () => {
	const checksAfter = (command: string, output: string): string =>
		sectionIn(summaryOf(ran([command, output], ['git status', 'clean']), 950), 'checks');

	it.each([
		['npm run build > build.log 2>&1; echo done', 'done', 'npm run build: printed no outcome'],
		['npm run build 2>&1 | tail -6', '> Build failed because of webpack errors', '> Build failed because'],
		['node --test 2>&1 | tail -2', '# pass 4\n# fail 1', '# fail 1'],
		[
			'make test 2>&1 | grep -A3 Assert',
			'AssertionError: row 17 is missing\n\nRan 1 test in 0.006s',
			'Assert: AssertionError: row 17 is missing | Ran 1 test',
		],
	])('do not count as passed: %s', (command, output, shown) => {
		const checks = checksAfter(command, output);
		expect(checks).toContain(shown);
		expect(checks).not.toMatch(/passed|unclear/);
	});

	it('a failure of a command that shows an error behind a pipe again is not settled', () => {
		const text = summaryOf(
			ran(
				['helm upgrade quay ./quay', 'Error: UPGRADE FAILED: no such chart', true],
				[
					'helm upgrade quay ./quay 2>&1 | tail -3',
					'Error: UPGRADE FAILED: another operation is in progress',
				],
			),
		);
		expect(text).not.toContain('passed later');
	});

	it('the failed check of a pull request is named, and not one that passed', () => {
		const output =
			'lint\tpass\t10s\thttps://ci.example/1\nbuild\tfail\t52s\thttps://ci.example/2\nunit\tpass\t31s';
		const text = summaryOf(ran(['gh pr checks 42', `Exit code 1\n${output}`, true]), 3000);
		expect(text).toMatch(/gh pr checks 42 → exit 1: build\s+fail/);
	});

	it('a count of no failures is no failure', () => {
		const text = summaryOf(ran(['npm test 2>&1 | grep -c FAIL', 'Exit code 1\n0', true]), 3000);
		expect(text).not.toMatch(/failed: 0|exit 1/);
	});

	it('the text of an echo after other commands is not the outcome of a command', () => {
		const text = summaryOf(
			ran(['./start-quay --port 17; echo done', 'Port 17 is not available\ndone']),
			3000,
		);
		expect(text).toMatch(/echo done → Port 17 is not available$/m);
	});

	it('a failure with other values of variables is not settled', () => {
		const settledBy = (command: string): boolean =>
			summaryOf(
				ran(['DB=postgres npm test', 'Exit code 1\n3 failed', true], [command, '12 passed']),
			).includes('passed later');
		expect(settledBy('DB=sqlite npm test')).toBe(false);
		expect(settledBy('DB=postgres npm test')).toBe(true);
		expect(settledBy('CI=1 DB=postgres npm test')).toBe(true);
		expect(settledBy('npm test')).toBe(false);
	});

	it.each<[name: string, first: string, second: string, isSettled: boolean]>([
		[
			'another script',
			"p='locales/fr.json'; add the French words",
			"p='package.json'; set the version",
			false,
		],
		[
			'the same script for another order',
			'update the order 5521 with the new berth',
			'update the order 5533 with the new berth',
			false,
		],
		[
			'the same script',
			'read the rows and sum the berths by pier',
			'read the rows and sum the berths by pier',
			true,
		],
	])(
		'a failed script in a here-document is settled only by its repetition: %s',
		(_, first, second, isSettled) => {
			const run = (body: string) => `python3 - <<'EOF'\n${body}\nEOF`;
			const text = summaryOf(ran([run(first), 'Exit code 1\nKeyError: fr', true], [run(second), 'ok']));
			expect(text.includes('passed later')).toBe(isSettled);
		},
	);

	it.each([
		['python3 manage.py makemigrations', 'Migrations for quay: 0002_tide.py'],
		['npx ng generate component tide', 'CREATE src/app/tide.ts'],
	])('a check is older than the files that a generator wrote: %s', (command, output) => {
		const text = summaryOf(ran(['npm test', 'Tests: 4 passed'], [command, output]), 3000);
		expect(text).toMatch(/last check: npm test: Tests: 4 passed \(#3\), before later changes/);
		expect(text).not.toContain('no file change seen');
	});

	it('a check is older than an edit by a tool that is not known', () => {
		const text = summaryOf(
			sessionOfCalls(
				[call('Bash', { command: 'npm test' }), 'Tests: 4 passed'],
				[call('mcp__serena__replace_symbol_body', { name: 'tide' }), 'ok'],
			),
			3000,
		);
		expect(text).toContain('before later changes');
	});
});
