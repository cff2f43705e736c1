import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuOf } from '../support/childCpu.ts';
import { writeLongTranscript } from '../support/longTranscript.ts';
import { needsLinux } from '../support/needs.ts';
import { fillHome } from '../support/usedHome.ts';

const command = resolve('dist/contextd.cjs');

let home: string;
let project: string;
let input: string;

beforeAll(async () => {
	home = await mkdtemp(join(tmpdir(), 'contextd-test-'));
	project = join(home, 'work');
	await mkdir(project);
	await mkdir(join(home, 'elsewhere'));
	await fillHome(home, project, 600);
	const transcript = join(home, 'long.jsonl');
	await writeLongTranscript(transcript, 30_000_000, project);
	input = JSON.stringify({
		transcript_path: transcript,
		cwd: project,
		model: { id: 'claude-sonnet-4-5' },
		context_window: { context_window_size: 200_000 },
	});
});

afterAll(() => rm(home, { recursive: true, force: true }));

function run(args: string[], { cwd = project, env = {}, stdin = '' } = {}) {
	const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
		cwd,
		input: stdin,
		encoding: 'utf8',
		env: { PATH: process.env.PATH, HOME: home, ...env },
	});
	return { status, stdout, stderr };
}

describe('contextd statusline', () => {
	it('contextd statusline prints one coloured line from the JSON of Claude Code', () => {
		const { status, stdout, stderr } = run(['statusline'], { stdin: input });
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
		expect(stdout.startsWith('\u001b[32m')).toBe(true);
		const plain = run(['statusline'], { stdin: input, env: { NO_COLOR: '1' } }).stdout;
		expect(plain).toMatch(/^[█░]{10} \d+% · \d+k left · \d+ \w+ ago\n$/);
	});

	it('contextd statusline takes the window from Claude Code’s variables, and from --window', () => {
		const limit = (args: string[], env = {}) =>
			run(['statusline', '-f', '{limit} of {window}', ...args], { stdin: input, env }).stdout;
		expect(limit([])).toBe('167k of 200k\n');
		expect(limit([], { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' })).toBe('67k of 200k\n');
		expect(limit(['--window', '1000k'])).toBe('967k of 1M\n');
	});

	it('contextd statusline --help prints plain text into a pipe', () => {
		const { status, stdout } = run(['statusline', '--help']);
		expect({ status, isPlain: !stdout.includes('\u001b') }).toEqual({ status: 0, isPlain: true });
	});

	it('contextd statusline reports unusable input and options in one line', () => {
		expect(run(['statusline'], { stdin: 'nonsense' })).toMatchObject({
			status: 2,
			stdout: '',
			stderr: expect.stringMatching(/^contextd: statusline: expected the JSON object.*\n$/),
		});
		expect(run(['statusline', '-f', '{nothing}'])).toMatchObject({ status: 2, stdout: '' });
		expect(run(['statusline', '--nothing'])).toMatchObject({ status: 2, stdout: '' });
	});

	it('contextd statusline prints a line before Claude Code has written a transcript', () => {
		const stdin = JSON.stringify({
			transcript_path: join(home, 'none.jsonl'),
			model: { id: 'claude-haiku-4-5' },
		});
		expect(run(['statusline', '--ascii'], { stdin, env: { NO_COLOR: '1' } })).toMatchObject({
			status: 0,
			stdout: '---------- 0% | 167k left\n',
		});
		expect(run(['statusline'], { stdin, env: { NO_COLOR: '1', LC_ALL: 'C' } })).toMatchObject({
			stdout: '---------- 0% | 167k left\n',
		});
	});
});

describe('contextd status', () => {
	it('contextd status prints one plain line about the newest session of a folder', () => {
		expect(run(['status'])).toEqual({
			status: 0,
			stdout: expect.stringMatching(/^[█░]{10} ~?\d+% · \d+k left · \d+ \w+ ago\n$/),
			stderr: '',
		});
		expect(run(['status', project], { cwd: home })).toEqual(run(['status']));
	});

	it('contextd status prints nothing in a folder where no agent worked', () => {
		expect(run(['status'], { cwd: join(home, 'elsewhere') })).toEqual({ status: 0, stdout: '', stderr: '' });
	});

	it('contextd status --help shows how to use it in tmux and starship', () => {
		expect(run(['status', '--help']).stdout).toMatch(/tmux[\s\S]*starship[\s\S]*\{percent\}/);
	});
});

describe.runIf(process.platform === 'linux')('CPU time of a status line', needsLinux, () => {
	/** Returns the CPU times relative to that of an empty Node process. */
	const ratios = () => {
		const env = { PATH: process.env.PATH, HOME: home };
		const file = process.execPath;
		const [empty = 0, statusline = 0, status = 0] = cpuOf(
			[
				{ file, args: ['-e', '0'], env },
				{ file, args: [command, 'statusline'], env, input },
				{ file, args: [command, 'status'], env, cwd: project },
			],
			21,
		);
		return { statusline: statusline / empty, status: status / empty };
	};

	it('a status line takes at most 2.5 times the CPU of an empty process, and 4 times among many transcripts', () => {
		const { statusline, status } = ratios();
		expect(statusline).toBeLessThan(2.5);
		expect(status).toBeLessThan(4);
	});
});
