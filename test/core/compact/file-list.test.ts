import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';
import { assistant, call, filesOf, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

/** Returns the lists of files in a summary, without the quotations of files after the lists. */
function listsIn(text: string): string[] {
	return sectionIn(text, 'files')
		.split('\n')
		.filter((line) => /^- (?:changed|removed|read)/.test(line));
}

/** Returns the listed files after these calls. Each call has its result and whether it failed. */
function filesAfter(...calls: [Source['calls'][number], output?: string, failed?: boolean][]): string[] {
	const sources = [
		user(1, 'Tidy it up.'),
		...calls.flatMap(([made, output = 'done', failed = false], index) => [
			assistant(2 + 2 * index, '', made),
			result(3 + 2 * index, made, output, failed),
		]),
	];
	return listsIn(summaryOf(sources, 4000));
}

const write = (path: string) => call('Write', { file_path: path, content: 'one' });
const read = (path: string) => call('Read', { file_path: path });
const bash = (command: string) => call('Bash', { command });

/** Returns patches that each touch the maximum number of files per call. */
function patchesOf(paths: readonly string[], partOf: (path: string) => string): Source[] {
	const each = 100;
	return Array.from({ length: Math.ceil(paths.length / each) }, (_, index) => {
		const parts = paths.slice(index * each, (index + 1) * each).map(partOf);
		const input = `*** Begin Patch\n${parts.join('')}*** End Patch`;
		return assistant(index + 1, '', call('apply_patch', { input }));
	});
}

describe('file lists in a summary', () => {
	it.each(['rm -r quay', 'rm -rf ./quay/', 'git rm -r quay'])(
		'a removed folder that is named by its relative path takes its files along: %s',
		(command) => {
			expect(filesAfter([write('/srv/quay/berth.ts')], [write('/srv/app/a.ts')], [bash(command)])).toEqual([
				'- changed in /srv/: app/a.ts',
				'- removed there: quay',
			]);
		},
	);

	it('never counts one file that it does not name, in the lists and in the state', () => {
		const lists: string[] = [];
		for (let count = 2; count < 40; count++) {
			const paths = Array.from({ length: count }, (_, index) => `/srv/quay/berth${index}/tariff${index}.ts`);
			const calls = paths.flatMap((path, index): Source[] => [
				assistant(2 + 2 * index, '', write(path)),
				result(3 + 2 * index, write(path), 'done'),
			]);
			const text = summaryOf([user(1, 'Tidy it up.'), ...calls], 1200);
			for (const line of [...listsIn(text), ...(/^State: [^;]*/m.exec(text) ?? [])]) {
				const named = line.match(/tariff\d+\.ts/g)?.length ?? 0;
				expect(named, line).not.toBe(count - 1);
				lists.push(line);
			}
		}
		expect(lists.some((line) => line.includes('in all)'))).toBe(true);
		expect(lists.some((line) => /and \d+ more/.test(line))).toBe(true);
	});

	it('the file list shows a file that was written and later removed as removed', () => {
		expect(
			filesAfter([write('src/a.ts')], [write('src/try.ts')], [bash('node src/try.ts && rm src/try.ts')]),
		).toEqual(['- changed: src/a.ts', '- removed: src/try.ts']);
	});

	it.each([
		['git rm -q src/b.ts'],
		['rm -rf src/'],
		['bash -lc "cd src && rm b.ts"'],
		["apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: src/b.ts\n*** End Patch\nEOF"],
	])('the file list shows the removal of a file by the command %s', (command) => {
		const files = filesAfter([write('src/b.ts')], [bash(command)]);
		expect(files).toHaveLength(1);
		expect(files[0]).toMatch(/^- removed: src/);
	});

	it('the file list shows a moved file under its new name', () => {
		expect(
			filesAfter([write('src/b.ts')], [bash('git mv src/b.ts src/c.ts && mv src/c.ts src/d.ts')]),
		).toEqual([
			'- changed: src/d.ts',
			'- removed: src/c.ts (moved to src/d.ts), src/b.ts (moved to src/d.ts)',
		]);
	});

	it('the file list does not show a file as removed that the same patch adds again', () => {
		const patch = (...parts: string[]) =>
			call('apply_patch', { input: `*** Begin Patch\n${parts.join('\n')}\n*** End Patch` });
		expect(
			filesAfter([
				patch('*** Delete File: README.md', '*** Add File: README.md', '+# Quay', '*** Delete File: pier.md'),
			]),
		).toEqual(['- changed: README.md', '- removed: pier.md']);
	});

	it('the file list does not show a file as only read that a visible message changes', () => {
		const [look, change] = [read('src/a.ts'), write('/w/src/a.ts')];
		const sources = [
			user(1, 'Tidy it up.'),
			...[assistant(2, '', look, read('src/b.ts')), result(3, look, 'one')],
		];
		const visible = [assistant(4, '', change), result(5, change, 'done')];
		expect(listsIn(summaryOf(sources, 4000, { visible }))).toEqual(['- read: src/b.ts']);
	});

	it('the file list names a folder only with files in the folder', () => {
		const files = filesAfter([write('/w/quay/a.ts')], [write('/w/quay/b.ts')], [read('/etc/quay.conf')]);
		expect(files).toEqual(['- changed in /w/quay/: b.ts, a.ts', '- read: /etc/quay.conf']);
	});

	it.each([
		[
			'the removal failed',
			[bash('rm src/b.ts'), 'Exit code 1\nrm: src/b.ts: Permission denied', true] as const,
		],
		['it may not have run', [bash('test -f src/a.ts || rm src/b.ts')] as const],
		['it was made again', [bash('rm src/b.ts && echo one > src/b.ts')] as const],
	])('the file list keeps a file if %s', (_, last) => {
		expect(filesAfter([write('src/b.ts')], [...last])).toEqual(['- changed: src/b.ts']);
	});

	it('the file list does not show a folder as removed if a file in it was changed afterwards', () => {
		expect(filesAfter([write('src/b.ts')], [bash('rm -rf src')], [write('src/lib/c.ts')])).toEqual([
			'- changed: src/lib/c.ts',
		]);
	});

	const change = (path: string) => call('Edit', { file_path: path, old_string: 'a', new_string: 'b' });

	it.each([
		['git checkout src/b.ts'],
		['git checkout -- src/b.ts'],
		['git restore src/b.ts'],
		['git checkout .'],
		['git stash'],
		['git reset --hard'],
	])('the file list lacks a change that git reverted: %s', (command) => {
		const before = [read('src/b.ts'), change('src/b.ts')].map((made): [typeof made] => [made]);
		expect(filesAfter(...before, [bash(command)])).toEqual(['- read: src/b.ts']);
	});

	it('the file list lacks a file that perhaps does not exist, because the command hides its errors', () => {
		const show = (command: string): string[] => filesAfter([bash(command)]);
		expect(show('cat src/b.ts')).toEqual(['- read: src/b.ts']);
		expect(show('cat src/b.ts 2>/dev/null || echo none')).toEqual([]);
	});

	it('the file list has changes that were stashed and restored', () => {
		const files = filesAfter([read('a.ts')], [change('a.ts')], [bash('git stash')], [bash('git stash pop')]);
		expect(files).toEqual(['- changed: a.ts']);
	});

	it('the file list has committed changes even if later ones were reverted', () => {
		const files = filesAfter(
			[read('a.ts')],
			[change('a.ts')],
			[bash('git commit -qam "One"')],
			[change('a.ts')],
			[bash('git restore a.ts')],
		);
		expect(files).toEqual(['- changed: a.ts']);
	});

	it('the file list lacks a change whose commit was reverted', () => {
		const files = filesAfter(
			[read('a.ts')],
			[change('a.ts')],
			[bash('git commit -qam "One"')],
			[bash('git revert --no-edit HEAD')],
		);
		expect(files).toEqual(['- read: a.ts']);
	});

	it('the file list does not show a file as removed if git restored it', () => {
		expect(filesAfter([read('a.ts')], [bash('rm b.ts')], [bash('git checkout b.ts')])).toEqual([
			'- read: a.ts',
		]);
	});

	it('the file list keeps new files that git does not track', () => {
		expect(filesAfter([write('src/new.ts')], [bash('git checkout .')])).toEqual(['- changed: src/new.ts']);
	});

	it('the file list shows a new file as removed although git restored tracked files', () => {
		const files = filesAfter([write('new.ts')], [bash('rm new.ts')], [bash('git checkout .')]);
		expect(files).toEqual(['- removed: new.ts']);
	});

	it('the file list shows the files of a reverted commit as before that commit', () => {
		const commit = bash('git commit -qam "Some"');
		const calls = [change('a.ts'), commit, change('b.ts'), bash('rm a.ts'), commit];
		const made = calls.map((one): [typeof one] => [one]);
		expect(filesAfter(...made)).toEqual(['- changed: b.ts', '- removed: a.ts']);
		expect(filesAfter(...made, [bash('git reset --hard HEAD~1')])).toEqual(['- changed: a.ts']);
	});

	it('the file list keeps a change if a branch with a similar name is checked out', () => {
		const files = filesAfter([read('a.ts')], [change('a.ts')], [bash('git checkout feature/a')]);
		expect(files).toEqual(['- changed: a.ts']);
	});

	it('the file list lacks what a refused command would have written', () => {
		const refused = "The user doesn't want to proceed with this tool use.";
		expect(filesAfter([read('a.ts')], [bash('cp a.ts b.ts'), refused, true])).toEqual(['- read: a.ts']);
	});

	it('the file list lacks files of a turn that the user undid', () => {
		const [first, second] = [write('a.ts'), write('b.ts')];
		const text = summaryOf([
			user(1, 'Write a.'),
			assistant(2, '', first),
			result(3, first, 'done'),
			assistant(4, 'Done.'),
			user(5, 'Write b.'),
			assistant(6, '', second),
			result(7, second, 'done'),
			assistant(8, 'Done.'),
			user(9, '/undo'),
		]);
		expect(listsIn(text)).toEqual(['- changed: a.ts']);
	});

	it('the file list lacks a file that a call failed to read or change', () => {
		expect(
			filesAfter(
				[read('src/a.ts')],
				[read('src/missing.ts'), 'File does not exist.', true],
				[call('Edit', { file_path: 'src/a.ts', old_string: 'x', new_string: 'y' }), 'refused', true],
			),
		).toEqual(['- read: src/a.ts']);
	});

	it('the file list has what a command wrote before it failed', () => {
		expect(filesAfter([bash('echo one > src/a.ts && false'), 'Exit code 1', true])).toEqual([
			'- changed: src/a.ts',
		]);
	});

	it('the file list has a file once if calls name it by relative and absolute paths', () => {
		expect(
			filesAfter(
				[write('/home/me/shop/src/a.ts')],
				[read('/home/me/shop/src/b.ts')],
				[bash("sed -i 's/one/two/' src/a.ts src/b.ts")],
			),
		).toEqual(['- changed in /home/me/shop/src/: b.ts, a.ts']);
	});

	it('the file list has a file that only commands name below a folder of its neighbours', () => {
		expect(
			filesAfter(
				[write('/home/me/shop/src/a.ts')],
				[read('/home/me/shop/src/b.ts')],
				[bash("sed -i 's/one/two/' src/a.ts && echo two > src/inner/new.ts")],
			),
		).toEqual(['- changed in /home/me/shop/src/: inner/new.ts, a.ts', '- read there: b.ts']);
	});

	it('the file list has a file of the outermost folder once if a command names it without a folder', () => {
		expect(
			filesAfter([write('/shop/a.ts')], [read('/shop/src/b.ts')], [bash("sed -i 's/one/two/' a.ts")]),
		).toEqual(['- changed in /shop/: a.ts', '- read there: src/b.ts']);
	});

	it('the file list does not take a name without a folder for a file of an inner folder', () => {
		expect(
			filesAfter([write('/shop/src/a.ts')], [read('/shop/b.ts')], [bash("sed -i 's/one/two/' a.ts")])[0],
		).toBe('- changed in /shop/: …/a.ts, src/a.ts');
	});

	it.each([
		[
			'a scratch folder',
			['src/a.ts', 'src/b.ts', 'docs/c.md'],
			['/tmp/fix1.py', '/tmp/fix2.py'],
			'- changed: docs/c.md, src/b.ts, src/a.ts, /tmp/fix2.py, /tmp/fix1.py',
		],
		[
			'another project',
			['src\\a.ts', 'src\\b.ts'],
			['C:/other/x.ts', 'C:/other/y.ts'],
			'- changed: C:/other/y.ts, C:/other/x.ts, src/b.ts, src/a.ts',
		],
	])('files with relative paths are not listed in %s', (_, relative, rooted, expected) => {
		const touch = (path: string) => [write(path)] satisfies [Source['calls'][number]];
		expect(filesAfter(...[...relative, ...rooted].map(touch))).toEqual([expected]);
	});

	it('relative paths next to a folder are marked, so that they do not read as paths in it', () => {
		const paths = ['/w/shop/core/a.ts', '/w/shop/core/b.ts', '/w/shop/core/c.ts', 'src/d.ts', '../e.ts'];
		expect(
			filesAfter(...[...paths, '$HOME/f.ts'].map((path): [ReturnType<typeof write>] => [write(path)])),
		).toEqual(['- changed in /w/shop/core/: $HOME/f.ts, …/../e.ts, …/src/d.ts, c.ts, b.ts, a.ts']);
	});

	it('files of Codex and of the home folder are not listed in a scratch folder', () => {
		const patch = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-one\n+two\n*** End Patch';
		const lists = filesAfter(
			[call('apply_patch', { input: patch })],
			[call('exec_command', { cmd: "sed -i 's/one/two/' src/b.ts docs/c.md" })],
			[bash('cp src/a.ts ~/.ferries/test.json')],
			[write('/tmp/fix1.py')],
			[write('/tmp/fix2.py')],
		);
		expect(lists[0]).toMatch(/^- changed: /);
		expect(lists[0]).toContain('/tmp/fix1.py');
	});

	it("an agent's scratch files are listed last, and nothing is written to a device", () => {
		const scratch = '/private/tmp/claude-501/w/pad';
		expect(
			filesAfter(
				[write('/w/shop/src/a.ts')],
				[write('/w/shop/src/b.ts')],
				...[1, 2, 3, 4].map((index): [ReturnType<typeof write>] => [write(`${scratch}/probe${index}.py`)]),
				[bash('cp src/a.ts /dev/null')],
			),
		).toEqual([
			`- changed in /w/shop/src/: b.ts, a.ts, ${[4, 3, 2, 1].map((index) => `${scratch}/probe${index}.py`).join(', ')}`,
		]);
	});

	it('a file list of thousands of equal names and two spellings is made quickly', () => {
		const names = Array.from({ length: 6000 }, (_, index) => `src/d${index}/index.ts`);
		const sources = patchesOf(
			[...names, ...names.map((name) => `/home/me/${name}`)],
			(path) => `*** Update File: ${path}\n@@\n-one\n+two\n`,
		);
		const spent = processorClock();
		expect(filesOf(sources).changed).toHaveLength(names.length);
		expect(spent()).toBeLessThan(1000 * machineSlowness());
	});

	it('a file list of thousands of removed files is made quickly', () => {
		const names = Array.from({ length: 20_000 }, (_, index) => `src/d${index}/index.ts`);
		const sources = patchesOf(names, (path) => `*** Delete File: ${path}\n`);
		const spent = processorClock();
		expect(filesOf(sources).removed).toHaveLength(20_000);
		expect(spent()).toBeLessThan(1000 * machineSlowness());
	});

	it('the file list has the target folder of mv -t', () => {
		expect(filesAfter([write('src/a.ts')], [bash('mv -t src old/b.ts')]).join('\n')).not.toContain('removed');
	});

	it('the file list has what a patch with CRLF line ends removed', () => {
		const patch = '*** Begin Patch\r\n*** Delete File: src/b.ts\r\n*** End Patch\r\n';
		expect(filesAfter([write('src/b.ts')], [call('apply_patch', { input: patch })])).toEqual([
			'- removed: src/b.ts',
		]);
	});

	it('the file list distinguishes files of the same name in different folders', () => {
		expect(
			filesAfter([write('/home/me/shop/src/a.ts')], [bash("sed -i 's/one/two/' lib/a.ts src/a.ts")]),
		).toEqual(['- changed: /home/me/shop/src/a.ts, lib/a.ts']);
	});
});
