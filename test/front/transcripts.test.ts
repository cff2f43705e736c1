import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import { parseCommandLine } from '../../server/front/commandLine.ts';
import { formatLines } from '../../server/front/output/line.ts';
import { renderSessions } from '../../server/front/transcript/sessions.ts';
import { computeGrowth, renderSparkline, renderWatch } from '../../server/front/transcript/watchView.ts';
import { type Answer, sessionAnswers } from './fakeDaemon.ts';
import { type CommandContext, type Run, runCommand, sent } from './runCommand.ts';
import { compactionWith, statsWith } from './values.ts';

let folder: string;
let transcript: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-test-'));
	transcript = join(folder, 'session.jsonl');
	const record = { type: 'user', uuid: 'u', sessionId: 's', message: { role: 'user', content: 'Hi' } };
	await writeFile(transcript, `${JSON.stringify(record)}\n`);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const history = [
	{ id: 'm1', role: 'user', content: 'Look at it' },
	{ id: 'm7', role: 'assistant', content: 'I did' },
];

const timeline = { points: [], compactions: [] };

const answers: Record<string, Answer> = {
	...sessionAnswers(),
	'context/import': () => ({ sessionId: 'imported', source: 'claude-code', messageCount: 2, skipped: [] }),
	'context/history': () => ({ messages: history, version: 1 }),
	'context/stats': () => statsWith(),
	'context/timeline': () => timeline,
	'context/discover': () => ({ transcripts: [] }),
	'context/export': () => ({
		text: 'the file',
		messageCount: 1,
		agentSessionId: 'id-1',
		compaction: compactionWith(),
	}),
};

function run(
	args: string[],
	changes: Record<string, Answer> = {},
	interrupted?: AbortSignal,
	printed?: (text: string) => void,
	terminal?: CommandContext['terminal'],
): Promise<Run> {
	return runCommand(args, { answers: { ...answers, ...changes }, interrupted, printed, terminal });
}

describe('a transcript of another agent', () => {
	it('contextd stats imports a foreign transcript for the model named in it', async () => {
		const done = await run(['stats', transcript]);
		expect({ code: done.code, err: done.err }).toEqual({ code: 0, err: 'Context: 65% of window used\n' });
		expect(sent(done, 'context/import')).toMatchObject({ path: transcript });
		expect(sent(done, 'session/open')).toBeUndefined();
		expect(sent(done, 'session/update')).toBeUndefined();
		expect(done.out).not.toContain('assumed');
	});

	it('contextd stats measures a transcript for the model given with --model', async () => {
		const done = await run(['stats', transcript, '--model', 'gpt-5']);
		expect(sent(done, 'session/update')).toEqual({
			sessionId: 'imported',
			model: 'gpt-5',
			provider: 'openai',
		});
		const unknown = await run(['stats', transcript, '--model', 'own-model']);
		expect(sent(unknown, 'session/update')).toEqual({ sessionId: 'imported', model: 'own-model' });
	});

	it('contextd stats measures a transcript against the window given with --window', async () => {
		const done = await run(['stats', transcript, '--window', '1m']);
		expect(sent(done, 'session/update')).toEqual({ sessionId: 'imported', contextWindow: 1_000_000 });
	});

	it('contextd stats fails with exit code 2 on a file that is no transcript', async () => {
		const done = await run(['stats', transcript], {
			'context/import': () => {
				throw new ResponseError(ErrorCodes.InvalidRequest, 'it is no transcript');
			},
		});
		expect(done).toMatchObject({ code: 2, err: 'contextd: it is no transcript\n' });
	});
});

