import { describe, expect, it } from 'vitest';
import { renderCall, renderWholeCall } from '../../../server/core/analysis/calls/calls.ts';
import { assistant, call, done, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const thought =
	'The cache is keyed by the path alone, so that two branches share one entry and the second is never built.';

describe('a script that another shell passes to PowerShell', () => {
	it('is shown without the shells around it, the numbering of lines and the limit of time', () => {
		const command = [
			"@'",
			"$i=1; Get-Content src/tide.ts | ForEach-Object { '{0,4}: {1}' -f $i, $_; $i++ }",
			"'@ | powershell -NoProfile -Command -",
		].join('\n');
		expect(renderCall(call('shell_command', { command, timeout_ms: 10_000 }))).toBe(
			'shell_command Get-Content src/tide.ts',
		);
	});
});

it('a description is set apart from the command that it describes', () => {
	const made = call('Bash', { command: 'git reset', description: 'Empty the index' });
	expect(renderCall(made)).toBe('Bash Empty the index: git reset');
	expect(renderWholeCall(made)).toBe('Bash Empty the index: git reset');
	const asked = call('Task', { prompt: 'List the piers.', description: 'Piers' });
	expect(renderCall(asked)).toBe('Task Piers List the piers.');
	expect(renderWholeCall(asked)).toBe('Task Piers List the piers.');
});

describe('text in the arguments of a call', () => {
	it("a text that an agent wrote into a call's arguments is shown once, without the call", () => {
		const think = call('think', { thought });
		const text = summaryOf([user(1, 'Find it.'), assistant(2, '', think), result(3, think, 'Noted.')]);
		expect(text.split('The cache is keyed').length).toBe(2);
		expect(text).not.toMatch(/\bthink The cache/);
	});

	it('a call with a text in its arguments is shown with the text and the other arguments', () => {
		const send = call('send', { to: 'the team', message: thought });
		const text = summaryOf([user(1, 'Find it.'), assistant(2, '', send), result(3, send, 'Sent.')]);
		expect(text).toContain('the second is never built.');
		expect(text).toContain('send to=the team');
	});
});

describe('commands in the narrative', () => {
	it('a command is shown without the part that processes its own output', () => {
		const run = call('Bash', { command: 'make check 2>&1 | tail -40' });
		const text = summaryOf([
			user(1, 'Check it.'),
			assistant(2, '', run),
			result(3, run, 'all 14 checks passed'),
		]);
		expect(text).toContain('Bash make check → all 14 checks passed');
	});

	it.each([
		['cat quay/$(ls quay | head -n 1) 2>/dev/null', 'cat quay/$(ls quay | head -n 1)'],
		[
			'cat $(find $(pwd) -name tide 2>/dev/null | head -1) | tail -5',
			'cat $(find $(pwd) -name tide 2>/dev/null | head -1)',
		],
		['wc -l `git ls-files | head -3` 2>&1', 'wc -l `git ls-files | head -3`'],
		[
			'diff <(sort a | head -5) <(sort b | head -5) | head -20',
			'diff <(sort a | head -5) <(sort b | head -5)',
		],
	])('a command is shown with all of its substitutions: %s', (command, line) => {
		expect(renderCall(call('Bash', { command }))).toBe(`Bash ${line}`);
		expect(renderCall(call('shell', { command: ['bash', '-lc', command] }))).toBe(`shell ${line}`);
	});
});

describe('the shells of commands', () => {
	it.each([
		['a login shell, in which the agent starts all commands', "bash -lc 'echo *(N)'", 'Bash echo *(N)'],
		['a shell that the agent chose for the command', "bash -c 'echo *(N)'", "Bash bash -c 'echo *(N)'"],
		['another chosen shell', 'zsh -c "echo *(N)"', 'Bash zsh -c "echo *(N)"'],
	])('are shown if they matter: %s', (_, command, line) => {
		expect(renderCall(call('Bash', { command }))).toBe(line);
	});

	it('a command that works only in another shell is shown with that shell', () => {
		const [plain, chosen] = ['echo *(N)', "bash -c 'echo *(N)'"].map((command) => call('Bash', { command }));
		const text = summaryOf([
			user(1, 'List them.'),
			...done(2, [plain!, 'Exit code 1\nzsh: no matches found: *(N)', true], [chosen!, 'harbours']),
		]);
		expect(text).toMatch(/Bash echo \*\(N\) → exit 1: .*\(passed later, #5\)/);
		expect(text).toContain("Bash bash -c 'echo *(N)'");
	});
});

describe('calls in the narrative', () => {
	it.each([
		[
			'Claude Code',
			'Edit',
			{ file_path: 'a.ts', old_string: 'rowSum', new_string: 'rowTotal', replace_all: true },
		],
		['OpenCode', 'edit', { filePath: 'a.ts', oldString: 'rowSum', newString: 'rowTotal', replaceAll: true }],
	])('an edit that renames a word everywhere shows both names: %s', (_, name, args) => {
		expect(renderCall(call(name, args))).toMatch(/: rowSum becomes rowTotal$/);
		expect(renderWholeCall(call(name, args))).toMatch(/: rowSum becomes rowTotal$/);
		const line = {
			...args,
			...('old_string' in args ? { old_string: 'let sum = 3;' } : { oldString: 'a\nb' }),
		};
		expect(renderCall(call(name, line))).not.toContain('becomes');
	});

	it('a call is shown without arguments that are false', () => {
		const list = call('list_files', { path: 'src', deep: true, hidden: false });
		const text = summaryOf([
			user(1, 'Look.'),
			assistant(2, '', list),
			result(3, list, 'Exit code 3\nno such folder'),
		]);
		expect(text).toContain('list_files src deep=true → ');
	});
});

describe('arguments of calls', () => {
	it('a call is shown without options, with whole addresses and the name of its folder', () => {
		const fetch = call('Bash', {
			command: 'cd /home/me/work/shop && curl -s https://example.com/api/v2/rows/17',
			output_mode: 'content',
		});
		expect(renderCall(fetch)).toBe('Bash cd …/shop && curl -s https://example.com/api/v2/rows/17');
	});

	it('a long call is shown with a part of its pattern and with the searched files', () => {
		const pattern = 'moor_ferry|leave_pier|count_guests|paint_hull|raise_sail|drop_anchor|ring_bell';
		const search = call('Bash', {
			command: `rg -n "${pattern}" --type ts packages/harbour/src docs/ferries`,
		});
		expect(renderCall(search)).toBe(
			'Bash rg -n "moor_ferry|leave_pier|count_guests|paint…" --type ts packages/harbour/src docs/ferries',
		);
	});

	it.each([
		`git commit -m "${'Paint the ferry blue, and keep its old name. '.repeat(3)}" && git push`,
		`curl -s "https://example.com/api/v2/${'rows/'.repeat(20)}17" | jq .`,
	])('a message or an address in a long call is not cut in its middle: %s', (command) => {
		expect(renderCall(call('Bash', { command }))).not.toContain('…"');
	});

	it('a call is shown with the name of the folder in which its command runs', () => {
		const run = call('exec_command', { cmd: 'npm test', workdir: '/home/me/work/shop' });
		expect(renderCall(run)).toBe('exec_command npm test in shop');
		expect(renderWholeCall(run)).toBe('exec_command npm test in shop');
		const onWindows = call('exec_command', { cmd: 'npm test', workdir: 'C:\\work\\shop\\' });
		expect(renderCall(onWindows)).toBe('exec_command npm test in shop');
	});

	it('a call that starts PowerShell names it, because its script is none of another shell', () => {
		const list = call('Bash', { command: 'powershell -NoProfile -Command "Get-ChildItem dist"' });
		expect(renderCall(list)).toBe('Bash powershell: Get-ChildItem dist');
		const file = call('Bash', { command: 'powershell -File build.ps1' });
		expect(renderCall(file)).toBe('Bash powershell -File build.ps1');
	});
});

describe('outcomes of checks', () => {
	it('the outcome of a check is not the line that counts missing output', () => {
		const run = call('Bash', { command: 'npm test' });
		const text = summaryOf([
			user(1, 'Check it.'),
			assistant(2, '', run),
			result(3, run, 'Tests: 4 failed, 90 passed\n\n... [10460 lines truncated] ...'),
		]);
		expect(text).toContain('npm test: Tests: 4 failed, 90 passed (#3)');
	});
});

describe('results with records', () => {
	it("a result's record is shown without repeating the call", () => {
		const look = call('get_booking', { booking_id: 'K7Q2_BERGEN' });
		const booking = {
			...result(3, look, 'cabin economy, paid 5120'),
			rows: [{ parent: '', fields: {}, lines: ['cabin economy, paid 5120'], memberLines: [] }],
		};
		const text = summaryOf([user(1, 'Which cabin?'), assistant(2, '', look), booking]);
		expect(text.split('K7Q2_BERGEN')).toHaveLength(2);
	});

	it("a result's record is labelled with the call's arguments", () => {
		const look = call('get_booking', { id: 'K7Q2' });
		const booking = {
			...result(3, look, 'cabin economy, paid 5120'),
			rows: [{ parent: '', fields: {}, lines: ['cabin economy, paid 5120'], memberLines: [] }],
		};
		const text = summaryOf([user(1, 'Which cabin?'), assistant(2, '', look), booking]);
		expect(text).toContain('[#3 get_booking K7Q2] cabin economy, paid 5120');
	});
});

it.each([
	[
		'shell_command',
		{
			command: 'make up',
			timeout_ms: 90000,
			with_escalated_permissions: true,
			justification: 'The quay is closed.',
		},
	],
	[
		'exec_command',
		{ cmd: 'make up', sandbox_permissions: 'require_escalated', justification: 'The quay is closed.' },
	],
])('a command outside the sandbox of Codex is marked: %s', (name, args) => {
	expect(renderCall(call(name, args))).toBe(`${name} make up (escalated)`);
	expect(
		renderCall(
			call(name, { ...args, with_escalated_permissions: false, sandbox_permissions: 'use_default' }),
		),
	).toBe(`${name} make up`);
});

it.each([
	['after the limit of the call', 90.1, 'timed out after 90 s'],
	['before the limit of the call', 12, 'the quay is open'],
])('a command of Codex with exit code 124 that ended %s', (_, seconds, outcome) => {
	const run = call('shell_command', { command: 'make up', timeout_ms: 90_000 });
	const output = `Exit code: 124\nWall time: ${seconds} seconds\nOutput:\nthe quay is open\n`;
	expect(summaryOf([user(1, 'Open it.'), assistant(2, '', run), result(3, run, output, true)])).toContain(
		`make up → exit 124: ${outcome}`,
	);
});
