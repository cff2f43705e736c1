import { describe, expect, it } from 'vitest';
import { ran, summaryOf } from './summaries.ts';

const total = (passed: number, ignored = 0): string =>
	`test result: ok. ${passed} passed; 0 failed; ${ignored} ignored; 0 measured; 0 filtered out; finished in 0.02s`;
const outputOf = (...totals: string[]): string =>
	totals
		.map((line, index) => `     Running tests/pier${index}.rs\n\nrunning 3 tests\n\n${line}\n`)
		.join('\n');

describe('the outcome of cargo test', () => {
	it('adds up the tests of all test programs', () => {
		const text = summaryOf(ran(['cargo test', outputOf(total(33), total(12), total(3), total(0, 1))]));
		expect(text).toContain('cargo test → test result: ok. 48 passed; 0 failed; 1 ignored in 4 test programs');
	});

	it('is the line of a single test program', () => {
		expect(summaryOf(ran(['cargo test --lib', outputOf(total(33))]))).toContain(total(33));
	});

	it.each([
		['cargo test 2>&1 | tail -12', outputOf(total(4), total(3))],
		['cargo test; cargo test --release', outputOf(total(7), total(3), total(7), total(3))],
		['for i in 1 2; do cargo test flaky; done', outputOf(total(1), total(1))],
		['cargo test', `${outputOf(total(6))}\n… [3120 lines truncated] …\n${outputOf(total(3))}`],
		['cargo test', `${outputOf(total(5), total(7))}\nerror: test failed, to rerun pass \`--test ferry\``],
	])('is not a sum of a part of the tests, or of several runs: %s (%#)', (command, output) => {
		expect(summaryOf(ran([command, output]))).not.toContain('test programs');
	});

	it('is not a sum if a test failed', () => {
		const failed = 'test result: FAILED. 11 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out';
		const text = summaryOf(ran(['cargo test', outputOf(total(33), failed), true]));
		expect(text).toContain('11 passed; 1 failed');
		expect(text).not.toContain('test programs');
	});
});
