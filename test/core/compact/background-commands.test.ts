import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sessionOfCalls, summaryOf } from './summaries.ts';

const running =
	'Command running in background with ID: b7. Output is being written to: /tmp/tasks/b7.output. You will be notified when it completes.';
const file = '/tmp/tasks/b7.output';
const readFile = call('Read', { file_path: file });
const showFile = call('Bash', { command: `sleep 30; tail -5 ${file}` });

function notice(status: string, end: string): string {
	return `<task-notification>\n<task-id>b7</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<output-file>${file}</output-file>\n<status>${status}</status>\n<summary>Background command "Build the ferry" ${end}</summary>\n</task-notification>`;
}

const failed = notice('failed', 'failed with exit code 101');
const completed = notice('completed', 'completed (exit code 0)');

/** Returns the summary of a session in which Claude Code runs a command in the background, and then `more` happens. */
function summaryAfter(command: string, ...more: Source[]): string {
	const made = call('Bash', { command, run_in_background: true });
	return summaryOf([
		user(1, 'Build the ferry.'),
		assistant(2, '', made),
		result(3, made, running),
		...more,
		assistant(20, 'I saw it.'),
		user(21, 'Go on.'),
	]);
}

const noticeOf = (seq: number, text: string): Source => user(seq, text, { isInjected: true });

