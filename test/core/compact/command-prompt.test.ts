import { describe, expect, it } from 'vitest';
import { call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const write = (name: string) =>
	call('write_to_file', {
		absolutePath: `c:\\Apps\\shop\\${name}`,
		content: 'a = 1',
	});

/** Returns the section of files in a summary of a session on Windows that runs a command. */
function filesAfter(command: string): string {
	const text = summaryOf([
		user(1, 'Clean up the rows.'),
		...done(2, [write('rows.tf')], [write('piers.tf')]),
		...done(6, [call('execute_command', { command })]),
	]);
	return text.slice(text.indexOf('## Files'));
}

describe("commands of Windows' command prompt", () => {
	it('edits by an absolute path are changes', () => {
		expect(filesAfter('dir')).toMatch(/changed.*rows\.tf/);
	});

	it.each([
		'del c:\\Apps\\shop\\rows.tf',
		'del /f /q c:\\Apps\\shop\\rows.tf 2>nul',
		'cd c:\\Apps\\shop && del /q rows.tf',
		'erase "c:\\Apps\\shop\\rows.tf"',
	])('remove files: %s', (command) => {
		const files = filesAfter(command);
		expect(files).toMatch(/removed.*rows\.tf/);
		expect(files).toMatch(/changed.*piers\.tf/);
		expect(files).not.toMatch(/\/[fq]\b|c:Apps/);
	});

	it('remove folders without taking their options for files', () => {
		expect(filesAfter('cd c:\\Apps\\shop && rmdir /s /q .terraform')).not.toMatch(/\/[sq]\b/);
	});
});
