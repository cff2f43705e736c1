import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

/** Returns a summary of a session in which a check failed, a file was edited, and a check passed. */
function summaryAfter(failed: string, passed: string, edit: ToolCall): string {
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

const plainEdit = call('Edit', { file_path: 'quay.ts', old_string: 'return 3;', new_string: 'return 4;' });
const [old, skipped] = ["it('berths', () => {", "it.skip('berths', () => {"];

describe('a check that passed after tests were left out', () => {
	it.each<[agent: string, edit: ToolCall]>([
		['Claude Code', call('Edit', { file_path: 'quay.test.ts', old_string: old, new_string: skipped })],
		['OpenCode', call('edit', { filePath: 'quay.test.ts', oldString: old, newString: `x${old}` })],
		[
			'Codex',
			call('apply_patch', {
				input:
					'*** Begin Patch\n*** Update File: test_quay.py\n@@\n+@pytest.mark.skip(reason="slow")\n def test_quay():\n*** End Patch',
			}),
		],
		[
			'pi',
			call('edit', { path: 'quay_test.go', oldText: 'berth(t)', newText: 't.Skip("slow")\n\tberth(t)' }),
		],
		[
			'Gemini CLI',
			call('write_file', { file_path: 'quay.rs', content: '#[test]\n#[ignore]\nfn quay() {}\n' }),
		],
	])('does not settle the failure: %s', (_, edit) => {
		expect(summaryAfter('npm test', 'npm test', edit)).not.toContain('passed later');
	});

	it.each<[kind: string, edit: ToolCall]>([
		['an edit of the code', plainEdit],
		[
			'an edit below a test that was left out before',
			call('Edit', {
				file_path: 'quay.test.ts',
				old_string: `${skipped}\n\tsum(3);`,
				new_string: `${skipped}\n\tsum(4);`,
			}),
		],
		[
			'an edit that adds the test again',
			call('Edit', { file_path: 'q.ts', old_string: skipped, new_string: old }),
		],
	])('settles the failure after %s', (_, edit) => {
		expect(summaryAfter('npm test', 'npm test', edit)).toContain('passed later');
	});

	it.each([
		['npm test', 'SKIP_SLOW=1 npm test', false],
		['npx vitest run', 'VITEST_ONLY=quay npx vitest run', false],
		['npm test', 'CI=1 npm test', true],
		['DEBUG=1 npm test', 'npm test', true],
		['go test -race ./...', 'go test ./...', false],
		['go test ./...', 'go test -race ./...', true],
		['go test -race ./quay', 'go test -race ./...', true],
	])('%s, then %s', (failed, passed, isSettled) => {
		expect(summaryAfter(failed, passed, plainEdit).includes('passed later')).toBe(isSettled);
	});
});
