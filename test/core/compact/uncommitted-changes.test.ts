import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const long = (files: readonly string[], untracked: readonly string[]): string =>
	[
		'On branch tide',
		'Changes not staged for commit:',
		...files.map((path) => `        modified:   ${path}`),
		'',
		'Untracked files:',
		...untracked.map((path) => `        ${path}`),
		'',
		'no changes added to commit',
	].join('\n');

describe('the changed files in the state of the work', () => {
	/** Returns the state after changes of three files, a status of the repository, and more commands. */
	const stateAfter = (command: string, output: string, ...later: string[]): string => {
		const write = (path: string) => call('Write', { file_path: `/w/ferry/${path}`, content: 'berth();\n' });
		const calls = [
			...['src/pier.ts', 'src/tide.ts', 'notes/a.md'].map(write),
			call('Bash', { command }),
			...later.map(write),
		];
		const sources: Source[] = [user(1, 'Make the ferry berth at the second pier.')];
		for (const made of calls) {
			const seq = sources.length + 1;
			sources.push(assistant(seq, '', made));
			sources.push(result(seq + 1, made, made.name === 'Bash' ? output : 'The file was created.'));
		}
		return summaryOf(sources, 4000).match(/^State: .*/m)?.[0] ?? '';
	};

	it.each([
		['a short status', 'git status --short', ' M src/tide.ts\n?? notes/'],
		['a short status without its first space', 'git status -s', 'M src/tide.ts\n?? notes/'],
		['a short status with the branch', 'git status -sb', '## tide\n M src/tide.ts\n?? notes/'],
		['a status for programs', 'cd /w/ferry && git status --porcelain', ' M src/tide.ts\n?? notes/a.md'],
		['a long status', 'git status', long(['src/tide.ts'], ['notes/'])],
		['a status in a folder', 'cd src && git status', long(['tide.ts'], ['../notes/'])],
		['a status after other output', 'npm test; git status --short', '3 passed\n M src/tide.ts\n?? notes/'],
		[
			'a long status after a commit',
			'git log -1 && git status 2>&1',
			`commit 7c41e9b\n${long(['src/tide.ts'], ['notes/'])}`,
		],
	])('are those that git lists as uncommitted: %s', (_, command, output) => {
		expect(stateAfter(command, output)).toContain('changed, not committed: src/tide.ts, notes/a.md');
		expect(stateAfter(command, output)).not.toMatch(/pier|untracked/);
	});

	it('that git does not list, in a folder that is not known to be its own, may be committed', () => {
		const status = long(['settings.json'], []);
		expect(stateAfter('git status', status)).toContain(
			'changed, but not listed by git status (#9): src/pier.ts, src/tide.ts, notes/a.md',
		);
		const state = stateAfter('git status', status, 'src/quay.ts');
		expect(state).toContain(
			'changed, no commit seen: src/quay.ts; changed, but not listed by git status (#9): ',
		);
	});

	it.each([
		['a short status', String.raw` M src/tide.ts\n?? "notes/\303\274ber \"a\".md"`.replace('\\n', '\n')],
		['a long status', long(['src/tide.ts'], [String.raw`"notes/\303\274ber \"a\".md"`])],
	])('have the names that the user gave them if git quotes these: %s', (_, output) => {
		expect(stateAfter('git status', output)).toContain('untracked: notes/über "a".md');
	});

	it('an untracked folder has its last two parts', () => {
		expect(stateAfter('git status -s', ' M src/tide.ts\n?? .harbour/hooks/\n?? lib/quay/steps/')).toContain(
			'untracked: .harbour/hooks/, quay/steps/',
		);
	});

	it('have names that differ', () => {
		const state = stateAfter('git status', ' M a/src/lib/tide.ts\n M b/src/lib/tide.ts\n M src/lib/pier.ts');
		expect(state).toContain('also uncommitted: a/src/lib/tide.ts, b/src/lib/tide.ts, lib/pier.ts');
	});

	it('name files that no build makes before others', () => {
		const built = Array.from({ length: 12 }, (_, index) => ` M obj/pier${index}.cache\n`);
		const listing = ` M src/quay.ts\n${built.join('')}`;
		expect(stateAfter('git status --short', listing)).toMatch(/uncommitted: .*quay\.ts and \d+ more/);
	});

	it('include a file that changed after the status', () => {
		const state = stateAfter('git status --short', ' M src/tide.ts', 'src/pier.ts');
		expect(state).toContain('src/tide.ts, src/pier.ts');
		expect(state).not.toContain('notes');
	});

	it.each([
		['only names a part', 'git status --short src/tide.ts', ' M src/tide.ts'],
		['is shortened', 'git status --short | head -1', ' M src/tide.ts'],
		['hides new files', 'git status --short -uno', ' M src/tide.ts'],
		['is that of another repository', 'cd /w/harbour && git status --short', ' M src/quay.ts'],
	])('are all if the status %s', (_, command, output) => {
		expect(stateAfter(command, output)).toContain('src/pier.ts, src/tide.ts, notes/a.md');
	});
});