describe('a command that Claude Code runs in the background', () => {
	it('has the exit code of the notice of its end', () => {
		const text = summaryAfter('cargo build', noticeOf(4, failed));
		expect(text).toMatch(/cargo build.* → exit 101$/m);
		expect(text).toMatch(/^State:.*cargo build: exit 101 \(#4\)/m);
		expect(text).not.toContain('running');
	});

	it('that is no check tells that it ended well', () => {
		expect(summaryAfter('npm run ferry:sync', noticeOf(4, completed))).toMatch(
			/npm run ferry:sync.* → exit 0$/m,
		);
	});

	it('passes as a check if the notice says so', () => {
		expect(summaryAfter('cargo build', noticeOf(4, completed))).toMatch(
			/^State:.*cargo build: exit 0 \(#4\)/m,
		);
	});

	it('does not pass as a check if a pipe hides its exit code', () => {
		const text = summaryAfter('cargo build 2>&1 | tail -15', noticeOf(4, completed));
		expect(text).toMatch(/^State:.*cargo build.*: .*ended, its output was not read \(#4\)/m);
	});

	it.each([
		['that was read', readFile],
		['that a command showed', showFile],
	])('failed as its output says %s before the notice, although a pipe hides the exit code', (_, shown) => {
		const output =
			'13\terror: could not compile `ferry` (lib) due to 36 previous errors\n14\twarning: build failed, waiting for other jobs to finish...';
		const text = summaryAfter(
			'cargo build 2>&1 | tail -15',
			assistant(4, '', shown),
			result(5, shown, output),
			noticeOf(6, completed),
		);
		expect(text).toMatch(/^State:.*cargo build.*: error: could not compile `ferry` .* \(#6\)/m);
		expect(text).not.toMatch(/^\[#\d+\] (?:Read|Bash sleep)/m);
	});

	it.each([
		['read', readFile],
		['shown by a command', showFile],
	])('still runs if its output is %s before the notice', (_, shown) => {
		const text = summaryAfter('cargo build', assistant(4, '', shown), result(5, shown, '1\tCompiling ferry'));
		expect(text).toMatch(/^State:.*cargo build: still running then/m);
	});

	it('names the error that is read after the notice', () => {
		const text = summaryAfter(
			'cargo build',
			noticeOf(4, failed),
			assistant(5, '', readFile),
			result(6, readFile, '1\tCompiling ferry\n2\terror[E0277]: the deck is not a `Deck`'),
		);
		expect(text).toMatch(/cargo build.* → exit 101: error\[E0277\]: the deck is not a `Deck`$/m);
	});

	it('keeps its own outcome if a call cannot read its output', () => {
		const text = summaryAfter(
			'cargo build',
			noticeOf(4, failed),
			assistant(5, '', readFile),
			result(6, readFile, 'File does not exist.', true),
		);
		expect(text).toMatch(/cargo build.* → exit 101$/m);
		expect(text).toMatch(/Read .*b7\.output → failed: File does not exist/);
	});

	it('is not ended by a notice of another command, or by words that the user typed', () => {
		const other = noticeOf(4, failed.replace('b7<', 'b8<'));
		expect(summaryAfter('cargo build', other)).toContain('cargo build: still running then');
		expect(summaryAfter('cargo build', user(4, `I saw this: ${failed}`))).toContain('still running then');
	});

	it('has the outcome of its last notice if a message contains several', () => {
		const both = noticeOf(4, `${failed.replace('b7<', 'b8<')}\n${completed}`);
		expect(summaryAfter('cargo build', both)).toMatch(/^State:.*cargo build: exit 0 \(#4\)/m);
	});
});

it('what a call answers that stopped a command is no record', () => {
	const stop = call('TaskStop', { task_id: 'm1' });
	const answer = '{"message":"Successfully stopped task: m1","task_id":"m1","task_type":"local_bash"}';
	const rows = [
		{
			id: 'm1',
			idName: 'task_id',
			parent: '',
			fields: {},
			lines: ['m1: task_type local_bash'],
			memberLines: [],
		},
	];
	const text = summaryOf([
		user(1, 'Stop it.'),
		assistant(2, '', stop),
		{ ...result(3, stop, answer), rows },
		assistant(4, 'It is stopped.'),
	]);
	expect(text).toContain('TaskStop m1 → stopped');
	expect(text).not.toContain('local_bash');
});

describe('commands that still run', () => {
	const formats: [agent: string, made: ToolCall, output: string, shown: string, stop: [ToolCall, string]][] =
		[
			[
				'Claude Code',
				call('Bash', { command: 'npm run harbour', run_in_background: true }),
				running,
				'Bash npm run harbour run_in_background=true (b7, #2)',
				[call('KillShell', { shell_id: 'b7' }), 'Successfully killed shell: b7'],
			],
			[
				'Codex',
				call('exec_command', { cmd: 'npm run harbour' }),
				'Wall time: 10.0 seconds\nProcess running with session ID 12\nOutput:\nready',
				'exec_command npm run harbour (12, #2)',
				[
					call('write_stdin', { session_id: 12, chars: '\u0003' }),
					'Process exited with code 130\nOutput:\n^C',
				],
			],
			[
				'Copilot',
				call('bash', { command: 'npm run harbour' }),
				'<command with shellId: 12 is still running after 30 seconds. Use read_bash to continue waiting for output.>',
				'bash npm run harbour (12, #2)',
				[call('stop_bash', { shellId: '12' }), '<command with id: 12 stopped>'],
			],
		];

	it.each([
		['Codex', call('exec_command', { cmd: 'cargo run' }), 'Process exited with code 1\nOutput:\n^C', true],
		['Claude Code', call('Bash', { command: 'cargo run' }), 'Exit code 130\nlistening on 4000\n^C', true],
	])('a command of %s that was ended with the keyboard did not fail', (_, made, output, failed) => {
		const text = summaryOf(sessionOfCalls([made, output, failed]));
		expect(text).toContain('cargo run → stopped');
		expect(text).not.toContain('exit 1');
	});

	it('a script that was ended with the keyboard did not go on to its commit', () => {
		const made = call('Bash', { command: 'npm run codegen && git commit -m Tides' });
		const text = summaryOf(sessionOfCalls([made, 'Exit code 130\ngenerating 1 of 9\n^C', true]));
		expect(text).not.toContain('→ stopped');
	});

	it('a check that had reported a failure before it was ended with the keyboard failed', () => {
		const made = call('Bash', { command: 'npx vitest' });
		const text = summaryOf(sessionOfCalls([made, 'Exit code 130\nTests  2 failed | 3 passed (5)\n^C', true]));
		expect(text).not.toContain('→ stopped');
	});

	it.each([
		'write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true',
		'write_stdin failed: failed to write to stdin',
	])('a check did not pass if nothing but the input to it failed: %s', (report) => {
		const lint = call('exec_command', { cmd: 'npx ferry lint' });
		const stop = call('write_stdin', { session_id: 12, chars: '\u0003' });
		const text = summaryOf(
			sessionOfCalls(
				[lint, 'Wall time: 30.0 seconds\nProcess running with session ID 12\nOutput:\nInstalling tides'],
				[stop, report],
			),
		);
		expect(text).toContain('npx ferry lint: still running then');
		expect(text).not.toContain('passed');
	});

	it('the output of a command that still ran is not marked because the command failed and passed later', () => {
		const run = (): ToolCall => call('exec_command', { cmd: 'cargo check' });
		const poll = call('write_stdin', { session_id: 12, chars: '' });
		const download = Array.from({ length: 4 }, (_, index) => `Downloading part ${index} of the ferry tables`);
		const text = summaryOf(
			sessionOfCalls(
				[run(), `Process running with session ID 12\nOutput:\n${download.join('\n')}`],
				[poll, 'Process exited with code 101\nOutput:\nerror[E0382]: use of moved value: `pier`', true],
				[run(), 'Process exited with code 0\nOutput:\nFinished in 2.1s'],
			),
		);
		expect(text).toMatch(/^\[#3 exec_command\] Downloading part/m);
		expect(text).toContain('(passed later, #7)');
	});

	it.each(formats)(
		'the state names a command of %s of which no end was seen',
		(_, made, output, shown, stop) => {
			expect(summaryOf(sessionOfCalls([made, output]))).toContain(`State: not seen to end: ${shown}\n`);
			expect(summaryOf(sessionOfCalls([made, output], stop))).not.toContain('not seen to end');
		},
	);

	it.each(['kill 4711', 'lsof -ti:5173 | xargs kill -9', 'pkill -f harbour', 'npx kill-port 5173'])(
		'a command may have ended after %s',
		(command) => {
			const made = call('Bash', { command: 'npm run harbour', run_in_background: true });
			const text = summaryOf(sessionOfCalls([made, running], [call('Bash', { command }), '']));
			expect(text).not.toContain('not seen to end');
		},
	);

	it('the state names the two newest commands, and no check', () => {
		const made = [1, 2, 3, 4].map((index): [ToolCall, string] => [
			call('Bash', { command: index === 4 ? 'npm test' : `npm run harbour:${index}` }),
			running.replaceAll('b7', `b${index}`),
		]);
		expect(summaryOf(sessionOfCalls(...made))).toMatch(
			/not seen to end: Bash npm run harbour:2 \(b2, #4\); Bash npm run harbour:3 \(b3, #6\)$/m,
		);
	});
});

describe('a command in the background whose end was not noticed', () => {
	const made = call('Bash', { command: 'python -m pip install tides > pip.log', run_in_background: true });
	const before = [user(1, 'Draw the tides.'), assistant(2, '', made), result(3, made, running)];

	it('has ended if the agent says so', () => {
		const text = summaryOf([
			...before,
			assistant(4, 'pip install finished. I will draw them.'),
			user(5, 'Go on.'),
		]);
		expect(text).not.toContain('not seen to end');
	});

	it('may still run if the agent only supposes its end', () => {
		const words = 'If pip install failed, I have to draw them by hand.';
		expect(summaryOf([...before, assistant(4, words), user(5, 'Go on.')])).toContain('not seen to end');
	});

	it('may still run if the agent says that another command ended', () => {
		const text = summaryOf([
			...before,
			assistant(4, 'npm install finished. I will draw them.'),
			user(5, 'Go on.'),
		]);
		expect(text).toContain('not seen to end');
	});

	it('of which a script only printed the id ended when a later call read its result', () => {
		const bench = call('exec_command', { cmd: 'cargo bench' });
		const poll = call('write_stdin', { session_id: 95469, chars: '' });
		const text = summaryOf([
			user(1, 'Measure it.'),
			assistant(2, '', bench),
			result(3, bench, 'SESSION_ID=95469'),
			assistant(4, '', poll),
			result(5, poll, 'tides per second: 529726\nProcess exited with code 0'),
			assistant(6, 'Measured.'),
		]);
		expect(text).not.toMatch(/→ .*SESSION_ID/);
	});
});

describe('a process that a script starts in the background', () => {
	const bash = (command: string): ToolCall => call('Bash', { command });
	const codex = (command: string): ToolCall => call('exec_command', { cmd: command });
	const train = 'nohup python tides.py --epochs 90 > tides.log 2>&1 &\necho "PID: $!"';

	it.each([
		[bash(train), 'PID: 4711', 'PID 4711, '],
		[codex(train), 'Process exited with code 0\nOutput:\nPID: 4711', 'PID 4711, '],
		[bash('python tides.py &> tides.log & echo $!'), '4711', 'PID 4711, '],
		[bash('cd pier && (npm run harbour &)'), '', ''],
		[bash('npm run harbour > "a & b.log" 2>&1 &\nsleep 3; curl localhost:5173/berths'), '{"free": 2}', ''],
	])('is named in the state as not seen to end: %j', (made, output, id) => {
		expect(summaryOf(sessionOfCalls([made, output]))).toMatch(
			new RegExp(`^State: .*not seen to end: .* \\(${id}#2\\)$`, 'm'),
		);
	});

	it.each([
		[train, 'PID: 4711', [bash('kill 4711'), '']],
		[train, 'PID: 4711', [bash('fuser -k 5173/tcp'), '']],
		[train, 'PID: 4711', [bash('tail -3 tides.log'), "ModuleNotFoundError: No module named 'tide'"]],
		[train, 'PID: 4711', [bash('jobs'), '[1]+  Done                    nohup python tides.py']],
		[train, '/bin/sh: python: command not found\nerror: cannot start', [bash('pwd'), '/srv']],
		[`${train}\nwait`, 'PID: 4711', [bash('pwd'), '/srv']],
		['curl -s localhost:5173/berths & echo started', 'started', [bash('pwd'), '/srv']],
		['git commit -m "Add pier & harbour"', '[main 1a2b3c4] Add pier & harbour', [bash('pwd'), '/srv']],
		['python tides.py 2>&1 && echo done', 'done', [bash('pwd'), '/srv']],
		['echo $((31 & 3))', '3', [bash('pwd'), '/srv']],
		['http GET localhost/berths?free=1&pier=2', '[]', [bash('pwd'), '/srv']],
		['npm install & node build.js', 'built', [bash('pwd'), '/srv']],
		[train, 'PID: 4711', [bash('tail -3 tides.log'), 'Training complete. Model saved']],
		[train, 'PID: 4711', [bash('curl localhost:80'), 'curl: (7) Failed to connect to localhost']],
	] as [string, string, [ToolCall, string]][])(
		'is not named if it was stopped, failed or ended: %s, %s, %j',
		(command, output, next) => {
			expect(summaryOf(sessionOfCalls([bash(command), output], next))).not.toContain('not seen to end');
		},
	);

	it('is not named after words about its end, and once if it was started again', () => {
		const made = bash(train);
		const before = [user(1, 'Predict the tides.'), assistant(2, '', made), result(3, made, 'PID: 4711')];
		for (const words of ['The training has finished.', 'I stopped the training.']) {
			const ended = [...before, assistant(4, words), user(5, 'Go on.')];
			expect(summaryOf(ended)).not.toContain('not seen to end');
		}
		const again = summaryOf(sessionOfCalls([bash(train), 'PID: 4711'], [bash(train), 'PID: 4712']));
		expect(again).toMatch(/not seen to end: (?!.*4711).*\(PID 4712, #4\)$/m);
	});
});
