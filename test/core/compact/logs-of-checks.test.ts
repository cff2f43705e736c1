import { describe, expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { candidatesOfResult, shellFormats } from './result-candidates.ts';
import { ran, summaryOf } from './summaries.ts';

/** Returns lines of a log that read like prose and have a code each. */
const logOf = (code: string): string =>
	Array.from(
		{ length: 60 },
		(_, index) => `Created the booking of harbour ${index} and stored its price as ${code}-${1000 + index}`,
	).join('\n');

describe.each(shellFormats)('the log of a check in the format of %s', (_, name, key) => {
	it('sentences in a log are not a report', () => {
		const kindsAfter = (command: string): string[] =>
			candidatesOfResult(call(name, { [key]: command }), logOf('FERRY')).map(({ kind }) => kind);
		expect(kindsAfter('gh issue view 7')).toContain('statement');
		expect(kindsAfter('go test ./...')).not.toContain('statement');
		expect(kindsAfter('go test ./...')).toContain('resultLine');
	});

	it('other lines are quoted rather than the log of a failed check that passed later', () => {
		const check = call(name, { [key]: 'go test ./...' });
		const again = call(name, { [key]: 'go test ./...' });
		const other = call(name, { [key]: './harbours --all' });
		const text = summaryOf(
			[
				user(1, 'Make it pass.'),
				assistant(2, '', check),
				result(3, check, `Exit code 1\n${logOf('FERRY')}\nharbour_test.go:12: the pier is missing`, true),
				assistant(4, '', other),
				result(5, other, logOf('BERTH')),
				assistant(6, '', again),
				result(7, again, 'ok  \texample.com/harbour\t0.1s'),
			],
			900,
		);
		const linesWith = (code: string): number => text.split('\n').filter((line) => line.includes(code)).length;
		expect(text).toContain('(passed later');
		expect(linesWith('BERTH-')).toBeGreaterThan(2 * linesWith('FERRY-'));
	});
});

describe('the log of a task runner', () => {
	it('a failure behind the name of a task is shown, not a line that another task printed', () => {
		const output =
			'[lint:mod] Finished in 99.5ms\n[lint:go] ERROR task failed\n[lint:go] rows/rows.go:12:9: `total` is unused';
		const text = summaryOf(ran(['mise run lint', `Exit code 1\n${output}`, true]));
		expect(text).toContain('mise run lint: exit 1: [lint:go] rows/rows.go:12:9: `total` is unused');
	});
});
