import { describe, expect, it } from 'vitest';
import { call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const edit = call('Edit', { file_path: 'quay.ts', old_string: 'return 3;', new_string: 'return 4;' });

/** Returns a summary of a session in which a check failed, a file was edited, and a check passed. */
function summaryAfter(failed: string, passed: string): string {
	const run = (command: string) => call('Bash', { command });
	return summaryOf([
		user(1, 'Make it pass.'),
		...done(
			2,
			[run(failed), 'Exit code 1\nFAIL quay.test.ts\n1 failed', true],
			[edit],
			[run(passed), '12 passed'],
		),
	]);
}

describe('a check that passed with other options or variables', () => {
	it.each([
		['npm test', 'SKIP_SLOW=1 npm test', false],
		['npx vitest run', 'VITEST_ONLY=quay npx vitest run', false],
		['npm test', 'CI=1 npm test', true],
		['DEBUG=1 npm test', 'npm test', true],
		['go test -race ./...', 'go test ./...', false],
		['go test ./...', 'go test -race ./...', true],
		['go test -race ./quay', 'go test -race ./...', true],
	])('%s, then %s', (failed, passed, isSettled) => {
		expect(summaryAfter(failed, passed).includes('passed later')).toBe(isSettled);
	});
});
