/** Finds the names of the tests that failed in the output of a test runner. */

/** A test runner's lines about single tests; the first group of each pattern is the test's name. */
interface RunnerLines {
	failed: RegExp;
	/** A later line of this kind takes the failure back: the test was run again. */
	passed?: RegExp;
}

/**
 * Lines of Go, pytest with and without `-v`, Rust, Vitest, Jest, unittest and RSpec. All begin at the start of a line, except
 * those of Go's parts of a test, so that quoted and printed lines do not match.
 */
const runners: readonly RunnerLines[] = [
	{ failed: /^--- FAIL: (\S{1,200}) \(\d/, passed: /^--- PASS: (\S{1,200}) \(\d/ },
	{
		failed: /^ {4,16}--- FAIL: (\S{1,100}\/\S{1,200}) \(\d/,
		passed: /^ {4,16}--- PASS: (\S{1,100}\/\S{1,200}) \(\d/,
	},
	{ failed: /^FAILED ([^\s:]{1,200}::.{1,200}?)(?: - |$)/ },
	{
		failed: /^([^\s:]{1,200}::.{1,200}?) FAILED(?:\s+\[ {0,2}\d{1,3}%\])?$/,
		passed: /^([^\s:]{1,200}::.{1,200}?) PASSED(?:\s+\[ {0,2}\d{1,3}%\])?$/,
	},
	{ failed: /^test (\S{1,200}) \.\.\. FAILED$/, passed: /^test (\S{1,200}) \.\.\. ok$/ },
	{ failed: /^ FAIL {2}(\S{1,200} > \S.{0,200})$/ },
	{ failed: /^ {2}● (\S.{0,160} › \S.{0,160})$/ },
	{ failed: /^(?:FAIL|ERROR): (test\w{1,100} \([\w.]{1,200}\))$/ },
	{ failed: /^rspec (\.\/\S{1,200}:\d+) #/ },
];
/** Longer lines are data. UTF-16 units. */
const maxLineLength = 400;
/** The end of a package of Go or a crate of Rust. A test of the next one may have the same name. */
const packageEndPattern = /^(?:ok|FAIL) {0,2}\t\S|^test result: /;
/** Maximum number of names that are read. */
const maxNames = 500;

/**
 * Returns the names of the tests that failed, in order, each once, without tests that passed when they were run again. Of a Go
 * test with failed parts, returns only the parts. Reads at most 500 names. O(text).
 */
export function listFailedTests(output: string): string[] {
	const ended = new Set<string>();
	let names = new Set<string>();
	for (const text of output.split('\n')) {
		const line = text.trimEnd();
		if (line.length > maxLineLength) continue;
		if (packageEndPattern.test(line)) {
			for (const name of names) ended.add(name);
			names = new Set();
		}
		for (const { failed, passed } of runners) {
			const name = failed.exec(line)?.[1];
			if (name !== undefined && ended.size + names.size < maxNames) names.add(name);
			const passedName = passed?.exec(line)?.[1];
			if (passedName !== undefined) names.delete(passedName);
		}
	}
	const all = [...new Set([...ended, ...names])];
	const parents = new Set(all.filter((name) => name.startsWith('Test')).map(findParent));
	return all.filter((name) => !parents.has(name));
}

/** Returns the test that contains a part with this name: `TestA/b` for `TestA/b/c`. */
function findParent(name: string): string {
	return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}
