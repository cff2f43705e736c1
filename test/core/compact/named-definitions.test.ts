import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sectionIn, sessionOfCalls, summaryOf } from './summaries.ts';

const request = 'Why does `addEntry` in the ledger call loadRows twice?';

/** Returns the line of a summary about the names of the request after these calls; empty if there is none. */
function namedAfter(
	calls: readonly [call: ToolCall, output: string, failed?: boolean][],
	words = request,
	budgetTokens = 4000,
): string {
	const before: Source[] = sessionOfCalls(...calls);
	const seq = before.length + 2;
	const text = summaryOf([...before, user(seq, words), assistant(seq + 1, 'I look at it.')], budgetTokens);
	const lines = sectionIn(text, 'files').split('\n');
	return lines.find((line) => line.startsWith('- defined')) ?? '';
}

const readLedger = call('Read', { file_path: '/w/src/ledger.ts' });
const ledger = '    11→\n    12→export function addEntry(row: Row): void {\n    13→\tloadRows();\n    14→}\n';

describe('definitions of the names in the current request', () => {
	it.each<[string, ToolCall, string, string]>([
		['a file that Claude Code read', readLedger, ledger, '(line 12)'],
		[
			'a file that OpenCode read',
			call('read', { filePath: '/w/src/ledger.ts' }),
			'00012| export function addEntry(row: Row): void {\n00013| \tloadRows();\n',
			'(line 12)',
		],
		[
			'a search of Claude Code',
			call('Grep', { pattern: 'addEntry', path: '/w', output_mode: 'content' }),
			'/w/src/ledger.ts:12:export function addEntry(row: Row): void {\n/w/src/main.ts:4:\taddEntry(row);\n',
			'(line 12)',
		],
		[
			'a line beside a match',
			call('Bash', { command: 'grep -rn -A1 "the entry" src' }),
			'src/ledger.ts:11:// Adds the entry.\nsrc/ledger.ts-12-export function addEntry(row: Row): void {\n',
			'(line 12)',
		],
		[
			'a file without line numbers',
			call('read_file', { path: '/w/src/ledger.ts' }),
			'export function addEntry(row: Row): void {\n\tloadRows();\n}\n',
			'',
		],
	])('the file list tells where a name is defined, after %s', (_, made, output, line) => {
		const name = `addEntry${line === '' ? '' : ` ${line}`}`;
		expect(namedAfter([[made, output]])).toBe(`- defined in src/ledger.ts: ${name}`);
	});

	it('the file list names the file once for all of its names, and the other files after it', () => {
		const rows = call('Read', { file_path: '/w/src/rows.ts' });
		const both = `${ledger}    15→export const loadRows = () => [];\n`;
		expect(namedAfter([[readLedger, both]])).toBe(
			'- defined in src/ledger.ts: addEntry (line 12), loadRows (line 15)',
		);
		expect(
			namedAfter([
				[readLedger, ledger],
				[rows, '     3→export function loadRows(): Row[] {\n     4→\treturn [];\n'],
			]),
		).toBe('- defined in src/ledger.ts: addEntry (line 12); in src/rows.ts: loadRows (line 3)');
	});

	it('names that the session defined follow, without those of the request', () => {
		const write = call('Write', {
			file_path: '/w/src/rows.ts',
			content: 'export function addEntry() {}\nexport function sumRows() {}\n',
		});
		expect(
			namedAfter([
				[readLedger, ledger],
				[write, 'File created.'],
			]),
		).toBe('- defined in src/ledger.ts: addEntry (line 12); in rows.ts: sumRows');
	});

	it('a file with an absolute and a relative path is named once', () => {
		const search = call('Bash', { command: 'grep -rn "loadRows" src' });
		expect(
			namedAfter([
				[readLedger, ledger],
				[search, 'src/ledger.ts:15:export const loadRows = () => [];\n'],
			]),
		).toBe('- defined in src/ledger.ts: addEntry (line 12), loadRows (line 15)');
	});

	it('the newest result counts', () => {
		const moved = '    30→export function addEntry(row: Row): void {\n    31→\tloadRows();\n';
		expect(
			namedAfter([
				[readLedger, ledger],
				[readLedger, moved],
			]),
		).toContain('addEntry (line 30)');
	});

	it('a name has no line number if its file changed after it was read', () => {
		const edit = call('Edit', {
			file_path: '/w/src/ledger.ts',
			old_string: '\tloadRows();',
			new_string: '\tloadRows();\n\tsave();',
		});
		expect(
			namedAfter([
				[readLedger, ledger],
				[edit, 'The file was updated.'],
			]),
		).toBe('- defined in src/ledger.ts: addEntry');
	});

	it('the list leaves out definitions that an edit removed', () => {
		const edit = call('Edit', {
			file_path: '/w/src/ledger.ts',
			old_string: 'export function addEntry(row: Row): void {',
			new_string: 'export function putEntry(row: Row): void {',
		});
		expect(
			namedAfter([
				[readLedger, ledger],
				[edit, 'The file was updated.'],
			]),
		).toBe('- defined in ledger.ts: putEntry');
	});

	it.each<[string, [ToolCall, string, boolean?]]>([
		['a use of the name', [readLedger, '    12→\taddEntry(row);\n']],
		[
			'a definition in a test',
			[call('Read', { file_path: '/w/ledger.test.ts' }), '    12→function addEntry(row) {\n'],
		],
		['a failed call', [readLedger, '    12→export function addEntry(row: Row): void {\n', true]],
		[
			'output without a file',
			[call('Bash', { command: 'make' }), 'export function addEntry(row: Row): void {\n'],
		],
	])('the list leaves out %s', (_, made) => {
		expect(namedAfter([made])).toBe('');
	});

	it('the list names at most eight definitions, within its share', () => {
		const names = Array.from({ length: 60 }, (_, index) => `readLedgerRow${index}`);
		const reads = names.map((name, index): [ToolCall, string] => [
			call('Read', { file_path: `/w/src/part${index}.ts` }),
			`     1→export function ${name}() {\n`,
		]);
		const words = `Rename ${names.join(', ')}.`;
		expect(namedAfter(reads, words, 8000).match(/\(line 1\)/g)).toHaveLength(8);
		const line = namedAfter(reads, words, 2000);
		expect(line).toMatch(/^- defined in src\/part0\.ts: readLedgerRow0 \(line 1\); /);
		expect(line.length / 4).toBeLessThanOrEqual(0.05 * 2000);
	});

	it('names of earlier requests are not listed', () => {
		const sources = [
			user(1, request),
			assistant(2, '', readLedger),
			result(3, readLedger, ledger),
			user(4, 'Thanks. Now write the release notes.'),
			assistant(5, 'I write them.'),
		];
		expect(summaryOf(sources, 4000)).not.toContain('- defined');
	});
});
