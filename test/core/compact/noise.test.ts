import { describe, expect, it } from 'vitest';
import { renderCall, renderWholeCall } from '../../../server/core/analysis/calls/calls.ts';
import { cleanText } from '../../../server/core/analysis/text/clean.ts';
import { assistant, call, readResult, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

describe('output that tools add', () => {
	it.each([
		[
			'a progress bar of curl',
			'  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0',
		],
		['a progress bar of rsync', '26% 64.67MB/s    0:00:00 (xfr#0, to-chk=9000/9120)'],
		['a progress bar of conda', 'tides-8.6.14         | 3.4 MB    | ########4  |  84%'],
		['a progress bar of cargo', '    Building [=======================> ] 363/365: ferry'],
		['a note of a pager', '[459 more lines in file. Use offset=51 to continue.]'],
		['the head of a diff', 'index 1a2b3c4d..5e6f7a8b 100644'],
		['the place of a hunk', '@@ -12,7 +12,9 @@'],
		[
			'the title of a report',
			'============================= test session starts =============================',
		],
		['a gutter without a line', '  99.'],
		['a gutter with a colon', '1461:'],
		['a gutter with a tab', '    30\t'],
		['a gutter with a colon and a space', '19: '],
		['a gutter before the end of a line of Windows', '1461:\r'],
		['the name above a listing', '[File: /src/fields.py (1997 lines total)]'],
		['what a listing leaves out', '(1456 more lines above)'],
		['a closing tag', '      </section>'],
		['a hint of git', 'hint: You have divergent branches and need to specify how to reconcile them.'],
		['a proposal of git', 'hint:   git config pull.rebase false  # merge'],
		[
			'a note of git on line endings',
			"warning: in the working copy of 'src/tide.ts', LF will be replaced by CRLF the next time Git touches it",
		],
		['where an image is stored', '[Image source: /home/ida/.claude/image-cache/1a2b/1.png]'],
		['a file that git removed', "rm 'src/tide.ts'"],
		['what a server says after a push', 'remote: Set trace flag 1a2b3c4d        '],
		['how git stores objects', 'Auto packing the repository in background for optimum performance.'],
		['a test of Go that passed', '    --- PASS: TestTotals/of_one_row (0.00s)'],
		['the start of a test of Go', '=== RUN   TestTotals'],
		['a test of Rust that passed', 'test total::of_one_row ... ok'],
		['a test of pytest that passed', 'tests/test_total.py::test_of_one_row PASSED        [ 42%]'],
		['a test of Vitest that passed', ' ✓ total > of one row 3ms'],
		['a test of Bun that passed', '(pass) total > of one row [1.24ms]'],
		['a test of Jest that passed', '  ✓ sums the rows (12 ms)'],
		['the frame of a command in OpenHands', '[Current working directory: /srv/ferries]'],
		['the folder itself in a listing', 'drwxr-xr-x  18 root root  4096 Nov 27 03:27 ..'],
		['the figures of a subagent', '<usage>total_tokens: 41200'],
		['the number of calls of a subagent', 'tool_uses: 14'],
		['the head of a line that Jest passes on', '  console.log'],
		['a stack frame in a bundle', '    at renderPier (chunk-7QXK4M2A.js:11548:26)'],
		['a stack frame in a bundle with a hash', '    at S (page-575af8c9d27945e.js?dpl=dpl_Tide7:1:5771)'],
		['a stack frame of a server that is built', '    at k (.next/server/chunks/34386.js:1:10205)'],
		['a stack frame in the console of Chrome', 'commitPier @ chunk-7QXK4M2A.js?v=1a2b:123'],
		['the last frame in that console', 'workLoop @ vendor.js?v=1a2b:384Understand this warning'],
		['an anonymous frame in that console', '(anonymous) @ layout-815f0924tide.js?dpl=dpl_Tide7:1'],
		[
			'a stack frame in the console of Firefox',
			'drawTide@https://pier.example/assets/index-B7xQ2mK9.js:1:2042',
		],
		['a crate that cargo downloads', '  Downloaded tide_tables v0.9.5'],
		['a crate that cargo compiles', '   Compiling tide-tables v0.9.5'],
		['a command of Codex that goes on', 'Process running with session ID 26426'],
		['text that was decoded in the wrong way', '// \uFFFD\uFFFD\u03C2\uFFFDb'],
		['Japanese that was decoded in the wrong way', 'æ½®ä½\u008dã‚’èª\u00adã‚€'],
		['a stack line of a package', '    at run (node_modules/jest-circus/build/run.js:71:5)'],
		[
			'a stack line of Node',
			'    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
		],
		['a file that git merges without a conflict', 'Auto-merging src/ferries/rows.ts'],
		['the progress of a rebase', 'Rebasing (2/7)'],
		['the head of a hunk in a patch', '@@'],
		['a hint of Node', '(Use `node --trace-warnings ...` to show where the warning was created)'],
		[
			'a warning of Node about its own features',
			'(node:71) ExperimentalWarning: VM Modules is an experimental feature',
		],
		['a run of Jest without snapshots', 'Snapshots:   0 total'],
		['a request of npm for money', '26 packages are looking for funding'],
		['a hint of npm', 'run `npm fund` for details'],
		['another hint of npm', 'To address issues that do not require attention, run:'],
		['the command of a hint of npm', 'npm audit fix --force'],
		['the files of a run of Jest', 'Ran all test suites matching src/rows.test.ts.'],
		['a line of an encoded key', 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'],
		['a measurement in a header of HTTP', 'x-runtime: 0.309451'],
	])('output that tools add is removed: %s', (_, line) => expect(cleanText(line)).toBe(''));

	it.each([
		'===== 2 failed, 13 passed in 2.49s =====',
		'at drawTide (src/tides/chunk-reader.ts:12:7)',
		'onClick @ Pier.tsx:41',
		'at pay (/srv/app/src/booking-checkout2.js:41:7)',
		'   Compiling tide-tables v0.9.5 (/srv/tides)'.trim(),
		"FAILED tests/test_tides.py::test_names - assert '\uFFFD\uFFFD\uFFFD' == 'Süd'",
		'Die Größe wird als â€žGrÃ¶ÃŸeâ€œ angezeigt, das ist falsch.',
		'9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
		'1. Write the notes.',
		'Coverage: 85% of lines',
		'1461: return None',
		'--- FAIL: TestTotals (0.00s)',
		'test total::of_one_row ... FAILED',
		'✓ built in 1.42s',
		'✓ 42 modules transformed.',
		'12:30',
		'0016-tides-of-the-harbour.md',
		'2-harbour.md',
		'@@ -12,7 +12,9 @@ export function total() {',
		'@@ class Rows:',
		'CONFLICT (content): Merge conflict in src/ferries/rows.ts',
		'error: could not apply 1a2b3c4... Count rows',
		'(node:71) DeprecationWarning: Buffer() is deprecated',
		'Snapshots:   1 failed, 3 passed, 4 total',
		'Ran all test suites in 4 s, two failed',
		'Ran all test suites matching the ferries, and two of them failed.',
		'added 87 packages, and audited 88 packages in 8s',
		'4 moderate severity vulnerabilities',
		'npm audit fix broke the lock file',
		'Auto-merging of pull requests breaks the queue.',
		'no changes added to commit 1a2b3c4, so it is empty',
	])('the line %s is not removed as noise', (line) => expect(cleanText(line)).toBe(line));

	it('line numbers of matches and of lines next to them are removed', () => {
		expect(cleanText('12:const tide = 4;\n13-\tconst pier = 7;\n14-return tide + pier;')).toBe(
			'const tide = 4;\nconst pier = 7;\nreturn tide + pier;',
		);
	});

	it.each([
		['a link', '\u001b]8;;https://ferries.example/7\u001b\\The disk\u001b]8;;\u001b\\ is full'],
		['a reset of the character set', 'The disk \u001b[1mis\u001b(B\u001b[m full\u001b='],
		['a colour with colons', '\u001b[38:2:255:0:0mThe disk is full\u001b[0m'],
	])('the escape codes of %s are removed', (_, line) => expect(cleanText(line)).toBe('The disk is full'));

	it('a picture that a terminal prints as base64 is not quoted, and the text around it is', () => {
		const picture = Buffer.from(Array.from({ length: 3000 }, (_, no) => (no * 7919) % 251)).toString(
			'base64',
		);
		const print = call('Bash', { command: 'python chart.py' });
		const printed = `The chart of ferries has no data.\n]1337;File=inline=1:${picture}`;
		const text = summaryOf([
			user(1, 'Draw it.'),
			assistant(2, '', print),
			result(3, print, printed),
			assistant(4, `This was printed for the chart of berths: ${picture}`),
		]);
		expect(text).toContain('The chart of ferries has no data.');
		expect(text).not.toMatch(/[A-Za-z0-9+/]{160}/);
	});

	it('a call is shown without technical options', () => {
		const made = call('exec_command', {
			cmd: 'npm test',
			yield_time_ms: 10_000,
			max_output_tokens: 4000,
			limit: 20,
		});
		expect(renderCall(made)).toBe('exec_command npm test limit=20');
		expect(renderWholeCall(made)).toBe('exec_command npm test limit=20');
	});

	it('a note that a command printed nothing is not quoted', () => {
		const list = call('Bash', { command: 'ls notes/ferries 2>/dev/null' });
		const text = summaryOf([
			user(1, 'List the rows.'),
			assistant(2, 'I list them.', list),
			result(3, list, '(Bash completed with no output)'),
			assistant(4, 'There are no rows.'),
		]);
		expect(text).not.toContain('[#3 Bash');
	});

	it.each(['No response requested.', '(no content)'])(
		'an answer that only says that there is none is left out: %s',
		(note) => {
			const text = summaryOf([user(1, 'Stop.'), assistant(2, note), user(3, 'Now the rows.')]);
			expect(text).not.toContain(note);
		},
	);

	it('what Gemini CLI writes before an output is not quoted', () => {
		const run = call('run_shell_command', { command: './ferry --list' });
		const output =
			'Command: ./ferry --list\nDirectory: (root)\nOutput: berth 7 is free\nError: (none)\nExit Code: 0';
		expect(readResult(3, run, output).text).toMatch(/^berth 7 is free\n/);
		expect(readResult(3, run, 'Command: stop\nOutput: none').text).toBe('Command: stop\nOutput: none');
	});
});
