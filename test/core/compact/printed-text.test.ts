import { describe, expect, it } from 'vitest';
import { judgeCall } from '../../../server/core/analysis/calls/callEnd.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

/** Lines before the last one, which make the output too long to be shown whole. */
const lines = 'The ferry berths at the second pier as long as the tide is low.\n'.repeat(12);

const formats: [tool: string, args: (command: string) => unknown, wrap: (output: string) => string][] = [
	['Bash', (command) => ({ command }), (output) => output],
	['command_execution', (command) => ({ command: `bash -lc '${command}'` }), (output) => output],
	['shell', (command) => ({ command: ['bash', '-lc', command] }), (output) => output],
	[
		'exec_command',
		(cmd) => ({ cmd }),
		(output) => `Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n${output}\n`,
	],
	[
		'run_shell_command',
		(command) => ({ command }),
		(output) => `Output: ${output || '(empty)'}\nError: (none)\nExit Code: 0\nSignal: 0\n`,
	],
];

describe.each(formats)('text that a command of %s prints', (tool, create, wrap) => {
	const judge = (command: string, output: string): string => {
		const made = call(tool, create(command));
		return judgeCall(made, result(2, made, wrap(output))).message;
	};

	it.each([
		['go doc example.com/ferry Config | grep -A3 Tide', 'func StdPier(log *Logger) Pier'],
		['go doc example.com/ferry Pier', 'Pier is where ferries berth'],
		['git stash --help | tail -40', 'It is described in the manual'],
		['man rsync | head -80', 'Files are compared by size'],
		['go mod graph | grep ferry', 'example.com/ferry@v1.9.0 go@1.21'],
		['curl -s https://example.com/a.go | sed -n 3,40p', 'It berths at noon'],
		['./dump && cat out/dump.txt 2>/dev/null || echo missing', 'It berths at noon'],
		['for f in a b; do ./name $f; cat $f; done', 'It berths at noon'],
		['./dump | sort | head -n 40', 'It berths at noon'],
		['git branch -vv', '  pier/second 7c41e9b Berth at noon'],
		['cd pier && git worktree list', '/srv/pier 7c41e9b [second]'],
		['gh pr list --limit 40', '31 Berth at noon'],
		['docker compose ps', 'pier-1 Up 2 hours'],
		['./dump; head -n 40 out/dump.txt', 'It berths at noon'],
	])('has no line that states an outcome: %s', (command, last) => {
		expect(judge(command, `${lines}${last}`)).toBe('');
	});

	it.each(['for {', 'return err', '// It berths at noon', 'func berth(p Pier) error', 'berth(pier,'])(
		'has no outcome in its last line if that line is code: %s',
		(last) => {
			expect(judge('./generate', `${lines}${last}`)).toBe('');
		},
	);

	it.each([
		['./deploy | tail -n 20'],
		['./deploy 2>&1 | grep -v DEBUG | tail -n 20'],
		['./deploy || true'],
		['cd pier; ./deploy | tee deploy.log'],
		['go mod graph > graph.txt; ./deploy'],
		['./deploy $(cat names | head -n 1)'],
		['if ./ready; then ./deploy; fi'],
	])('does not hide the outcome of a program: %s', (command) => {
		expect(judge(command, `${lines}Deployed to the second pier`)).toBe('Deployed to the second pier');
	});

	it('does not hide the errors that a filter selects from the output of a check', () => {
		const output = `${lines}pier.c:3:1: error: no such berth`;
		expect(judge('make | grep -C 20 error', output)).toContain('error: no such berth');
	});

	it.each([
		'cat pier.txt',
		'grep -rn tide src | head -n 5',
		'git status --short',
		'go doc example.com/ferry',
	])('is reported as missing if there is none: %s', (command) => {
		expect(judge(command, '')).toBe('no output');
	});

	it.each([
		['a file is written', 'cat names > all.txt'],
		['a file is changed in place', 'sed -i s/a/b/ pier.txt'],
		['a file is changed in place by a script in quotation marks', "sed -i '12r tide.txt' pier.txt"],
		['the search is quiet', 'grep -q tide pier.txt'],
		['another program is the last one', 'cat pier.txt; mkdir out'],
	])('is not reported as missing if %s', (_, command) => {
		expect(judge(command, '')).toBe('');
	});
});

describe('an announcement of a call', () => {
	const announce = (
		budgetTokens: number,
		command: string,
		output: string,
		words = 'The gangway is closed only when the harbour office confirms each ticket of the crossing. Let me check how the office confirms the tickets:',
	): string => {
		const made = call('Bash', { command });
		const sources: Source[] = [
			user(0, 'Find out why the ferry leaves the pier too late.'),
			assistant(1, words, made),
			result(2, made, output),
			user(3, 'Go on.'),
		];
		return summaryOf(sources, budgetTokens);
	};

	it('is followed by a note if the call showed nothing', () => {
		const text = announce(90, 'go doc example.com/ferry Close || grep -r Close vendor', '');
		expect(text).toContain('Let me check how the office confirms the tickets → no output');
	});

	it.each([80, 100, 120])(
		'is not followed by "done" if the call only showed text (%i tokens)',
		(budgetTokens) => {
			const text = announce(budgetTokens, 'go doc example.com/ferry | grep -A9 Close', `${lines}for {`);
			expect(text).not.toContain('done');
		},
	);

	it('is kept without "done" if it is long enough to contain a finding', () => {
		const finding =
			'Let me look at the office - it looks like each ticket is queued at once, but the queue is only read after the gangway is closed:';
		const texts = [80, 90, 100, 110, 120, 130, 140, 150].map((budgetTokens) =>
			announce(budgetTokens, 'go doc example.com/ferry | grep -A9 Close', `${lines}for {`, finding),
		);
		expect(texts.join('\n')).toContain('only read after the gangway is closed.');
		expect(texts.join('\n')).not.toContain('done');
	});
});

it('a line around a match is no outcome of a search tool', () => {
	for (const name of ['grep', 'rg', 'codebase_search']) {
		const search = call(name, { pattern: 'berth' });
		const output = `/srv/pier.ts-11-}\n/srv/pier.ts:12:berth(ferry);\n${lines}`;
		expect(judgeCall(search, result(2, search, output)).message).toBe('');
	}
});
