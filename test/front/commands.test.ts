import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ResponseError } from 'vscode-jsonrpc/node';
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

/** Runs a command line whose standard input holds one message. */
function run(args: string[], changes: Record<string, Answer> = {}): Promise<Run> {
	return runCommand(args, {
		stdin: Readable.from([Buffer.from('{"role":"user","content":"hi"}\n')]),
		answers: { ...answers, ...changes },
	});
}

describe('contextd', () => {
	it('tells its version and its usage without a daemon', async () => {
		expect(await run(['--version'])).toMatchObject({ code: 0, out: 'contextd 1.2.3\n', fake: undefined });
		expect((await run([])).out).toContain('contextd stats [FILE]');
		expect((await run(['compact', '--help'])).out).toContain('--target N');
	});

	it('answers what it does not know with one line and exit code 2', async () => {
		const { code, out, err } = await run(['stat']);
		expect({ code, out }).toEqual({ code: 2, out: '' });
		expect(err).toBe('contextd: unknown command "stat" (did you mean stats?); see contextd --help\n');
	});
});

describe('contextd stats', () => {
	it('reads the standard input and reports', async () => {
		const { code, out, err } = await run(['stats', '-']);
		expect({ code, err }).toEqual({ code: 0, err: '' });
		expect(out).toContain('65% healthy');
	});

	it('gives the figures as JSON', async () => {
		const { out } = await run(['stats', '--json']);
		expect(JSON.parse(out)).toEqual(statsWith());
	});

	it('ends the daemon in an orderly way, also after a failure', async () => {
		const broken = join(folder, 'broken.jsonl');
		await writeFile(broken, '{"role":"user","content":"x"}\n{');
		for (const args of [['stats'], ['stats', broken]]) {
			const { fake } = await run(args);
			expect(fake?.heard.slice(-2).map(({ method }) => method)).toEqual(['shutdown', 'exit']);
		}
	});

	it.each([
		['no-such-file', 'no such file'],
		['.', 'expected a file, got a folder'],
	])('refuses %s before any daemon is started', async (name, problem) => {
		const { code, err, fake } = await run(['stats', join(folder, name)]);
		expect(code).toBe(2);
		expect(err).toBe(`contextd: ${join(folder, name)}: ${problem}\n`);
		expect(fake).toBeUndefined();
	});

	it('exits with 1 where the daemon fails', async () => {
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
	it('hands on what was asked for, and writes nothing without -o', async () => {
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

	it('writes JSON Lines, without the figures of the history before', async () => {
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

	it('writes a JSON array for a name that ends in .json', async () => {
		const output = join(folder, 'out.json');
		await run(['compact', '-o', output]);
		expect(JSON.parse(await readFile(output, 'utf8'))).toHaveLength(2);
	});

	it('keeps all as it was where nothing was compacted', async () => {
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

	it('writes the history to the standard output and the report beside it', async () => {
		const { out, err } = await run(['compact', '-o', '-']);
		expect(
			out
				.trimEnd()
				.split('\n')
				.map((line) => JSON.parse(line)),
		).toHaveLength(2);
		expect(err).toContain('Written to the standard output');
	});

	it('writes through a link to the file that it leads to', async () => {
		const output = join(folder, 'link.jsonl');
		await writeFile(join(folder, 'real.jsonl'), 'old');
		await symlink(join(folder, 'real.jsonl'), output);
		await run(['compact', '-o', output]);
		expect(await readFile(join(folder, 'real.jsonl'), 'utf8')).toContain('a summary');
	});

	it('gives the result as JSON, without the messages', async () => {
		const { out } = await run(['compact', '--json']);
		expect(JSON.parse(out)).toEqual(compactionWith());
	});

	it('refuses a place that does not exist before any work', async () => {
		const output = join(folder, 'nowhere', 'out.jsonl');
		const { code, err, fake } = await run(['compact', '-o', output]);
		expect(code).toBe(2);
		expect(err).toContain('does not exist');
		expect(fake).toBeUndefined();
	});

	it('writes nothing where the work fails', async () => {
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
