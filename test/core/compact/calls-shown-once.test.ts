import { describe, expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const importer = '/home/me/projects/shop/packages/importer/src/rows/importRows.ts';

/** Counts how often a text contains some words. */
const times = (text: string, words: string): number => text.split(words).length - 1;

describe('calls in a summary', () => {
	it('a summary shows a call once, with all its arguments if the budget allows', () => {
		const edit = call('Edit', {
			file_path: importer,
			old_string: 'one two',
			new_string: 'three four',
			replace_all: false,
		});
		const bench = call('Bash', {
			command:
				'npx vitest run packages/importer/test/importRows.test.ts --reporter=dot --no-color --retry=2 --bail=1 2>&1 | tail -40',
			description: 'Run the tests of the importer',
		});
		const [, text = ''] = summaryOf([
			user(1, 'Make the importer read every row.'),
			assistant(2, 'The importer stops at the first empty row.', edit),
			result(3, edit, 'edited'),
			assistant(4, 'Now the tests.', bench),
			result(5, bench, 'Tests: 12 passed'),
		]).split(/(?<=^State: .*\n\n)/m);
		expect(times(text, 'importRows.ts')).toBe(3); // The path appears in the call, in the list of files, and before the lines of the newest edit.
		expect(text).toContain(`Edit ${importer}`);
		expect(times(text, 'Run the tests of the importer')).toBe(1);
		expect(text).toContain('--reporter=dot --no-color --retry=2 --bail=1 → Tests: 12 passed');
		expect(text).not.toContain('replace_all');
	});

	it('a summary shows the words before a call once if the call is shown in full', () => {
		const read = call('Read', { file_path: importer });
		const text = summaryOf([
			user(1, 'Make the importer read every row.'),
			assistant(2, 'The importer stops at the first empty row.', read),
			result(3, read, 'const rows = await readRows(path);'),
			assistant(4, 'It does.'),
		]);
		expect(times(text, 'The importer stops at the first empty row.')).toBe(1);
		expect(times(text, importer.slice(importer.lastIndexOf('/')))).toBe(2);
	});
});

describe('sentences without spaces between them', () => {
	it('a summary shows sentences without spaces between them once, unchanged', () => {
		const said =
			'索引が行ごとに作られるため、取り込みが遅くなっています。次の行で待ち時間が生じる原因もこれです。そのため索引を一度だけ作ります。';
		const text = summaryOf([
			user(1, '取り込みを速くしてください。'),
			assistant(2, said),
			user(3, '続けてください。'),
		]);
		expect(text).toContain(said);
		expect(times(text, '取り込みが遅く')).toBe(1);
	});
});
