import { describe, expect, it } from 'vitest';
import { assistant, call, user } from './facts-sources.ts';
import { ran, sessionOfCalls, summaryOf } from './summaries.ts';

type Run = Parameters<typeof ran>[0];

/** Returns the line about the state after a written file and these commands, and after what the user says then. */
function stateAfter(runs: Run[], reply?: string): string {
	const edit = call('Write', { file_path: '/srv/src/pier.ts', content: 'berth();\n' });
	const written = sessionOfCalls([edit, 'File created']);
	const commands = ran(...runs).slice(1);
	const sources = [...written, ...commands.map((one) => ({ ...one, seq: one.seq + 2 }))];
	const replies = reply === undefined ? [] : [user(sources.length + 1, reply)];
	const text = summaryOf([...sources, ...replies, assistant(sources.length + 2, 'I go on.')]);
	return text.split('\n').find((line) => line.startsWith('State:')) ?? '';
}

const conflict =
	'CONFLICT (content): Merge conflict in src/pier.ts\nerror: could not apply 1b2c3d4... Berths';
const silentCommit: Run = ['git commit -qam berths && git log --oneline -1', '5d0c1fa Berths'];
const addresses = [136, 137].map((number) => `https://example.com/ferry/pier/pull/${number}`);
const [first, second] = addresses;
const both: Run = ['gh pr create --fill --draft && gh pr create --fill --base old', addresses.join('\n')];

describe('git commands that print little, or in scripts with other commands', () => {
	it('a rebase has ended if its script fails later', () => {
		const ended = 'Successfully rebased and updated refs/heads/pier.\n✖ 2 problems (2 errors, 0 warnings)';
		const rebase: Run = ['git rebase origin/main', conflict, true];
		expect(stateAfter([rebase])).toContain('stopped by conflicts');
		expect(
			stateAfter([rebase, ['git add -A && git rebase --continue && npm run lint', ended, true]]),
		).not.toContain('stopped by conflicts');
	});

	it('git log names the commit that was made silently', () => {
		expect(stateAfter([silentCommit])).toContain('commit 5d0c1fa (#5)');
		expect(stateAfter([['git log --oneline -1', '5d0c1fa Berths']])).not.toContain('commit 5d0c1fa');
	});

	it('a commit that was reverted by its hash is not the newest one', () => {
		expect(stateAfter([silentCommit, ['git revert --no-edit 5d0c1fa', '']])).not.toContain('commit 5d0c1fa');
	});

	it('a branch is named that combined options create', () => {
		expect(stateAfter([['git checkout -qb quay', '']])).toContain('on branch quay (#5)');
	});

	it.each([
		['nothing', undefined, `opened ${first} and ${second} (#5)`],
		['that one is merged', 'I merged #137 myself.', `opened ${first} (#5)`],
		['that another one is merged', 'I merged #13.', `opened ${first} and ${second} (#5)`],
	])('pull requests that one script opened are open if the user says %s', (_, reply, state) => {
		expect(stateAfter([both], reply)).toContain(state);
	});

	it('pull requests are not open after the user says that they are closed', () => {
		expect(stateAfter([both], 'Both 136 and 137 are closed.')).not.toContain('opened');
	});

	it('a rebase replaces the commits of earlier requests', () => {
		const rebase: Run = [
			'git rebase main && npm run lint',
			'Successfully rebased and updated refs/heads/pier.',
			true,
		];
		const sources = [...ran(silentCommit, rebase), assistant(6, 'I go on.')];
		expect(summaryOf(sources.slice(0, 3))).toContain('committed: 5d0c1fa');
		expect(summaryOf(sources)).not.toContain('committed:');
	});

	it('a document that a script writes before its check is not the check', () => {
		const script = "cat >> test/pier.py <<'PY'\ndef test_pier(): pass\nPY\nuv run pytest -q test/pier.py";
		expect(stateAfter([[script, '1 passed in 0.1s']])).toContain(
			'last check: uv run pytest -q test/pier.py: 1 passed',
		);
	});
});
