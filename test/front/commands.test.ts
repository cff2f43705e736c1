import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ResponseError } from 'vscode-jsonrpc/node';
import { needsPosix } from '../support/needs.ts';
import { type Answer, sessionAnswers } from './fakeDaemon.ts';
import { type Run, runCommand, sent } from './runCommand.ts';
import { compactionWith, statsWith } from './values.ts';

let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-test-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const kept = [
	{ role: 'user', content: 'a summary' },
	{ id: 'm2', role: 'assistant', content: 'done', usage: { input: 9, output: 9 } },
];

const answers: Record<string, Answer> = {
	...sessionAnswers(),
	'context/stats': () => statsWith(),
	'context/compact': () => compactionWith({ messages: kept }),
};

/** Runs a command line with a standard input of one message. */
function run(args: string[], changes: Record<string, Answer> = {}): Promise<Run> {
	return runCommand(args, {
		stdin: Readable.from([Buffer.from('{"role":"user","content":"hi"}\n')]),
		answers: { ...answers, ...changes },
	});
}

describe('contextd', () => {
	it('contextd prints its version and its usage without a daemon', async () => {
		expect(await run(['--version'])).toMatchObject({ code: 0, out: 'contextd 1.2.3\n', fake: undefined });
		expect((await run(['--help'])).out).toContain('contextd stats [FILE]');
		expect((await run(['compact', '--help'])).out).toContain('--target N');
	});

	it('contextd answers an unknown command with one line and exit code 2', async () => {
		const { code, out, err } = await run(['stat']);
		expect({ code, out }).toEqual({ code: 2, out: '' });
		expect(err).toBe('contextd: unknown command "stat" (did you mean stats?); see contextd --help\n');
	});
});

describe('contextd stats', () => {
	it('contextd stats prints only ASCII with --ascii, and draws bars otherwise', async () => {
		expect((await run(['stats', '-'])).out).toMatch(/[^\0-\x7f]/);
		expect((await run(['stats', '-', '--ascii'])).out).not.toMatch(/[^\0-\x7f]/);
	});

	it('contextd stats reads the newest session of the folder if the standard input is empty', async () => {
		const path = join(folder, 'newest.jsonl');
		await writeFile(path, '{"role":"user","content":"hi"}\n');
		const newest = { path, agent: 'pi', label: 'pi', title: 'It', size: 31, updatedAt: 1 };
		const discovered = { ...answers, 'context/discover': () => ({ transcripts: [newest] }) };
		const { code, err } = await runCommand(['stats'], { answers: discovered, stdin: Readable.from([]) });
		expect(code).toBe(0);
		expect(err).toContain(`The newest session here: It, ${path}`);
		const named = await runCommand(['stats', '-'], { answers: discovered, stdin: Readable.from([]) });
		expect(named.code).toBe(2);
		expect(named.err).toContain('standard input: expected messages, but the file is empty');
	});

	it('contextd stats reads the standard input and reports on it', async () => {
		const { code, out, err } = await run(['stats', '-']);
		expect({ code, err }).toEqual({ code: 0, err: 'Context: 65% of window used\n' });
		expect(out).toContain('65% healthy');
		expect(out).not.toContain('of window used');
	});

	it('contextd stats counts only the tail of a long input, and reads a very long one only from its window on', async () => {
		const read = async (bytes: number) => {
			const path = join(folder, 'session.jsonl');
			await writeFile(path, JSON.stringify({ role: 'user', content: 'x'.repeat(bytes) }));
			return sent(await run(['stats', path]), 'context/import');
		};
		const short = await read(1000);
		expect(short).not.toHaveProperty('from');
		expect(short).not.toHaveProperty('counting');
		expect(await read(300_000)).toMatchObject({ counting: 'tail' });
		expect(await read(300_000)).not.toHaveProperty('from');
		expect(await read(9_000_000)).toMatchObject({ counting: 'tail', from: 'window' });
	});

	it('contextd stats prints its figures as JSON', async () => {
		const { out } = await run(['stats', '--json']);
		expect(JSON.parse(out)).toEqual({ ...statsWith(), sources: { files: [], commands: [] } });
	});

	it('contextd stats ends the daemon in an orderly way, also after a failure', async () => {
		const refuse = () => {
			throw new ResponseError(-31993, 'no');
		};
		const runs: Record<string, Answer>[] = [{}, { 'context/import': refuse }];
		for (const changes of runs) {
			const { fake } = await run(['stats'], changes);
			expect(fake?.messages.slice(-2).map(({ method }) => method)).toEqual(['shutdown', 'exit']);
		}
	});

	it('contextd stats has the daemon read a private copy of the standard input, and removes it afterwards', async () => {
		let read: { text: string; mode: number } | undefined;
		const result = await run(['stats'], {
			'context/import': ({ path }: { path: string }) => {
				read = { text: readFileSync(path, 'utf8'), mode: statSync(path).mode & 0o777 };
				return { sessionId: 's1', source: 'contextd', messageCount: 1, skipped: [] };
			},
		});
		expect(read).toEqual({ text: '{"role":"user","content":"hi"}\n', mode: 0o600 });
		const { path } = sent(result, 'context/import') as { path: string };
		expect(existsSync(path)).toBe(false);
	});

	it.skipIf(process.platform === 'win32')(
		'contextd stats reads a pipe like the standard input',
		needsPosix,
		async () => {
			const pipe = join(folder, 'pipe');
			execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
			const written = writeFile(pipe, 'what a pipe gives');
			let read = '';
			await run(['stats', pipe], {
				'context/import': ({ path }: { path: string }) => {
					read = readFileSync(path, 'utf8');
					return { sessionId: 's1', source: 'codex', messageCount: 1, skipped: [] };
				},
			});
			await written;
			expect(read).toBe('what a pipe gives');
		},
	);

	it('errors name the standard input as such, not by the path of its copy', async () => {
		const result = await run(['stats'], {
			'context/import': ({ path }: { path: string }) => {
				throw new ResponseError(-31989, `${path} is no transcript`);
			},
		});
		expect(result).toMatchObject({ code: 2, err: 'contextd: standard input is no transcript\n' });
	});

	it('contextd stats reports how many plain messages it could not read, and refuses a file without any message', async () => {
		const skipped = [{ type: 'invalid JSON', count: 2 }];
		const answer = { sessionId: 's1', source: 'contextd', skipped };
		const some = await run(['stats'], { 'context/import': () => ({ ...answer, messageCount: 1 }) });
		const problem = 'standard input: no messages, left out: 2 records (invalid JSON)\n';
		expect(some).toMatchObject({ code: 0, err: `${problem}Context: 65% of window used\n` });
		const none = await run(['stats'], { 'context/import': () => ({ ...answer, messageCount: 0 }) });
		expect(none).toMatchObject({ code: 2, err: `contextd: ${problem}` });
	});

	it('contextd compact refuses a file without any message, and compacts nothing', async () => {
		const answer = { sessionId: 's1', source: 'contextd', skipped: [], messageCount: 0 };
		const { code, err, fake } = await run(['compact'], { 'context/import': () => answer });
		expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^contextd: .*found none\n$/) });
		expect(fake?.messages.map(({ method }) => method)).not.toContain('context/compact');
	});

	it.each([
		['no-such-file', 'no such file'],
		[join('no-such-folder', 'file'), 'no such file'],
	])('contextd stats refuses %s before it starts a daemon', async (name, problem) => {
		const { code, err, fake } = await run(['stats', join(folder, name)]);
		expect(code).toBe(2);
		expect(err).toBe(`contextd: ${join(folder, name)}: ${problem}\n`);
		expect(fake).toBeUndefined();
	});

	it('contextd stats exits with 1 if the daemon fails', async () => {
		const result = await run(['stats'], {
			'context/stats': () => {
				throw new ResponseError(-32603, 'context/stats failed\u001b[2J');
			},
		});
		expect(result.code).toBe(1);
		expect(result.err).toBe('contextd: the daemon refused: context/stats failed [2J\n');
	});
});

