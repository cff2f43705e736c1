import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const tide = 'The tide table covers pier 17.';

/** Returns a session in which the agent reports something between an edit and a commit, and goes on. */
function sessionWith(report: string, ...rest: Source[]): Source[] {
	const edit = call('Write', { file_path: '/srv/tide.ts', content: 'export const pier = 17;' });
	return [
		user(1, 'Cover pier 17.'),
		...[assistant(2, '', edit), result(3, edit, 'Written.')],
		assistant(4, `${tide} ${report}`),
		user(5, 'Good, go on.'),
		...rest,
		assistant(9, 'The next pier follows.'),
	];
}

function ran(seq: number, command: string, output: string): Source[] {
	const made = call('bash', { command });
	return [assistant(seq, '', made), result(seq + 1, made, output)];
}

const commit = ran(6, 'git commit -qam "Cover pier 17"', '[main 7c41e9b] Cover pier 17');

describe('reports of the state of a repository', () => {
	it.each([
		'Nothing is committed yet.',
		'The uncommitted files are `tide.ts` and `pier.ts`.',
		"These changes haven't been committed.",
		'`tide.ts` remains uncommitted.',
		'Die Änderungen sind nicht committet.',
		'変更はまだコミットしていません。',
	])('a report of uncommitted work is not shown after a commit: %s', (report) => {
		const subject = report.split(' ')[0] ?? '';
		expect(summaryOf(sessionWith(report))).toContain(subject);
		const text = summaryOf(sessionWith(report, ...commit));
		expect(text).not.toContain(report);
		expect(text).toContain('pier 17');
	});

	it.each([
		['rm notes/pier.md', '`notes/pier.md` is created and verified.'],
		['git rm -f notes/pier.md', 'I have written the plan to pier.md.'],
		['cd notes && rm pier.md', 'notes/pier.md wurde angelegt.'],
		['rm notes/pier.md', '`notes/pier.md` を作成しました。'],
	])('a report of a new file is not shown after the removal of the file: %s, %s', (command, report) => {
		expect(summaryOf(sessionWith(report))).toContain(report);
		const text = summaryOf(sessionWith(report, ...ran(6, command, '')));
		expect(text).not.toContain(report);
		expect(text).toContain('removed: notes/pier.md');
	});

	it('a report of a new file is still shown if the file was moved, or if it also reports the removal', () => {
		const report = '`notes/pier.md` was created.';
		expect(summaryOf(sessionWith(report, ...ran(6, 'mv notes/pier.md notes/plan.md', '')))).toContain(report);
		const both = 'I wrote notes/pier.md for the test and will delete it.';
		expect(summaryOf(sessionWith(both, ...ran(6, 'rm notes/pier.md', '')))).toContain(both);
	});

	it('a report that all is committed is not shown if a file changed later', () => {
		const report = 'The working tree is clean.';
		const edit = call('edit', { path: '/srv/pier.ts', oldText: 'let a = 17;', newText: 'let a = 18;' });
		expect(summaryOf(sessionWith(report))).toContain(report);
		const text = summaryOf(sessionWith(report, assistant(6, '', edit), result(7, edit, 'Edited.')));
		expect(text).not.toContain(report);
	});
});
