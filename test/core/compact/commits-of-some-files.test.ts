import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { costGrowth, maxLinearGrowth } from '../../support/processorClock.ts';
import { call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const written = '[tide 7c41e9b] Berth at the second pier';

/** Returns the state of the work after three files were written and these commands ran. */
function stateAfter(...commands: [command: string, output?: string][]): string {
	const paths = ['src/pier.ts', 'src/tide.ts', 'notes/plan.md'];
	const writes = paths.map((path) => call('Write', { file_path: `/w/ferry/${path}`, content: 'berth();\n' }));
	const sources: Source[] = [
		user(1, 'Berth at the second pier, but keep the plan out of the commit.'),
		...done(2, ...writes.map((made): [typeof made] => [made])),
		...done(
			8,
			...commands.map(([command, output]): Parameters<typeof done>[1] => [call('Bash', { command }), output]),
		),
	];
	return summaryOf(sources, 4000).match(/^State: .*/m)?.[0] ?? '';
}

describe('a commit of some of the changed files', () => {
	it.each([
		['git add src && git commit -m "Berth at the second pier"'],
		['git add src/pier.ts src/tide.ts; git commit -q -m "Berth: -a"'],
		['cd src && git add pier.ts ./tide.ts && git commit -m x'],
		['git add /w/ferry/src && git commit -m x'],
		['git add . && git restore --staged notes/plan.md && git commit -m x'],
		['git add -A && git reset -q HEAD -- notes/plan.md && git commit -m x'],
	])('the others are still named as changed: %s', (command) => {
		const state = stateAfter([command, written]);
		expect(state).toContain('changed since the last commit: notes/plan.md;');
		expect(state).toContain('commit 7c41e9b');
	});

	it.each([
		['git commit -am x'],
		['git commit --all -m x'],
		['git add -A && git commit -m x'],
		['git add . && git commit -m x'],
		['git add "$FILES" && git commit -m x'],
		['git add src/*.ts notes/* && git commit -m x'],
		['git add src && git add notes && git commit -m x'],
		['git add lib/other.ts && git commit -m x'],
		['git add src notes && git reset -q src && git add src && git commit -m x'],
	])('none is named if git may have taken all: %s', (command) => {
		expect(stateAfter([command, written])).not.toMatch(/changed since/);
	});

	it('a file that git staged before its last edit is named', () => {
		const [pier, plan] = ['/w/src/pier.ts', '/w/notes/plan.md'].map((path) =>
			call('Write', { file_path: path, content: 'a' }),
		);
		const again = call('Edit', { file_path: '/w/src/pier.ts', old_string: 'a', new_string: 'b' });
		const run = (command: string) => call('exec_command', { cmd: command });
		const sources = [
			user(1, 'Berth.'),
			...done(2, [pier!], [plan!], [run('git add src notes')], [again], [run('git commit -m x'), written]),
		];
		expect(summaryOf(sources, 4000)).toContain('changed since the last commit: src/pier.ts;');
	});

	it('a file that the next commit includes is not named', () => {
		const rest: [string, string] = ['git add notes && git commit -m "Plan"', '[tide 8d52fa0] Plan'];
		const state = stateAfter(['git add src && git commit -m x', written], rest);
		expect(state).toContain('commit 8d52fa0');
		expect(state).not.toContain('changed since');
	});

	it('a clean status ends the mention of a file, as git may ignore it', () => {
		const clean: [string, string] = ['git status', 'On branch tide\nnothing to commit, working tree clean'];
		const state = stateAfter(['git add src && git commit -m x', written], clean);
		expect(state).not.toContain('changed since');
	});

	it('the cost of staging files again and again grows linearly', () => {
		const linesOf = (index: number): string =>
			Array.from({ length: 10 }, (_, line) => `export const berth${index}_${line} = ${line};`).join('\n');
		const growth = costGrowth(500, (count) => {
			const calls = Array.from({ length: count }, (_, index) => [
				call('Write', { file_path: `/w/src/f${index % 50}.ts`, content: linesOf(index) }),
				call('Bash', { command: 'git add src' }),
			]).flat();
			summaryOf([user(1, 'Berth.'), ...done(2, ...calls.map((made): [typeof made] => [made]))], 2000);
		});
		expect(growth).toBeLessThan(maxLinearGrowth);
	});
});
