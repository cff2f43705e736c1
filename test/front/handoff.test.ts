import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../server/front/commandLine.ts';
import { type Answer, sessionAnswers } from './fakeDaemon.ts';
import { type CommandContext, runCommand, sent } from './runCommand.ts';
import { compactionWith } from './values.ts';

let folder: string;
let transcript: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-test-'));
	transcript = join(folder, 'session.jsonl');
	await writeFile(transcript, '{}\n');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const claudeId = '0b1c1111-2222-4333-8444-555555555555';
const claudePath = `/home/me/.claude/projects/-work/${claudeId}.jsonl`;
const geminiPath = '/home/me/.gemini/tmp/work/chats/session-2026-01-02T03-04-0b1c9999.jsonl';
const openCodePath = '/home/me/.local/share/opencode/opencode.db#ses_0b1cAbC';

const answers: Record<string, Answer> = {
	...sessionAnswers(),
	'context/import': () => ({ sessionId: 'imported', source: 'claude-code', messageCount: 2, skipped: [] }),
	'context/discover': () => ({
		transcripts: [claudePath, geminiPath, openCodePath].map((path) => ({
			path,
			agent: 'x',
			updatedAt: 1,
			size: 1,
		})),
	}),
	'session/list': () => ({ sessions: [{ sessionId: 'claude:one' }, { sessionId: 'claude:other' }] }),
	'context/export': () => ({
		text: 'the file',
		messageCount: 7,
		tokens: 1234,
		agentSessionId: 'id-1',
		leftOut: ['system messages', 'reasoning'],
		compaction: compactionWith({ compacted: true, tokensBefore: 9000 }),
	}),
};

const handoff = (args: string[], context: CommandContext = {}) =>
	runCommand(['handoff', ...args], { answers, env: { HOME: folder }, ...context });

describe('contextd handoff', () => {
	it('contextd handoff --place puts the session in place, and says in two lines what was handed over', async () => {
		const done = await handoff([transcript, '--to', 'codex', '--place']);
		expect(done).toMatchObject({ code: 0, err: '' });
		expect(done.out).toBe(
			'Handed over to Codex: 7 messages, 1,234 tokens (compacted from 9,000); left out: system messages, reasoning\n' +
				'Continue with: codex resume id-1\n',
		);
		expect(sent(done, 'context/export')).toMatchObject({
			sessionId: 'imported',
			format: 'codex',
			targetTokens: 32_000,
		});
		const files = await readdir(join(folder, '.codex'), { recursive: true });
		expect(files.some((name) => name.endsWith('-id-1.jsonl'))).toBe(true);
	});

	it('contextd handoff writes the session to a pipe or a file, with the command that resumes it from there', async () => {
		const piped = await handoff([transcript, '--to', 'gemini']);
		expect(piped).toMatchObject({ code: 0, out: 'the file' });
		expect(piped.err).toContain('or use --place; then: gemini --session-file');
		const out = join(folder, 'my session.jsonl');
		const stored = await handoff([transcript, '--to', 'gemini', '-o', out]);
		expect(stored.out).toContain(`Continue with: gemini --session-file '${out}'`);
		expect(await readFile(out, 'utf8')).toBe('the file');
	});

	it('contextd handoff at a terminal shows what it would hand over, and writes nothing', async () => {
		const done = await handoff([transcript, '--to', 'codex'], { terminal: { isTTY: true } });
		expect(done.out).toContain('To hand over to Codex: 7 messages, 1,234 tokens');
		expect(done.out).toContain(`contextd handoff ${transcript} --to codex --start`);
		expect(await readdir(folder)).toEqual(['session.jsonl']);
	});

	it('contextd handoff --start runs the agent with the session in place, and fails if the agent does', async () => {
		const program = join(folder, 'copilot');
		await writeFile(program, `#!/bin/sh\necho "$@" > "${folder}/asked"; exit 3\n`);
		await chmod(program, 0o755);
		const stdin = Object.assign(Readable.from([]), { isTTY: true });
		const env = { HOME: folder, PATH: `${folder}:${process.env.PATH}` };
		const done = await handoff([transcript, '--to', 'copilot', '--start'], { stdin, env });
		expect(done).toMatchObject({ code: 1, err: 'contextd: copilot ended with 3\n' });
		expect(await readFile(join(folder, 'asked'), 'utf8')).toBe('--resume=id-1\n');
		const none = await handoff([transcript, '--to', 'pi', '--start'], {
			stdin: Object.assign(Readable.from([]), { isTTY: true }),
			env: { HOME: folder, PATH: '/nowhere' },
		});
		expect(none).toMatchObject({ code: 1, err: 'contextd: the command pi was not found on the PATH\n' });
	});

	it.each([
		[claudeId, claudePath],
		['0b1c1', claudePath],
		['0b1c9999-1234-4333-8444-555555555555', geminiPath],
		['ses_0b1c', openCodePath],
	])('contextd handoff finds the transcript of the session %s', async (id, path) => {
		const done = await handoff([id, '--to', 'pi']);
		// None of the files exists. The daemon is asked only about the database, because a file must be readable first.
		if (path === openCodePath) expect(sent(done, 'context/import')).toMatchObject({ path });
		else expect(done.err).toBe(`contextd: ${path}: no such file\n`);
	});

	it('contextd handoff hands over a session that contextd stores', async () => {
		const done = await handoff(['claude:on', '--to', 'pi', '--place']);
		expect(sent(done, 'context/export')).toMatchObject({ sessionId: 'claude:one', format: 'pi' });
		expect(done.code).toBe(0);
	});

	it.each([
		['0b1c', '"0b1c" matches the ids of 2 sessions'],
		['claude:o', '"claude:o" matches the ids of 2 sessions: claude:one, claude:other'],
		['0b1', 'expected at least 4 characters'],
		['nothing', 'there is no session "nothing"'],
	])('contextd handoff refuses %s, which names not exactly one session', async (name, problem) => {
		const done = await handoff([name, '--to', 'pi']);
		expect(done).toMatchObject({ code: 2, out: '', err: expect.stringContaining(problem) });
	});

	it('contextd handoff --start needs a terminal, and a handoff needs messages', async () => {
		const piped = await handoff([transcript, '--to', 'pi', '--start']);
		expect(piped).toMatchObject({ code: 2, err: expect.stringContaining('--start needs a terminal') });
		const empty = { ...answers, 'context/export': () => ({ text: '', messageCount: 0, compaction: null }) };
		const none = await handoff([transcript, '--to', 'pi', '--place'], { answers: empty });
		expect(none).toMatchObject({
			code: 1,
			err: expect.stringContaining('no messages that can be handed over'),
		});
		expect(await readdir(folder)).toEqual(['session.jsonl']);
	});

	it.each([
		[['handoff'], '--to is missing; expected one of codex, claude, opencode, pi, gemini, copilot'],
		[['handoff', '--to', 'cursor'], '--to: expected one of codex'],
		[['handoff', '--to', 'pi', '--target', 'few'], '--target: expected a number of tokens'],
		[['handoff', 'a', 'b', '--to', 'pi'], 'expected one SESSION, got 2'],
		[['handoff', '--to', 'pi', '--start', '-o', 'x'], '--start and -o cannot be combined'],
	])('contextd refuses the arguments %j with exit code 2', (args, problem) => {
		expect(() => parseCommandLine(args)).toThrow(
			expect.objectContaining({ exitCode: 2, message: expect.stringContaining(problem) }),
		);
	});
});