describe('contextd export', () => {
	it("contextd export writes the daemon's text to the file, and reports the compaction", async () => {
		const out = join(folder, 'out.json');
		const done = await run(['export', transcript, '-f', 'anthropic', '-o', out, '--target', '20k']);
		expect(done).toMatchObject({ code: 0, err: '' });
		expect(sent(done, 'context/export')).toEqual({
			sessionId: 'imported',
			format: 'anthropic',
			targetTokens: 20_000,
			cwd: process.cwd(),
		});
		expect(await readFile(out, 'utf8')).toBe('the file');
		expect(done.out).toContain('1 message, compacted from');
	});

	it('contextd export without -o writes to the standard output, and its report to the error output', async () => {
		const { code, out, err } = await run(['export', transcript, '--format', 'pi']);
		expect({ code, out }).toEqual({ code: 0, out: 'the file' });
		expect(err).toContain('pi --session');
	});

	it('contextd export prints the command that continues the exported session', async () => {
		const out = join(folder, 'a b.jsonl');
		const env = { HOME: folder };
		const done = await runCommand(['export', transcript, '-f', 'claude-code', '-o', out], { answers, env });
		const project = join(folder, '.claude/projects', process.cwd().replace(/[^a-zA-Z0-9]/g, '-'));
		expect(done.out).toContain(
			`Continue with: mkdir -p ${project} && cp '${out}' ${project}/id-1.jsonl && claude --resume id-1`,
		);
		expect(await readdir(folder)).not.toContain('.claude');
	});

	it.each([
		['claude-code', '.claude/projects', /^claude --resume id-1$/],
		['pi', '.pi/agent/sessions', /^pi --session \/.*_id-1\.jsonl$/],
	])(
		"contextd export --place writes a session of %s to the agent's folder, and overwrites none",
		async (format, base, command) => {
			const env = { HOME: folder };
			const done = await runCommand(['export', transcript, '-f', format, '--place'], { answers, env });
			expect(done).toMatchObject({ code: 0, err: '' });
			const [project = ''] = await readdir(join(folder, base));
			const [file = ''] = await readdir(join(folder, base, project));
			expect(file).toMatch(/id-1\.jsonl$/);
			expect(await readFile(join(folder, base, project, file), 'utf8')).toBe('the file');
			expect(done.out.trim().split('Continue with: ')[1]).toMatch(command);
			if (format === 'pi') return;
			const again = await runCommand(['export', transcript, '-f', format, '--place'], { answers, env });
			expect(again).toMatchObject({ code: 2, err: expect.stringContaining('cannot write') });
		},
	);

	it.each([
		['is before that of a running session, which stays the newest', 60_000, true],
		['is the newest if the last session is long over', 5 * 3_600_000, false],
	])("the time of an exported session in the agent's folder %s", async (_, idle, isBehind) => {
		const updatedAt = Date.now() - idle;
		const transcripts = [{ path: transcript, agent: 'claude-code', title: '', size: 1, updatedAt }];
		const env = { HOME: folder };
		const place = ['export', transcript, '-f', 'claude-code', '--place'];
		await runCommand(place, { answers: { ...answers, 'context/discover': () => ({ transcripts }) }, env });
		const base = join(folder, '.claude/projects');
		const [project = ''] = await readdir(base);
		const { mtimeMs } = await stat(join(base, project, 'id-1.jsonl'));
		expect(mtimeMs < updatedAt).toBe(isBehind);
	});

	it.each([
		[['export'], '--format is missing'],
		[['export', '-f', 'openai', '--place'], '--place: expected the format of an agent (claude-code, codex'],
		[['export', '-f', 'pi', '--place', '-o', 'x'], 'cannot be combined'],
		[['export', 'a'], '--format is missing'],
		[['export', 'a', '-f', 'word'], 'expected one of contextd, anthropic'],
	])('contextd refuses the arguments %j with exit code 2', (args, problem) => {
		expect(() => parseCommandLine(args)).toThrow(
			expect.objectContaining({ exitCode: 2, message: expect.stringContaining(problem) }),
		);
	});
});

