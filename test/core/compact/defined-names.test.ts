import { describe, expect, it } from 'vitest';
import { findDefinedName } from '../../../server/core/analysis/changes/definitions.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

/** Returns the line of a summary that lists defined names after these calls; empty if there is none. */
function definedAfter(
	calls: readonly (Source['calls'][number] | [call: Source['calls'][number], failed: boolean])[],
	budgetTokens = 4000,
): string {
	const sources = calls.flatMap((one, index) => {
		const [made, failed] = Array.isArray(one) ? one : [one, false];
		return [assistant(2 + 2 * index, '', made), result(3 + 2 * index, made, failed ? 'no' : 'done', failed)];
	});
	const text = summaryOf([user(1, 'Build the ledger.'), ...sources], budgetTokens);
	const lines = sectionIn(text, 'files').split('\n');
	return lines.find((line) => line.startsWith('- defined')) ?? '';
}

const ledger = 'export class Ledger {}\n\nexport function addEntry(row: Row): void {\n\treturn;\n}\n';

describe('names that edits defined', () => {
	it.each([
		['a file that Claude Code wrote', call('Write', { file_path: '/w/ledger.ts', content: ledger })],
		['a file that Gemini CLI wrote', call('write_file', { file_path: '/w/ledger.ts', content: ledger })],
		['a file that OpenCode wrote', call('write', { filePath: '/w/ledger.ts', content: ledger })],
		[
			'a file that a shell command wrote',
			call('Bash', { command: `cat > ledger.ts <<'EOF'\n${ledger}EOF\nnpx tsc` }),
		],
		[
			'a patch of Codex',
			call('apply_patch', {
				input: `*** Begin Patch\n*** Add File: ledger.ts\n${ledger.replace(/^/gm, '+')}\n*** End Patch`,
			}),
		],
		[
			'a patch in a shell command',
			call('shell', {
				command: [
					'apply_patch',
					`*** Begin Patch\n*** Add File: ledger.ts\n${ledger.replace(/^/gm, '+')}\n*** End Patch`,
				],
			}),
		],
	])('the file list names the definitions of %s', (_, edit) => {
		expect(definedAfter([edit])).toBe('- defined in ledger.ts: Ledger, addEntry');
	});

	it('the file list names definitions of each file of a patch, the newest file first', () => {
		const input = [
			'*** Begin Patch',
			'*** Update File: src/rows.py',
			'@@',
			' import csv',
			'+def read_rows(path):',
			'+    return list(csv.reader(open(path)))',
			'*** Add File: src/rows.sql',
			'+CREATE TABLE IF NOT EXISTS rows (id TEXT);',
			'*** End Patch',
		].join('\n');
		expect(definedAfter([call('apply_patch', { input })])).toBe(
			'- defined in rows.sql: rows; in rows.py: read_rows',
		);
	});

	it('the file list names only definitions that an edit added', () => {
		const edit = call('Edit', {
			file_path: '/w/sum.go',
			old_string: 'func addAll(rows []int) int {\n\treturn 0\n}\n',
			new_string:
				'func addAll(rows []int) int {\n\treturn total(rows)\n}\n\nfunc total(rows []int) int {\n\treturn 1\n}\n',
		});
		expect(definedAfter([edit])).toBe('- defined in sum.go: total');
	});

	it('the file list leaves out definitions that a later edit removed', () => {
		const edits = [
			call('Write', {
				file_path: '/w/sum.py',
				content: 'def add_all(rows):\n    pass\n\ndef spare_one(rows):\n    pass\n',
			}),
			call('Edit', {
				file_path: '/w/sum.py',
				old_string: 'def spare_one(rows):\n    pass\n',
				new_string: '',
			}),
		];
		expect(definedAfter(edits)).toBe('- defined in sum.py: add_all');
	});

	it('the file list leaves out definitions of failed edits, tests, documents and commands', () => {
		expect(
			definedAfter([
				[call('Write', { file_path: '/w/ledger.ts', content: ledger }), true],
				call('Write', { file_path: '/w/ledger.test.ts', content: ledger }),
				call('Write', { file_path: '/w/ledger.md', content: ledger }),
				call('Bash', { command: "python3 - <<'EOF'\ndef once():\n    open('/w/out.txt', 'w')\nonce()\nEOF" }),
			]),
		).toBe('');
	});

	it.each([
		'ledger.test.ts',
		'ledger_test.go',
		'test_ledger.py',
		'LedgerTest.java',
		'ledger.spec.ts',
		'ledger.md',
	])('the file list names no definitions of %s', (name) => {
		expect(definedAfter([call('Write', { file_path: `/w/${name}`, content: ledger })])).toBe('');
	});

	it.each(['inspector.ts', 'latest.ts', 'spectrum.ts', 'testing.ts'])(
		'the file list names the definitions of %s, which is no test',
		(name) => {
			const edit = call('Write', { file_path: `/w/${name}`, content: ledger });
			expect(definedAfter([edit])).toBe(`- defined in ${name}: Ledger, addEntry`);
		},
	);

	it('the file list names at most eight definitions of a file, and stays within its share', () => {
		const content = Array.from({ length: 20 }, (_, index) => `fn step_${index}() {}\n`).join('');
		const edits = Array.from({ length: 30 }, (_, index) =>
			call('Write', { file_path: `/w/part${index}.rs`, content }),
		);
		const line = definedAfter(edits, 2000);
		expect(line).toMatch(/^- defined in part29\.rs: step_0, (?:step_\d, ){6}step_7, …; in part28\.rs: /);
		expect(line.length / 4).toBeLessThanOrEqual(0.05 * 2000);
	});

	it.each([
		['export default async function load(path) {', 'load'],
		['export type Row<Key> = Map<Key, string>;', 'Row'],
		['export const limit = 4;', 'limit'],
		['const toRow = async (line) => line;', 'toRow'],
		['    async def fetch_rows(self):', 'fetch_rows'],
		['func (s *Store) Save(row Row) error {', 'Save'],
		['type Store struct {', 'Store'],
		['    pub(crate) async fn send(&self) {', 'send'],
		['    override suspend fun onStart() {', 'onStart'],
		['    public static List<Row> readAll(Path path) {', 'readAll'],
		['public final class RowReader {', 'RowReader'],
		['CREATE TABLE IF NOT EXISTS ledger_rows (', 'ledger_rows'],
	])('the line %s defines %s', (line, name) => {
		expect(findDefinedName(line)).toBe(name);
	});

	it.each([
		'return await function_call();',
		'const total = rows.length;',
		'export default class extends Controller {',
		'    def __init__(self):',
		'if (open) {',
		'public: ',
		'type the name here',
		'The class of service is economy.',
	])('the line %s defines no name', (line) => {
		expect(findDefinedName(line)).toBeUndefined();
	});
});
