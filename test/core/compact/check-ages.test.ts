import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { ran, sectionIn, summaryOf as writeSummary } from './summaries.ts';

/** Returns a summary that is too small for a head. A head would show some of the checks instead of the list. */
const summaryOf = (sources: readonly Source[]): string => writeSummary(sources, 950);

describe('the age of checks in a summary', () => {
	it('every check before the last change of a file says so', () => {
		const edit = call('Edit', { file_path: 'src/sum.ts', old_string: 'a', new_string: 'b' });
		const build = call('Bash', { command: 'npm run build' });
		const before = ran(['npm test', 'Tests: 12 passed'], ['npm run lint', 'Found 2 warnings']);
		const sources = [
			...before,
			assistant(6, '', edit),
			result(7, edit, 'The file was updated.'),
			assistant(8, '', build),
			result(9, build, 'Done in 2 s'),
		];
		expect(sectionIn(summaryOf(sources), 'checks')).toBe(
			[
				'- npm test: Tests: 12 passed (#3), then changes',
				'- npm run lint: Found 2 warnings (#5), then changes',
				'- npm run build: Done in 2 s (#9)',
			].join('\n'),
		);
	});

	/** Returns a summary of a check and a later call. */
	const summaryWith = (made: ToolCall): string =>
		summaryOf([
			...ran(['npm test', 'Tests: 12 passed']),
			assistant(4, '', made),
			result(5, made, 'It is done.'),
		]);

	it.each<[string, unknown, boolean]>([
		['Task', { subagent_type: 'general-purpose', description: 'Rewrite the cache', prompt: 'Do it.' }, true],
		['spawn_agent', { message: 'Rewrite the cache.' }, true],
		['Task', { subagent_type: 'Explore', description: 'Find the callers', prompt: 'Look.' }, false],
	])('work of another agent may be later than a check: %s %j', (name, args, isLater) => {
		const text = summaryWith(call(name, args));
		expect(text.includes('Tests: 12 passed (#3), then work of other agents')).toBe(isLater);
	});

	it.each(['create_text_file', 'mcp__serena__create_text_file', 'execute_ipython_cell', 'run_code'])(
		'a call of %s may change files after a check',
		(name) => {
			const made = call(name, { code: "open('src/sum.ts', 'w').write('x')" });
			expect(summaryWith(made)).toContain('Tests: 12 passed (#3), then changes');
		},
	);

	it.each(['mcp__supabase__execute_sql', 'mcp__playwright__browser_run_code'])(
		'a call of %s changes no file',
		(name) => {
			const made = call(name, { code: 'select count(*) from berths' });
			expect(summaryWith(made)).not.toContain('then changes');
		},
	);

	const laterCalls: [string, string, unknown][] = [
		['Write of Claude Code', 'Write', { file_path: '/w/src/sum.ts', content: 'a' }],
		[
			'patch of Codex',
			'apply_patch',
			{ input: '*** Begin Patch\n*** Update File: src/sum.ts\n@@\n-a\n+b\n*** End Patch' },
		],
		['edit of pi', 'edit', { path: 'src/sum.ts', oldText: 'a', newText: 'b' }],
		['edit of OpenCode', 'edit', { filePath: '/w/src/sum.ts', oldString: 'a', newString: 'b' }],
		...[
			'git checkout -- src/sum.ts',
			'git pull --rebase',
			'git merge origin/main',
			'git cherry-pick 3fa21bc',
			'git apply fix.patch',
			'npm install left-pad',
			'cargo add serde',
			'npx jscodeshift -t rename.js src',
			'git checkout src/sum.ts',
			'git restore .',
			'git stash',
			'git reset --hard',
			'git revert HEAD',
			'rm src/sum.ts',
			'npx prettier --write src',
			'npx eslint --fix .',
			'npm run lint:fix',
			'cargo fmt',
			'gofmt -w rows.go',
			'ruff format src && ls',
			'mise run fmt',
			'python -m black src',
			'cd web && yarn format',
		].map((command): [string, string, unknown] => [command, 'bash', { command }]),
	];
	it.each(laterCalls)('a check before the %s is marked as such in every budget', (_, name, args) => {
		const [test, change] = [call('bash', { command: 'npm test' }), call(name, args)];
		const sources = [
			user(1, 'Make it pass.'),
			assistant(2, '', test, change),
			result(3, test, 'Tests: 12 passed'),
			result(4, change, 'done'),
			assistant(5, 'I am done.'),
		];
		expect(writeSummary(sources, 2000)).toMatch(
			/before later changes|, then runs of fixers|before later runs/,
		);
		for (const budgetTokens of [60, 80, 150, 300, 950]) {
			const checks = sectionIn(writeSummary(sources, budgetTokens), 'checks');
			if (checks.includes('npm test'))
				expect(checks).toMatch(/12 passed \(#3\), then (?:changes|runs of fixers)/);
		}
		expect(sectionIn(writeSummary(sources, 300), 'checks')).toContain('npm test');
	});

	it.each(['docs/guide.md', 'src/readme.ts', 'tests/fixtures/todo.md'])(
		'a check before an edit of %s is marked as old',
		(path) => {
			const edit = call('Write', { file_path: `/w/${path}`, content: 'a' });
			const sources = [
				...ran(['npm test', 'Tests: 12 passed']),
				assistant(4, '', edit),
				result(5, edit, 'done'),
			];
			expect(sectionIn(summaryOf(sources), 'checks')).toContain('then changes');
		},
	);

	it.each([
		'git commit -am "Round the sums"',
		'git reset HEAD~1',
		'git checkout -b next',
		'git stash list',
		'npx prettier --check src',
		'cargo fmt -- --check',
		'npm run format:check',
		'npm test -- --format json',
		'git log --format=%h',
		'grep -rn format src',
		'npm test > /tmp/out.txt',
		'pip install black isort',
		'black --version',
		'npx eslint --fix-dry-run .',
		'git commit --fixup HEAD',
		'make format-report',
		'npm run build > build.log 2>&1',
		'cat src/sum.ts',
	])('a check is not marked as old after %s', (command) => {
		const edit = call('Write', { file_path: '/w/src/sum.ts', content: 'a' });
		const [test, later] = [call('bash', { command: 'npm test' }), call('bash', { command })];
		const text = writeSummary([
			user(1, 'Make it pass.'),
			assistant(2, '', edit),
			result(3, edit, 'done'),
			assistant(4, '', test),
			result(5, test, 'Tests: 12 passed'),
			assistant(6, '', later),
			result(7, later, ''),
		]);
		expect(text).not.toMatch(/before later|\), then /);
	});
});