describe('without a FILE, and nothing on the standard input', () => {
	const newest = { path: '', agent: 'codex', label: 'Codex', title: 'Fix it', size: 10, updatedAt: 1 };
	const terminal = Object.assign(Readable.from([]), { isTTY: true });
	const folderAnswers = () => ({
		'context/discover': () => ({ transcripts: [{ ...newest, path: transcript }] }),
		'context/stats': () => statsWith(),
	});

	it('a command without FILE reads the newest session of the folder, and names it', async () => {
		const done = await runCommand(['stats'], {
			answers: { ...answers, ...folderAnswers() },
			stdin: terminal,
		});
		expect(done).toMatchObject({
			code: 0,
			err: expect.stringContaining(`The newest session here: Fix it, ${transcript}\n`),
		});
		expect(sent(done, 'context/import')).toMatchObject({ path: transcript });
		expect(sent(done, 'context/discover')).toEqual({ workspace: pathToFileURL(process.cwd()).href });
	});

	it('a command without FILE fails in a folder where no agent worked', async () => {
		const none = { 'context/discover': () => ({ transcripts: [] }) };
		const done = await runCommand(['stats'], { answers: { ...answers, ...none }, stdin: terminal });
		expect(done).toMatchObject({ code: 2, out: '', err: expect.stringContaining('no agent session in') });
		expect(done.fake?.messages.at(-1)?.method).toBe('exit');
	});
});

describe('contextd sessions', () => {
	const found = {
		path: '/home/me/a.jsonl',
		agent: 'codex',
		title: 'Fix it',
		size: 1_200_000,
		updatedAt: Date.now(),
	};

	it('contextd sessions lists the transcripts of a folder', async () => {
		const done = await run(['sessions', folder], { 'context/discover': () => ({ transcripts: [found] }) });
		expect(done.out).toBe('codex       just now    1.2 MB  Fix it\n  /home/me/a.jsonl\n');
		expect(sent(done, 'context/discover')).toEqual({ workspace: `file://${folder}` });
	});

	it('contextd sessions lists sessions that contextd keeps, with the ids for --session', async () => {
		const updatedAt = Date.now();
		const kept = { sessionId: 'claude:5f3a', title: 'Fix it', messageCount: 12, updatedAt };
		const mirrored = { ...kept, sessionId: 'mirror', source: 'codex' };
		const done = await run(['sessions', folder], {
			'context/discover': () => ({ transcripts: [] }),
			'session/list': () => ({ sessions: [kept, mirrored] }),
		});
		expect(done.out).toContain('stored     just now  12 messages  Fix it\n  --session claude:5f3a\n');
		expect(done.out).not.toContain('mirror');
		expect(sent(done, 'session/list')).toEqual({ workspace: `file://${folder}` });
	});

	it('contextd sessions shows how full each session is, and marks guesses', () => {
		const full = {
			...found,
			label: 'Codex',
			fullness: { ratio: 0.42, state: 'healthy', isGuess: false, activeAt: found.updatedAt },
		} as const;
		const guess = { ...full, fullness: { ...full.fullness, isGuess: true } };
		const unknown = { ...found, label: 'Codex' };
		const text = formatLines(renderSessions([full, guess, unknown], found.updatedAt, 100), 'plain');
		const lines = text.split('\n').filter((line) => line.startsWith('codex'));
		expect(lines).toEqual([
			'codex  ████░░░░░░  42%       just now    1.2 MB  Fix it',
			'codex  ████░░░░░░ ~42%       just now    1.2 MB  Fix it',
			'codex                        just now    1.2 MB  Fix it',
		]);
	});

	it('contextd sessions takes the age from the last record, not from the file', () => {
		const hours = 3_600_000;
		const activeAt = found.updatedAt - 5 * hours;
		const old = {
			...found,
			label: 'Codex',
			fullness: { ratio: 0.42, state: 'healthy', isGuess: false, activeAt },
		} as const;
		expect(formatLines(renderSessions([old], found.updatedAt, 100), 'plain')).toContain('  5 h ago  ');
	});

	it('contextd sessions says that there are none, and prints JSON with --json', async () => {
		const none = { 'context/discover': () => ({ transcripts: [] }) };
		expect((await run(['sessions', folder], none)).out).toContain('No transcripts');
		expect((await run(['sessions', '--all', '--json'], none)).out).toBe('[]\n');
	});

	it('contextd sessions refuses a missing folder or a file with exit code 2, without starting a daemon', async () => {
		const missing = join(folder, 'missing');
		const [nowhere, file] = await Promise.all([run(['sessions', missing]), run(['sessions', transcript])]);
		expect(nowhere).toMatchObject({ code: 2, out: '', err: `contextd: ${missing}: no such folder\n` });
		expect(file.err).toBe(`contextd: ${transcript}: expected a folder, got a file\n`);
		expect([file.code, file.fake, nowhere.fake]).toEqual([2, undefined, undefined]);
	});
});

