import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

/**
 * Ends a run with a list of the skipped tests and what they need. A skipped test that declares no need fails the run. If
 * tests were selected by name, all others are skipped, and nothing is listed.
 */
export class SkipReporter implements Reporter {
	#vitest: Vitest | undefined;

	onInit(vitest: Vitest): void {
		this.#vitest = vitest;
	}

	onTestRunEnd(modules: readonly TestModule[]): void {
		if (this.#vitest?.config.testNamePattern) return;
		const skipped = modules.flatMap(skippedIn);
		if (skipped.length === 0) return;
		const groups = new Map<string, (TestCase | TestSuite)[]>();
		for (const one of skipped) {
			const why = reasonOf(one);
			groups.set(why, [...(groups.get(why) ?? []), one]);
		}
		const lines = [...groups].map(([why, all]) => `  ${all.length} ${why}: ${filesOf(all)}`);
		this.#vitest?.logger.log(`Skipped: ${skipped.length}\n${lines.join('\n')}\n`);
		if (groups.has(noReason)) process.exitCode = 1;
	}
}

const noReason = 'without a reason (say it by needs(…) of test/support/needs.ts)';

/** Returns the skipped tests of a file, and its skipped groups. */
function skippedIn(module: TestModule): (TestCase | TestSuite)[] {
	const suites = [...module.children.allSuites()];
	const empty = suites.filter((suite) => suite.children.size === 0 && suite.options.mode === 'skip');
	return [...module.children.allTests('skipped'), ...empty];
}

function reasonOf(one: TestCase | TestSuite): string {
	const { needs } = one.meta();
	if (needs !== undefined) return `for want of ${needs}`;
	const result = one.type === 'test' ? one.result() : undefined;
	return (result?.state === 'skipped' && result.note) || noReason;
}

function filesOf(all: readonly (TestCase | TestSuite)[]): string {
	return [...new Set(all.map(({ module }) => module.relativeModuleId))].join(', ');
}
