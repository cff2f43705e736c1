import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, done, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const write = (path: string) => call('Write', { file_path: path, content: 'one' });
const bash = (command: string) => call('Bash', { command });

/** Returns the lists of files in a summary after these calls. */
function filesAfter(...calls: [Source['calls'][number], output?: string][]): string {
	const sources = [
		user(1, 'Tidy it up.'),
		...calls.flatMap(([made, output = 'done'], index) => [
			assistant(2 + 2 * index, '', made),
			result(3 + 2 * index, made, output),
		]),
	];
	return sectionIn(summaryOf(sources, 4000), 'files');
}

describe('a removed folder', () => {
	it('is not listed if later edits are in it, although the command named only its end', () => {
		const lists = filesAfter(
			[write('/w/a.ts')],
			[bash('rm -rf web && mkdir -p web/src')],
			[write('/w/web/src/tide.ts')],
		);
		expect(lists).not.toContain('removed');
	});

	it('is not named as edited by the announcement to remove a file in it', () => {
		const remove = bash('rm -f /w/nul');
		const text = summaryOf([
			user(1, 'Tidy it up.'),
			assistant(2, 'First, let me remove the empty file `nul`:', remove),
			result(3, remove, ''),
			assistant(4, 'Gone.'),
		]);
		expect(text).not.toContain('edited nul');
	});

	it('that was moved is listed as moved', () => {
		const lists = filesAfter(
			[write('/w/charts/north.tex')],
			[write('/w/a.ts')],
			[bash('cd /w && mkdir paper && mv charts/ paper/')],
		);
		expect(lists).toMatch(/charts \(moved to \S*paper\)/);
	});

	it('that was moved has its changed files at the new place', () => {
		const made = call('Write', {
			file_path: '/w/Old Pier/tide.ts',
			content: 'export const level = readLevel(4);',
		});
		const move = bash('mv /w/Old\\ Pier /w/new-pier');
		const text = summaryOf(
			[
				user(1, 'Tidy it up.'),
				...done(2, [made, 'File created'], [write('/w/a.ts')], [move, '']),
				assistant(8, 'It is moved.'),
			],
			4000,
		);
		expect(text).toMatch(/^State: changed.*new-pier\/tide\.ts/m);
		expect(text).toContain('export const level = readLevel(4);');
	});

	it('is not everything that git removes in an empty branch', () => {
		const lists = filesAfter([write('/w/a.ts')], [bash('git checkout --orphan pages && git rm -rf .')]);
		expect(lists).not.toMatch(/removed[^\n]*\.$/m);
		expect(filesAfter([write('/w/a.ts')], [bash('rm /w/.git/index.lock')])).not.toContain('removed');
	});
});

describe('a path in the home folder of the user', () => {
	it('is the same with the name of the folder and with a tilde', () => {
		const lists = filesAfter(
			[write('/home/ida/.config/bar/tide.py')],
			[bash('mv ~/.config/bar/tide.py ~/.config/bar/levels.py')],
			[bash('sed -i s/one/two/ ~/.config/bar/levels.py')],
		);
		expect(lists).toMatch(/changed in \/home\/ida\/\.config\/bar\/: levels\.py$/m);
		expect(lists).toMatch(/removed there: tide\.py \(moved to levels\.py\)$/m);
		expect(lists).not.toContain('~');
	});

	it('is put aside by git with all others', () => {
		const text = summaryOf([
			user(1, 'Tidy it up.'),
			...done(2, [write('/home/ida/w/a.ts')], [bash('git add . && git commit -m a')]),
			...done(6, [bash('sed -i s/one/two/ ~/w/a.ts')], [bash('git stash')]),
			assistant(10, 'It is put aside.'),
		]);
		expect(text).toMatch(/^State:.*put aside by git stash \(#8\): \S*w\/a\.ts/m);
	});

	it('stays as it is if the session names several home folders', () => {
		const lists = filesAfter(
			[write('/home/ida/a.ts')],
			[write('/home/jo/b.ts')],
			[bash('sed -i s/one/two/ ~/a.ts')],
		);
		expect(lists).toContain('~/a.ts');
	});
});

it('plans and notes that Claude Code keeps elsewhere do not count as changed next to other files', () => {
	const lists = filesAfter([write('/home/ida/.claude/plans/tide.md')], [write('/w/a.ts')]);
	const text = summaryOf([
		user(1, 'Tidy it up.'),
		assistant(2, '', write('/home/ida/.claude/plans/tide.md')),
		assistant(4, '', write('/w/a.ts')),
	]);
	expect(lists).toContain('/w/a.ts');
	expect(text).not.toMatch(/^State:.*plans/m);
});
