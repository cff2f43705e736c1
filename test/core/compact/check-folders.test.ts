import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { ran, sectionIn, summaryOf as writeSummary } from './summaries.ts';

/** Returns a summary that is too small for a head. A head would show some of the checks instead of the list. */
const summaryOf = (sources: readonly Source[]): string => writeSummary(sources, 950);

describe('folders and endings of checks in a summary', () => {
	it('a check in another folder is a different check and settles no failure', () => {
		const runs = ran(
			['cd packages/rows && npm test', 'Exit code 1\nTests: 3 failed', true],
			['cd /w/packages/cells && npm test', 'Tests: 12 passed'],
		);
		expect(sectionIn(summaryOf(runs), 'checks')).toBe(
			'- npm test in rows: exit 1: Tests: 3 failed (#3)\n- npm test in cells: Tests: 12 passed (#5)',
		);
		expect(summaryOf(runs)).not.toContain('passed later');
	});

	it('a folder and the end of its path are the same folder', () => {
		const runs = ran(
			['cd packages/rows && npm test', 'Exit code 1\nTests: 3 failed', true],
			['cd /w/packages/rows && npm test', 'Tests: 12 passed'],
		);
		expect(sectionIn(summaryOf(runs), 'checks')).toMatch(
			/^- npm test in rows: Tests: 12 passed \(#5\); before/,
		);
	});

	it.each([
		['cd /d C:\\shop\\rows && npm test', 'npm test in rows'],
		['(cd rows && npm test)', 'in rows'],
		['cd "rows/" && npm test', 'npm test in rows'],
		['cd "tide rows" && npm test', 'npm test in tide rows'],
		['cd tide\\ rows && npm test', 'npm test in tide rows'],
		['sudo -u ferry bash -c "cd rows && npm test"', '- bash -c "cd rows && npm test": '],
		['sudo -H npm test', '- npm test: '],
		['cd .. && npm test', 'npm test: '],
		['cd $HOME/rows && npm test', 'npm test in rows'],
		['cd $ROWS && npm test', 'npm test: '],
		['cd rows && npm test && cd ../cells && npm test', 'npm test: '],
	])('the folder of %j is named if it is known', (command, name) => {
		expect(sectionIn(summaryOf(ran([command, 'Tests: 12 passed'])), 'checks')).toContain(name);
	});

	it.each([
		[
			'NODE_OPTIONS=--experimental-vm-modules npx jest rows',
			'- NODE_OPTIONS=--experimental-vm-modules npx jest rows: ',
		],
		['cd /w/rows && CI=1 TZ=UTC npm test 2>&1 | tail -5', '- CI=1 TZ=UTC npm test in rows: '],
		['bash -lc "CI=1 npm test"', '- CI=1 npm test: '],
		['timeout 60 env CI=1 npm test', '- CI=1 npm test: '],
		['MODE=$MODE npm test', '- npm test: '],
		[`MODE=${'x'.repeat(90)} npm test`, '- npm test: '],
		['API_TOKEN=abc123 npm test', '- npm test: '],
		['FOO=1; npm test', '- npm test: '],
		['# CI=1 npm test\nnpm test', '- npm test: '],
		['DB=postgres://me:abc123@db/rows npm test', '- npm test: '],
		['NAME="two words" CI=1 npm test', '- CI=1 npm test: '],
		['FILES=$(ls rows) npm test', '- npm test: '],
		['npm test -- --mode=CI', '- npm test -- --mode=CI: '],
	])('a check shows the short variables that its command sets: %s', (command, line) => {
		expect(sectionIn(summaryOf(ran([command, 'Tests: 12 passed'])), 'checks')).toContain(line);
		const made = call('exec_command', { cmd: command, workdir: '/w/rows' });
		const sources = [
			user(1, 'Make it pass.'),
			assistant(2, '', made),
			result(3, made, 'Process exited with code 0\nOutput:\nTests: 12 passed'),
		];
		expect(sectionIn(summaryOf(sources), 'checks')).toContain(line.replace(/(?: in rows)?: $/, ''));
	});

	it('an earlier run with other variables is shown with them', () => {
		const earlier = ['CI=1 npm test', 'Tests: 3 failed', true] as const;
		const text = summaryOf(ran([...earlier], ['npm test', 'Tests: 12 passed']));
		expect(sectionIn(text, 'checks')).toContain('before: CI=1 failed: Tests: 3 failed (#3)');
		const other = summaryOf(
			ran(['npm test', 'Tests: 3 failed', true], ['CI=1 npm test', 'Tests: 12 passed']),
		);
		expect(sectionIn(other, 'checks')).toContain('before: without variables, failed: Tests: 3 failed (#3)');
	});

	it('a check of Codex in another folder settles no failure', () => {
		const [failing, passing] = ['/w/rows', '/w/cells'].map((workdir) =>
			call('exec_command', { cmd: 'npm test', workdir }),
		);
		if (!failing || !passing) throw new Error('no calls');
		const sources = [
			user(1, 'Make it pass.'),
			assistant(2, '', failing),
			result(3, failing, 'Process exited with code 1\nOutput:\nTests: 3 failed'),
			assistant(4, '', passing),
			result(5, passing, 'Process exited with code 0\nOutput:\nTests: 12 passed'),
		];
		expect(summaryOf(sources)).not.toContain('passed later');
		expect(sectionIn(summaryOf(sources), 'checks')).toContain('npm test in rows: exit 1: Tests: 3 failed');
	});

	it.each([
		'K=/tmp/kept\ncp $K/rows.ts src/\nnpm test 2>&1 | tail -3',
		'mkdir -p out; export CI=1; npm test && echo done',
		'rm -rf "a; b" && npm test; git status --short',
		'cd rows\nnpm \\\n  test',
	])('the name of a check has no commands that only prepare it or report on it: %j', (command) => {
		const name = command.startsWith('cd rows') ? 'npm test in rows' : 'npm test';
		expect(sectionIn(summaryOf(ran([command, 'Tests: 12 passed'])), 'checks')).toBe(
			`- ${name}: Tests: 12 passed (#3)`,
		);
	});

	it.each([
		['git stash && npm test; git stash pop', '- git stash && npm test; git stash pop: '],
		['npm test && git commit -qm x', '- npm test && git commit -qm x: '],
	])('the name of a check has the commands that work on it: %j', (command, name) => {
		expect(sectionIn(summaryOf(ran([command, 'Tests: 12 passed'])), 'checks')).toContain(name);
	});

	it('a long script is named from its check on', () => {
		const script = `pip install ${'tidal-rows '.repeat(12)}; node prepare.js && npm run check:rows`;
		expect(sectionIn(summaryOf(ran([script, 'Tests: 12 passed'])), 'checks')).toBe(
			'- … npm run check:rows: Tests: 12 passed (#3)',
		);
	});

	it('long commands that differ at their ends are different checks', () => {
		const files = Array.from({ length: 9 }, (_, index) => `src/folder/part${index}.test.ts`).join(' ');
		const text = summaryOf(
			ran(
				[`npx jest ${files} src/a.test.ts`, 'Exit code 1\nTests: 3 failed', true],
				[`npx jest ${files} src/b.test.ts`, 'Tests: 3 passed'],
			),
		);
		expect(sectionIn(text, 'checks').split('\n')).toHaveLength(2);
		expect(text).not.toContain('passed later');
	});

	it.each([
		['exit 1', 'Exit code 1', true],
		['failed', '', true],
		['printed no outcome', '', false],
	])('a run without a message is shown as: %s', (ending, output, failed) => {
		const command = failed ? 'npm test' : 'npm test | tail -1';
		const text = summaryOf(ran([command, 'Tests: 12 passed'], [command, output, failed]));
		expect(sectionIn(text, 'checks')).toContain(`npm test: ${ending} (#5)`);
	});

	it.each(['✓ returns exit code 2', 'ok 3 - exit code 1', '(pass) ends with exit code 3'])(
		'the test %s is no exit code',
		(line) => {
			const text = summaryOf(ran(['npm test', `${line}\nTests: 12 passed`]));
			expect(sectionIn(text, 'checks')).toMatch(/^- npm test: (?!exit|failed).*Tests: 12 passed \(#3\)$/);
		},
	);

	it('a script that prints the exit code 0 settles a failure', () => {
		const command = 'npm test; echo $?';
		const text = summaryOf(ran([command, 'error: the sum is wrong\n1'], [command, 'Tests: 12 passed\n0']));
		expect(text).toContain('passed later');
	});

	it('the exit code that a script prints is the outcome', () => {
		const text = summaryOf(ran(['npx tsc --noEmit; echo "exit: $?"', 'exit: 2']));
		expect(sectionIn(text, 'checks')).toContain(': exit 2');
	});

	it.each([
		[
			'python -m unittest | tail -3',
			'Ran 12 tests in 0.01s\n\nFAILED (failures=1)',
			'Ran 12 tests in 0.01s | FAILED (f',
		],
		['npx vitest run --reporter=verbose', '', 'printed no outcome'],
		['npx vitest run --silent > tests.log', '', 'passed, without a word'],
		['npx eslint src', '', 'passed, without a word'],
		['go build ./...', '(Bash completed with no output)', 'passed, without a word'],
		[
			'pytest -v | grep -E "(PASSED|FAILED|===)"',
			'src/test_tide.py::test_error PASSED              [100%]\n==== 1 passed, 2 warnings in 0.9s ====',
			'1 passed, 2 warnings',
		],
		['npx jest | head -2', 'PASS src/a.test.ts\nPASS src/b.test.ts', 'unclear: PASS src/a.test.ts'],
		['npm run ci | head -3', '✓ Made the folder\n✓ Made the file\nStarting tests', 'Starting tests'],
		['npm run ci | tail -3', '> shop@1.0.0 ci\n> tsc --noEmit && node ok.js\n', 'passed, without a word'],
		['npx eslint src; ls docs', 'No problems\npier.md', 'passed'],
		['go test ./... | head -9', 'ok  \texample.com/a\t0.1s', 'ok  \texample.com/a'],
	])('the outcome of %s names what its output proves', (command, output, outcome) => {
		const action = command.replace(/ [|>].*|;.*/, '');
		const checks = sectionIn(summaryOf(ran([command, output])), 'checks');
		expect(checks).toContain(`- ${action}: ${outcome}`);
		expect(checks).not.toContain('pier.md');
	});

	it('a check that the agent did not run is not listed', () => {
		const text = summaryOf(ran(['npm test', 'Sibling tool call errored', true]));
		expect(sectionIn(text, 'checks')).toBe('');
	});
});