describe('contextd watch', () => {
	it('contextd watch prints a plain line after each change, and ends cleanly when interrupted', async () => {
		const ending = new AbortController();
		let asked = 0;
		const done = await run(
			['watch', transcript],
			{
				'context/stats': () => {
					if (++asked === 4) ending.abort();
					return statsWith(
						asked < 3
							? {}
							: { agent: 'claude-code', usageRatio: 0.9, estimatedInputTokens: 122_400, shouldCompact: true },
					);
				},
			},
			ending.signal,
		);
		expect(done).toMatchObject({
			code: 0,
			err:
				'Context: 65% of window used\n' +
				'Context usage: 90% of window (122,400 / 136,000 tokens available)\n' +
				'Auto-compaction will trigger to preserve conversation quality.\n',
		});
		const lines = done.out.trim().split('\n');
		expect(lines).toHaveLength(2);
		expect(lines[0]).toContain(
			'claude-code: 65% healthy · 88,400 / 136,000 tokens · 58 messages · filling up',
		);
		expect(lines[1]).toContain('90%');
		expect(lines[1]).toContain('compaction due');
		expect(sent(done, 'context/import')).toMatchObject({ follow: true });
		expect(done.fake?.messages.at(-1)?.method).toBe('exit');
	});

	it('contextd watch reports a removed transcript once, and continues when it is back', async () => {
		const ending = new AbortController();
		let asked = 0;
		const changes = {
			'context/stats': () => {
				asked++;
				if (asked === 1) rmSync(transcript);
				if (asked === 2) ending.abort();
				return statsWith(asked === 1 ? {} : { usageRatio: 0.9 });
			},
		};
		const done = await run(['watch', transcript], changes, ending.signal, (text) => {
			// The file stays away long enough for a second report, which must not come.
			if (text.includes('Removed;')) setTimeout(() => writeFileSync(transcript, '{}'), 1200);
		});
		const lines = done.out.trim().split('\n');
		expect(lines).toHaveLength(3);
		expect(lines[0]).toContain('65% healthy');
		expect(lines[1]).toBe(`Removed; waiting for it or for another session: ${transcript}`);
		expect(lines[2]).toContain('90%');
	});

	it('contextd watch keeps its headline on a terminal of few rows', async () => {
		const ending = new AbortController();
		const changes = {
			'context/stats': () => {
				ending.abort();
				return statsWith();
			},
		};
		const done = await run(['watch', transcript], changes, ending.signal, undefined, {
			isTTY: true,
			rows: 6,
		});
		expect(done.out.split('\n')).toHaveLength(6);
		expect(done.out).toContain('65% healthy');
		expect(done.out).not.toContain('Ctrl-C ends');
	});

	it('contextd watch without FILE waits for a transcript of the folder', async () => {
		const ending = new AbortController();
		const done = await run(
			['watch'],
			{
				'context/discover': () => {
					ending.abort();
					return { transcripts: [] };
				},
			},
			ending.signal,
		);
		expect(done.code).toBe(0);
		expect(done.out).toContain('Waiting for an agent');
	});

	it('contextd watch shows how fast the window fills', () => {
		const points = [10, 20, 5, 8, 14].map((tokens, index) => ({
			messageId: `m${index}`,
			at: index,
			tokens: tokens * 1000,
			usageRatio: tokens / 136,
			source: 'reported' as const,
		}));
		expect(computeGrowth(points)).toBe(4500);
		expect(computeGrowth(points.slice(0, 1))).toBeUndefined();
		expect(renderSparkline([0, 0.5, 1, 2], 3)).toBe('▅██');
		const view = formatLines(
			renderWatch(
				{ agent: 'codex', name: 'Fix it', stats: statsWith(), timeline: { points, compactions: [] } },
				90,
			),
			'plain',
		);
		expect(view).toContain('+4,500 tokens per answer · about 4 answers until compaction');
		expect(Math.max(...view.split('\n').map((line) => line.length))).toBeLessThanOrEqual(90);
	});
});
