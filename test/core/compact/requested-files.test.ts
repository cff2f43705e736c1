import { describe, expect, it } from 'vitest';
import { listRequestedFiles } from '../../../server/core/analysis/user/requestedFiles.ts';
import { costGrowth, maxLinearGrowth } from '../../support/processorClock.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const log = 'docs/berths/log.md';

describe('files that a request asks to write', () => {
	it.each([
		`Write what you changed to \`${log}\`.`,
		`Count the berths, then save the result as ${log}`,
		`Please put your notes into ${log}, in English.`,
		`Append the figures of each day to "${log}".`,
		`Schreibe das Ergebnis nach \`${log}\`.`,
		`この記録を \`${log}\` として保存してください。`,
		`結果は ${log} に追記してください。`,
		`把结果保存到 ${log}。`,
	])('the path is found in %s', (request) => {
		expect(listRequestedFiles(request)).toEqual([log]);
	});

	it.each([
		`Read ${log} and write a summary.`,
		'Write the report to docs/{berth}/log.md for each berth.',
		'Write the tests to docs/berths/*.md.',
		'Save the rows in the table of src/berths.',
		'Write to me if log.md is missing.',
		`See ${log} before you create the table.`,
	])('no path is found in %s', (request) => {
		expect(listRequestedFiles(request)).toEqual([]);
	});

	it('paths are in order, each once', () => {
		const request = `Write the log to ${log}. Save the plan as /srv/plans/berths.json, and append all errors to ${log}.`;
		expect(listRequestedFiles(request)).toEqual([log, '/srv/plans/berths.json']);
	});

	it('the cost grows linearly', () => {
		for (const text of ['write to ', 'a/', '`a/b.', '保存', 'save a to a.a/'])
			expect(costGrowth(2000, (count) => listRequestedFiles(text.repeat(count)))).toBeLessThan(
				maxLinearGrowth,
			);
	});
});

describe('the state of requested files', () => {
	const stateAfter = (path: string, failed = false): string => {
		const write = call('Write', { file_path: path, content: '# Berths\n' });
		const text = summaryOf(
			[
				user(1, `Count the berths and write the result to \`${log}\`.`),
				assistant(2, '', write),
				result(3, write, failed ? 'Permission denied' : 'File created', failed),
			],
			3000,
		);
		return text.split('\n').find((line) => line.startsWith('State:')) ?? '';
	};

	it('the state names a file that was not written', () => {
		expect(stateAfter('/srv/src/count.ts')).toContain('; not written yet: berths/log.md');
		expect(stateAfter(`/srv/${log}`, true)).toContain('not written yet');
	});

	it('the state names no file that another agent may have written', () => {
		const task = call('Task', { description: 'Count the berths', prompt: 'Count them.' });
		const text = summaryOf(
			[
				user(1, `Count the berths and write the result to \`${log}\`.`),
				assistant(2, '', task),
				result(3, task, 'All berths are counted.'),
			],
			3000,
		);
		expect(text).not.toContain('not written yet');
	});

	it('the state does not name a file that a call has written', () => {
		expect(stateAfter(`/srv/${log}`)).not.toContain('not written yet');
		expect(stateAfter(log)).not.toContain('not written yet');
	});
});
