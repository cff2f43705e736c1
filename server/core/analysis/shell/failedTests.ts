/** Finds the names of the tests that failed in the output of a test runner. */

import { getOrInsert } from '../../getOrInsert.ts';

/** A test runner's lines about single tests; the first group of each pattern is the test's name. */
interface RunnerLines {
	failed: RegExp;
	/** Matches the line of a passed test, which cancels an earlier failure of the test. */
	passed?: RegExp;
}

/**
 * Lines of Go, pytest with and without `-v`, Rust, Vitest, Jest, unittest and RSpec. All begin at the start of a line, so
 * that quoted and printed lines do not match; only Go indents the lines of subtests.
 */
const runnerLines: readonly RunnerLines[] = [
	{ failed: /^--- FAIL: (\S{1,200}) \(\d/, passed: /^--- PASS: (\S{1,200}) \(\d/ },
	{
		failed: /^ {4,16}--- FAIL: (\S{1,100}\/\S{1,200}) \(\d/,
		passed: /^ {4,16}--- PASS: (\S{1,100}\/\S{1,200}) \(\d/,
	},
	// Only the values in the brackets at a name's end may contain a dash between spaces.
	{ failed: /^(?:FAILED|ERROR) ([^\s:]{1,200}::[^[]{1,200}?(?:\[.{0,200}?\])?)(?: - |$)/ },
	{
		failed: /^ERROR ((?:[^\s:]{1,200}\/)?(?:test_[^\s:/]{1,100}|[^\s:/]{1,100}_test|conftest)\.py)(?: - |$)/,
	},
	{
		failed: /^([^\s:]{1,200}::.{1,200}?) FAILED(?:\s+\[ {0,2}\d{1,3}%\])?$/,
		passed: /^([^\s:]{1,200}::.{1,200}?) PASSED(?:\s+\[ {0,2}\d{1,3}%\])?$/,
	},
	{ failed: /^test (\S{1,200}) \.\.\. FAILED$/, passed: /^test (\S{1,200}) \.\.\. ok$/ },
	{ failed: /^ FAIL {2}(\S{1,200} > \S.{0,200})$/ },
	{ failed: /^ {2}● (\S.{0,160} › \S.{0,160})$/ },
	{
		failed:
			/^(?:FAIL|ERROR): ((?:test\w{1,100}|(?:setUp|tearDown)(?:Class|Module)|[\w.]{1,150}(?= \(unittest\.loader\.)) \([\w.]{1,200}\)(?: [[(].{1,150})?)$/,
	},
	{ failed: /^rspec (\.\/\S{1,200}:\d+) #/ },
];
/** Longer lines are data. UTF-16 units. */
const maxLineLength = 400;
/** The end of a Go package or a Rust crate. A test of the next one may have the same name. */
const packageEndPattern = /^(?:ok|FAIL) {0,2}\t\S|^test result: /;
/** A file's verdict by Jest or Vitest. If the file passed, it was run again, and its earlier failures no longer count. */
const fileVerdictPattern =
	/^(?:(FAIL|PASS) (?:.{0,100} )?(\S{1,200}\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?| ✓ (\S{1,200}) {1,2}\(\d+ tests?\b.*)$/;

/**
 * Returns the distinct names of the tests that failed, in order, without tests that passed when they were run again. Of a
 * Go test with failed subtests, returns only the subtests. O(text).
 */
export function listFailedTests(output: string): string[] {
	const namesOfEndedPackages = new Set<string>();
	// The failed tests by file; under an empty name if a runner's lines name no file.
	const names = new Map<string, Set<string>>();
	let jestFile = '';
	const findFile = (name: string): string =>
		/^(\S+) > /.exec(name)?.[1] ?? (name.includes(' › ') ? jestFile : '');
	for (const text of output.split('\n')) {
		const line = text.trimEnd();
		if (line === '' || line.length > maxLineLength) continue;
		if (packageEndPattern.test(line)) {
			for (const name of names.get('') ?? []) namesOfEndedPackages.add(name);
			names.delete('');
		}
		const [isVerdict, verdict = 'PASS', file = '', vitestFile = ''] = fileVerdictPattern.exec(line) ?? [];
		if (isVerdict !== undefined) {
			jestFile = file;
			if (verdict === 'PASS') names.delete(file || vitestFile);
		}
		for (const { failed, passed } of runnerLines) {
			const name = failed.exec(line)?.[1];
			if (name !== undefined) getOrInsert(names, findFile(name), () => new Set<string>()).add(name);
			const passedName = passed?.exec(line)?.[1];
			if (passedName !== undefined) names.get(findFile(passedName))?.delete(passedName);
		}
	}
	const all = [...new Set([namesOfEndedPackages, ...names.values()].flatMap((some) => [...some]))];
	const parents = new Set(all.filter((name) => name.startsWith('Test')).map(findParent));
	return all.filter((name) => !parents.has(name));
}

/** Returns the name of the test that contains a subtest: `TestA/b` for `TestA/b/c`. */
function findParent(name: string): string {
	return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}
