import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

type Call = Source['calls'][number];

/** Returns the line that lists the newest changes in a summary of these calls and a long log; empty if there is none. */
function listedAfter(calls: readonly Call[], { failed = false, readings = 4000 } = {}): string {
	const log = call('Bash', { command: 'cat stations.log' });
	const sources = calls.flatMap((made, index) => [
		assistant(2 + 2 * index, '', made),
		result(3 + 2 * index, made, failed ? 'no' : 'done', failed),
	]);
	const lines = Array.from({ length: readings }, (_, index) => `station ${index} reports calm and dry air`);
	const read = [assistant(90, 'Now the log.', log), result(91, log, lines.join('\n'))];
	const text = summaryOf([user(1, 'Close the endpoint.'), ...sources, ...read], 1500);
	const listed = sectionIn(text, 'files').split('\n');
	return listed.find((line) => line.startsWith('- last changes')) ?? '';
}

const edit = (path: string, before: string, after: string): Call =>
	call('Edit', { file_path: path, old_string: before, new_string: after });

describe('the newest changes of files', () => {
	it.each([
		[
			'Claude Code',
			edit('/w/api/Ports.cs', 'class A {\n  [Open]\n  int B;', 'class A {\n  [Closed("admin")]\n  int B;'),
		],
		[
			'Codex',
			call('apply_patch', {
				input:
					'*** Begin Patch\n*** Update File: api/Ports.cs\n@@\n-  [Open]\n+  [Closed("admin")]\n*** End Patch',
			}),
		],
	])('an edit of a single line by %s is shown with its new line', (_, made) => {
		expect(listedAfter([made])).toBe('- last changes: Ports.cs (#2): [Closed("admin")]');
	});

	it.each([
		["sed -i 's/open/closed/' api/ports.py", "#2: sed -i 's/open/closed/' api/ports.py"],
		['cd /w && cp ports.example .ports', '#2: cp ports.example .ports'],
		['mv a.ts b.ts', '#2: mv a.ts b.ts'],
	])('the short command "%s" is shown as the change of its file', (command, shown) => {
		expect(listedAfter([call('bash', { command })])).toBe(`- last changes: ${shown}`);
	});

	it('only the newest change of a file is shown, newest files first', () => {
		const calls = [
			edit('/w/a.ts', 'port = 1', 'port = 2'),
			edit('/w/b.ts', 'host = 1', 'host = 2'),
			edit('/w/a.ts', 'port = 2', 'port = 3'),
		];
		expect(listedAfter(calls)).toBe('- last changes: a.ts (#6): port = 3; b.ts (#4): host = 2');
	});

	it('a file whose newest change is long is left out', () => {
		const calls = [
			edit('/w/a.ts', 'port = 1', 'port = 2'),
			edit('/w/a.ts', 'run()', 'start();\nwait();\nstop();'),
		];
		expect(listedAfter(calls)).toBe('');
	});

	it.each([
		['an import', edit('/w/a.ts', 'x', "import { y } from './y.ts';\nx")],
		['a text in quotes', edit('/w/a.ts', '["a"', '["a",\n"b"')],
		['a line of a test', edit('/w/a.test.ts', 'port = 1', 'port = 2')],
		['a command with a here-document', call('bash', { command: "cat > a.ts <<'EOF'\nport = 1\nEOF" })],
	])('%s is left out, because it says nothing on its own', (_, made) => {
		expect(listedAfter([made])).toBe('');
	});

	it('a failed change is left out', () => {
		expect(listedAfter([edit('/w/a.ts', 'port = 1', 'port = 2')], { failed: true })).toBe('');
	});

	it('an ample summary has no list of changes, because it shows the edits themselves', () => {
		expect(listedAfter([edit('/w/a.ts', 'port = 1', 'port = 2')], { readings: 1 })).toBe('');
	});
});
