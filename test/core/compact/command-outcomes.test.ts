import { describe, expect, it } from 'vitest';
import { call } from './facts-sources.ts';
import { ran, sessionOfCalls, summaryOf } from './summaries.ts';

describe('outcomes of commands', () => {
	it('the outcome of a check is its result line, wherever that is in the remaining output', () => {
		const output = `FAIL shop/total.test.ts (6.2 s)\n${'  console.log\n    rows are 3\n      at log (src/log.ts:11:2)\n'.repeat(200)}`;
		expect(summaryOf(ran(['npm test | head -700', output]))).toContain('→ FAIL shop/total.test.ts (6.2 s)');
	});

	it.each([
		['at Object.<anonymous> (src/log.ts:11:2)'],
		['https://example.com/docs/cli'],
		['console.log'],
		['● Total › of one row:'],
	])('the outcome of a command is not a line that only names a location: %s', (last) => {
		const text = summaryOf(
			ran(['./import --all', `The index is missing, so nothing was imported.\n${last}`]),
		);
		expect(text).toContain('./import --all → The index is missing, so nothing was imported.');
	});

	it('the outcome of a failed script is its last line if no line names an error', () => {
		const output =
			'Deploying 2.4 to the quay...\nDeployed\nDeploying 2.4 to the pier...\nThe pier does not answer';
		expect(summaryOf(ran(['./deploy.sh quay && ./deploy.sh pier', output, true]))).toContain(
			'→ failed: The pier does not answer',
		);
	});

	it.each([
		['Claude Code', call('Bash', { command: 'git commit -m Berths && git push' })],
		['Codex', call('exec_command', { cmd: 'git commit -m Berths && git push' })],
	])('the outcome of a failed command of %s is its error, not a notice of what will fail', (_, made) => {
		const output =
			'hooks: old syntax\n\nSuch hooks WILL FAIL in version 12\n\nfatal: The branch pier has no upstream branch.';
		const text = summaryOf(sessionOfCalls([made, output, true]));
		expect(text).toContain('git push → failed: fatal: The branch pier has no upstream branch.');
	});

	it('the outcome of a background command is its output, not the element around it', () => {
		const read = call('TaskOutput', { task_id: 'b7' });
		const output =
			'<retrieval_status>success</retrieval_status>\n\n<task_id>b7</task_id>\n\n<output>\nListening on port 4173\n</output>';
		expect(summaryOf(sessionOfCalls([read, output]))).not.toContain('</output>');
	});

	it.each(['killed', 'stopped', 'failed'])(
		'the outcome of a task in the background says that it was %s',
		(state) => {
			const start = call('Bash', { command: 'npm test', run_in_background: true });
			const read = call('TaskOutput', { task_id: 'b7' });
			const output = `<retrieval_status>success</retrieval_status>\n\n<task_id>b7</task_id>\n\n<task_type>local_bash</task_type>\n\n<status>${state}</status>\n\n<output>\nPASS a.test.ts\nTests: 12 passed, 12 total\n</output>`;
			const text = summaryOf(
				sessionOfCalls([start, 'Command running in background with ID: b7'], [read, output]),
			);
			expect(text).toMatch(new RegExp(`The task (?:was )?${state}\\.`));
		},
	);

	it('the status in XML that a command prints is a part of its outcome', () => {
		const output = '<response>\n<ship>K7</ship>\n<status>ERROR</status>\n</response>';
		expect(summaryOf(ran(['curl -s http://quay/state.xml', output]))).toContain('<status>ERROR</status>');
	});

	it('the outcome of an installation has the packages that came and those that went', () => {
		const output = 'devDependencies:\n- eslint 8.57.0\n+ eslint 9.14.0\nDone in 3.2s';
		expect(summaryOf(ran(['pnpm add -D eslint@9', output]))).toContain('- eslint 8.57.0 | + eslint 9.14.0');
	});

	it('the outcome of a command is a location if there is no other line', () => {
		expect(summaryOf(ran(['./publish', 'https://example.com/pull/7']))).toContain(
			'./publish → https://example.com/pull/7',
		);
	});

	it.each([
		["bash -lc 'cat src/rows.ts'", 'cat src/rows.ts'],
		['/bin/bash -lc "sed -n \'1,80p\' src/rows.ts"', "sed -n '1,80p' src/rows.ts"],
		['cat src/rows.ts', 'cat src/rows.ts'],
	])('a command that only shows a file has no outcome, and its shell is not named: %s', (command, shown) => {
		const text = summaryOf(
			ran([command, 'export const rows = [];\nif (rows.length) {\nreturn merged;']),
			120,
		);
		expect(text).toContain(`Bash ${shown}\n`);
	});

	it.each([
		['mcp__exa__web_search_exa', { query: 'ferry build fails' }],
		['WebFetch', { url: 'https://example.com/ferry' }],
		['read_file', { path: 'docs/ferry.md' }],
		['mcp__docs__query-docs', { topic: 'ferry' }],
	])('an exit code in a text that a tool found is not its own: %s', (name, args) => {
		const page = `The ferry build\nIt ended with exit code 1 and no word.\n${'The pier is wet and the ferry waits for the tide.\n'.repeat(20)}`;
		const text = summaryOf(sessionOfCalls([call(name, args), page]));
		expect(text).not.toContain('→ exit 1');
	});

	it.each([
		['pip install ferry', 'Successfully installed ferry-2.4.1', 'and want to suppress this warning.'],
		['npm install ferry', 'added 48 packages, and audited 49 packages in 2s', 'Run npm audit for details.'],
	])(
		'the outcome of an installation is what was installed, not the advice below: %s',
		(command, line, advice) => {
			const progress = Array.from({ length: 6 }, (_, no) => `Collecting ferry-part-${no} from the harbour`);
			const text = summaryOf(ran([command, [...progress, line, advice].join('\n')]), 200);
			expect(text).toContain(`${command} → ${line}`);
		},
	);

	it('the outcome of a search is its only hit', () => {
		expect(summaryOf(ran(["bash -lc 'grep -n total src/rows.ts'", '12: const total = 3;']))).toContain(
			'grep -n total src/rows.ts → 12: const total = 3;',
		);
	});

	it('the outcome of a command is its whole output if that is short', () => {
		expect(summaryOf(ran(['./tide --version && ./tide where', 'tide 0.7.6\n/srv/tide\n']))).toContain(
			'→ tide 0.7.6 | /srv/tide\n',
		);
	});

	it('a check that passed keeps only its outcome', () => {
		const log = [1, 2, 3].map((test) => `--- PASS: TestImporter_rows_${test} (0.0${test}s)`).join('\n');
		const text = summaryOf(
			ran(["bash -lc 'go test -v ./...'", `${log}\nINFO stored_rows=12\nok  shop/rows 0.4s`]),
		);
		expect(text).toContain('ok  shop/rows 0.4s');
		expect(text).not.toMatch(/TestImporter_rows|stored_rows/);
	});

	it('a command that the user interrupted keeps its output', () => {
		const log = `[Request interrupted by user]\n${'INFO a row was imported\n'.repeat(60)}stored_rows_until_now=4812`;
		expect(summaryOf(ran(['./import --all', log, true]))).toContain('stored_rows_until_now=4812');
	});

	it('a check that failed keeps its log', () => {
		const log = 'TypeError: rows_of_import is not iterable\nINFO stored_rows=12\n2 failed, 3 passed';
		expect(summaryOf(ran(['npm test', log, true]))).toContain('rows_of_import is not iterable');
	});

	it('the outcome of a commit names the commit', () => {
		const output = '[main 7e00b6e] fix: count every row\n 2 files changed, 9 insertions(+)';
		expect(summaryOf(ran(['git commit -m "fix: count every row"', output]))).toContain(
			'→ [main 7e00b6e] fix: count every row',
		);
	});

	it.each(['git status', 'git fetch && git diff main', 'git log -n 3'])(
		'the last of many lines is not the outcome of a command that lists: %s',
		(command) => {
			const lines = Array.from({ length: 20 }, (_, no) => `changed: shop/rows_of_table_${no}.ts`);
			expect(summaryOf(ran([command, lines.join('\n')]))).toMatch(new RegExp(`${command}(?:\\n|$)`));
		},
	);

	it('the outcome of a git diff that only names files is all the files', () => {
		const files = ['shop/rows.ts', 'shop/total.ts', 'test/total.test.ts'];
		expect(summaryOf(ran(['git diff --name-only --diff-filter=U', files.join('\n')]))).toContain(
			`→ ${files.join(' | ')}`,
		);
	});

	it('the outcome of a check is not a notice of the agent', () => {
		const output = 'rows in the table: 12\nShell cwd was reset to /srv/shop';
		expect(summaryOf(ran(['cd /tmp && ./count --all', output]))).toContain('→ rows in the table: 12');
	});

	it('the outcome of tests in Go names one package that passed, or those that failed', () => {
		const passed = ['rows', 'total', 'desk'].map((name) => `ok  \tshop/${name}\t(cached)`);
		expect(summaryOf(ran(['make test', passed.join('\n')]))).toContain(
			'make test → ok  \tshop/desk\t(cached)',
		);
		const failed = [...passed, 'FAIL\tshop/berths\t0.2s', ...passed, 'FAIL'];
		const text = summaryOf(ran(['make test', failed.join('\n')]));
		expect(text).toContain('make test → FAIL\tshop/berths\t0.2s\n');
	});

	it('the error in the middle of a long output is the outcome of a failed check', () => {
		const log = 'INFO a row was imported\n'.repeat(220);
		const output = `Exit code 1\n${log}total_test.go:60: share = 33.3%, want 42.9%\n${log}FAIL`;
		expect(summaryOf(ran(['make test', output, true]))).toContain(
			'total_test.go:60: share = 33.3%, want 42.9%',
		);
	});

	it.each([
		'git commit -m "Add log rotation"',
		'git add -A && git commit -m "fix: show every row"',
		'git commit -qam x && git log --oneline -1',
	])('the outcome of a commit is its report, whatever its message says: %s', (command) => {
		const output = `[main 7e00b6e] a message\n${' create mode 100644 shop/rows.ts\n'.repeat(20)}`;
		expect(summaryOf(ran([command, output]))).toContain('→ [main 7e00b6e] a message');
	});

	it('the outcome of a check names the package that passed next to another totals line', () => {
		const output = 'ok  \tshop/rows\t0.1s\nok  \tshop/desk\t0.2s\n0 issues.';
		expect(summaryOf(ran(['make test lint', output]))).toContain('→ ok  \tshop/desk\t0.2s | 0 issues.');
	});

	it('the outcome of a check keeps the totals of Jest and Vitest, whose failed files look like packages of Go', () => {
		const log = 'a row was imported\n'.repeat(30);
		const output = `${log}FAIL test/a.test.ts\nTests: 1 failed, 41 passed, 42 total`;
		expect(summaryOf(ran(['npx jest | tail -40', output]))).toMatch(/→ .*1 failed, 41 passed, 42 total/);
	});

	it('the outcome of git diff --stat is its totals line', () => {
		const files = Array.from({ length: 30 }, (_, no) => ` shop/rows_of_table_${no}.ts | 12 ++++----`);
		const output = [...files, ' 30 files changed, 340 insertions(+)'].join('\n');
		expect(summaryOf(ran(['git diff --stat main', output]))).toContain(
			'→ 30 files changed, 340 insertions(+)',
		);
	});

	it('a diff is no outcome, even if a later command has an option --stat', () => {
		const diff = '-const total = 3;\n+const total = rows.length;';
		expect(summaryOf(ran(['git diff src/a.ts; npm run size -- --stat', diff]))).not.toContain('→ -const');
	});

	it.each([
		['git commit -qam x; git show', '→ [main 7e00b6e] a message'],
		['git diff src/a.ts # review before commit', undefined],
	])('a line of a diff is not the outcome of a script with a commit: %s', (command, outcome) => {
		const diff = Array.from({ length: 40 }, (_, no) => `+const total_${no} = rowsOfTable.length;`).join('\n');
		const text = summaryOf(ran([command, `${outcome ? '[main 7e00b6e] a message\n' : ''}${diff}`]));
		expect(text).not.toContain('→ +const');
		if (outcome) expect(text).toContain(outcome);
	});

	it('the outcome of tests in Go names the package that failed if tabs are expanded', () => {
		const output = 'FAIL    shop/rows       0.123s\nok      shop/zoo        0.201s\nFAIL';
		expect(summaryOf(ran(['go test ./... | tail -50', output]))).toMatch(/→ .*shop\/rows/);
	});
});