describe('contextd compact', () => {
	it('contextd compact passes its options on to the daemon, and writes nothing without -o', async () => {
		const result = await run(['compact', '--target', '40k', '--instructions', 'keep the rules']);
		expect(sent(result, 'context/compact')).toMatchObject({
			sessionId: 's1',
			targetTokens: 40_000,
			instructions: 'keep the rules',
			includeMessages: false,
		});
		expect(result.out).toContain('Freed 42,000 tokens');
		expect(await readdir(folder)).toEqual([]);
	});

	it('contextd compact writes JSON Lines, without the usage of the earlier history', async () => {
		const output = join(folder, 'out.jsonl');
		const { code } = await run(['compact', '-o', output]);
		expect(code).toBe(0);
		const lines = (await readFile(output, 'utf8')).trimEnd().split('\n');
		expect(lines.map((line) => JSON.parse(line))).toEqual([
			kept[0],
			{ id: 'm2', role: 'assistant', content: 'done' },
		]);
		expect(await readdir(folder)).toEqual(['out.jsonl']);
	});

	it('contextd compact writes a JSON array to a file whose name ends in .json', async () => {
		const output = join(folder, 'out.json');
		await run(['compact', '-o', output]);
		expect(JSON.parse(await readFile(output, 'utf8'))).toHaveLength(2);
	});

	it('contextd compact writes the unchanged history if nothing was compacted', async () => {
		const output = join(folder, 'out.json');
		const nothing = compactionWith({
			outcome: 'nothing_to_compact',
			compacted: false,
			reason: 'too few',
			messages: kept,
		});
		const { code } = await run(['compact', '-o', output], { 'context/compact': () => nothing });
		expect(code).toBe(0);
		expect(JSON.parse(await readFile(output, 'utf8'))).toEqual(kept);
	});

	it('contextd compact -o - writes the history to the standard output and the report to the error output', async () => {
		const { out, err } = await run(['compact', '-o', '-']);
		expect(
			out
				.trimEnd()
				.split('\n')
				.map((line) => JSON.parse(line)),
		).toHaveLength(2);
		expect(err).toContain('Written to standard output');
	});

	it('contextd compact writes through a symbolic link to its target', async () => {
		const output = join(folder, 'link.jsonl');
		await writeFile(join(folder, 'real.jsonl'), 'old');
		await symlink(join(folder, 'real.jsonl'), output);
		await run(['compact', '-o', output]);
		expect(await readFile(join(folder, 'real.jsonl'), 'utf8')).toContain('a summary');
	});

	it('contextd compact prints its result as JSON, without the messages', async () => {
		const { out } = await run(['compact', '--json']);
		expect(JSON.parse(out)).toEqual(compactionWith());
	});

	it('contextd compact refuses an output in a missing folder before it starts a daemon', async () => {
		const output = join(folder, 'nowhere', 'out.jsonl');
		const { code, err, fake } = await run(['compact', '-o', output]);
		expect(code).toBe(2);
		expect(err).toContain('does not exist');
		expect(fake).toBeUndefined();
	});

	it('contextd compact leaves the output file unchanged if compaction fails', async () => {
		const output = join(folder, 'out.jsonl');
		await writeFile(output, 'old');
		const { code } = await run(['compact', '-o', output], {
			'context/compact': () => {
				throw new ResponseError(-32603, 'no');
			},
		});
		expect(code).toBe(1);
		expect(await readFile(output, 'utf8')).toBe('old');
	});
});
