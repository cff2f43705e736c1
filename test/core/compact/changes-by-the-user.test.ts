import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, done, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const path = '/shop/src/crumb.php';
const removedLine = "$entry = $list->appendEntry('crumb-entry');";
const edit = call('edit', {
	filePath: path,
	oldString: '$entry = null;',
	newString: `${removedLine}\n$entry->setHarbour($harbour);`,
});
const numbered = (lines: string[]) => lines.map((line, index) => `${index + 1}\t${line}`).join('\n');
const now = ['<?php', "$entry = $list->appendEntry(null, 'crumb-entry');", '$entry->setHarbour($harbour);'];

/** Returns a summary of a session in which the agent edits a file, perhaps changes the branch, and reads it after the user changed it. */
function summaryWithRead(reading: Source['calls'][number], output: string, command = 'ls'): string {
	const filler = Array.from({ length: 8 }, (_, index) => assistant(20 + index, `Step ${index} is done.`));
	return summaryOf([
		user(1, 'Add the harbour to the crumbs.'),
		...done(2, [edit], [call('Bash', { command })]),
		assistant(6, '', reading),
		result(7, reading, output),
		...filler,
	]);
}

describe('a line that the agent wrote', () => {
	it('is left out if a later read shows the whole file without it', () => {
		const text = summaryWithRead(call('read', { filePath: path }), numbered(now));
		expect(text).not.toContain(removedLine);
		expect(text).toContain('setHarbour($harbour)');
	});

	it.each([
		['only the start of the file', call('read', { filePath: path, limit: 3 }), numbered(now)],
		[
			'another part of the file',
			call('read', { filePath: path, offset: 2 }),
			numbered(now).replace('1\t', '2\t'),
		],
		['less than the file', call('read', { filePath: path }), `${numbered(now)}\n(File has more lines)`],
		['lines that an argument selects', call('read', { filePath: path, end_line: 3 }), numbered(now)],
		['a file with a path of the same ending', call('read', { filePath: 'src/crumb.php' }), numbered(now)],
		['the file without numbers', call('Bash', { command: `cat ${path}` }), now.join('\n')],
	])('stays if a later read shows %s', (_, reading, output) => {
		expect(summaryWithRead(reading, output)).toContain(removedLine);
	});

	it('stays if git may have shown another branch', () => {
		const text = summaryWithRead(call('read', { filePath: path }), numbered(now), 'git checkout old');
		expect(text).toContain(removedLine);
	});
});
