import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { databaseOf } from '../support/sqlite.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundle = join(root, 'dist', 'contextd.cjs');
const sample = join(root, 'examples', 'session.jsonl');

let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-test-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

interface Run {
	code: number | null;
	out: string;
	err: string;
}

/** Runs the built command as a shell does, with its home in the test's folder. */
async function contextd(args: string[], input = ''): Promise<Run> {
	const child = spawn(process.execPath, [bundle, ...args], {
		env: { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: folder, USERPROFILE: folder },
		cwd: folder,
	});
	child.stdin.on('error', () => undefined);
	child.stdin.end(input);
	const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
	const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
	return { code, out, err };
}

describe.skipIf(!existsSync(bundle))(
	'the built command line (npm run build)',
	needs('a build: npm run build'),
	() => {
		it('contextd stats measures the sample session', async () => {
			const { code, out, err } = await contextd(['stats', sample]);
			expect({ code, err }).toEqual({ code: 0, err: '' });
			expect(out).toContain('Model     anthropic / claude-sonnet-4-5\n');
			expect(out).toMatch(/^█+░+┊░+ {2}\d+% healthy\n/);
			expect(out).toContain('src/timetable/parse.ts');
		});

		it('contextd stats uses the model window of the project’s settings file, and reports its problems', async () => {
			const path = join(await realpath(folder), 'contextd.json');
			const settings = { models: { 'claude-*': { contextWindow: 123_000 } }, logLevel: 'off' };
			await writeFile(path, `// ours\n${JSON.stringify(settings)}`, { mode: 0o600 });
			const { code, out, err } = await contextd(['stats', '--json', sample]);
			expect(code).toBe(0);
			expect(err).toBe(
				`contextd: ${path}: ignoring logLevel: the settings file of a project may set only ${err.slice(err.indexOf('compaction.'))}`,
			);
			expect(JSON.parse(out)).toMatchObject({ contextWindow: 123_000, contextWindowSource: 'settings' });
		});

		it('contextd stats measures a session in a database', async () => {
			const database = await databaseOf([
				'create table session (id, parent_id, directory, title, time_created, time_updated)',
				'create table message (id, session_id, time_created, data)',
				'create table part (id, message_id, session_id, data)',
				`insert into session values ('ses_1', null, '/work', 'Greeting', 1, 1)`,
				`insert into message values ('msg_1', 'ses_1', 1, '{"role":"user","time":{"created":1}}')`,
				`insert into part values ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"Hello"}')`,
			]);
			await writeFile(join(folder, 'opencode.db'), database);
			const { code, out } = await contextd(['stats', 'opencode.db#ses_1', '--json']);
			expect(code).toBe(0);
			expect(JSON.parse(out)).toMatchObject({ agent: 'opencode', messageCount: 1 });
		});

		it('contextd stats measures the standard input like the same file', async () => {
			const [file, input] = await Promise.all([
				contextd(['stats', sample, '--json']),
				contextd(['stats', '--json'], await readFile(sample, 'utf8')),
			]);
			const { sessionId: _one, ...fromFile } = JSON.parse(file.out);
			const { sessionId: _other, ...fromInput } = JSON.parse(input.out);
			expect(fromInput).toEqual(fromFile);
			expect(fromFile).toMatchObject({ messageCount: 61, source: 'anchored' });
		});

		it('contextd compact writes the sample to a file that contextd stats can measure, and leaves no other file', async () => {
			const report = await contextd(['compact', sample, '--target', '15k', '-o', 'out.jsonl']);
			expect(report).toMatchObject({ code: 0, err: '' });
			expect(report.out).toContain('Freed ');
			expect(await readdir(folder)).toEqual(['out.jsonl']);
			const stats = JSON.parse((await contextd(['stats', 'out.jsonl', '--json'])).out);
			expect(stats.breakdown.conversationHistory).toBeLessThan(16_500);
			expect(await readdir(folder)).toEqual(['out.jsonl']);
		});

		it('contextd reports the plain messages that it left out, and refuses a file without any', async () => {
			const good = '{"role":"user","content":"hi"}\n';
			await writeFile(join(folder, 'robot.jsonl'), `${good}{"role":"robot","content":""}\n{"role":\n${good}`);
			const some = await contextd(['stats', 'robot.jsonl', '--json']);
			expect(some).toMatchObject({
				code: 0,
				err: 'robot.jsonl: no messages, left out: 1 record (unknown), 1 record (invalid JSON)\n',
			});
			expect(JSON.parse(some.out)).toMatchObject({ messageCount: 2 });
			await writeFile(join(folder, 'text.txt'), 'no JSON at all\n');
			const none = await contextd(['compact', 'text.txt', '-o', 'out.jsonl']);
			expect(none).toMatchObject({ code: 2, out: '' });
			expect(none.err).toMatch(/^contextd: text\.txt is not a supported transcript: .*\n$/);
			expect((await readdir(folder)).sort()).toEqual(['robot.jsonl', 'text.txt']);
		});

		it("contextd stats recognizes an agent's transcript on the standard input", async () => {
			const record = { type: 'user', uuid: 'u', sessionId: 's', message: { role: 'user', content: 'Hi' } };
			const { code, out, err } = await contextd(['stats'], `${JSON.stringify(record)}\n`);
			expect({ code, err }).toEqual({ code: 0, err: '' });
			expect(out).toContain('Messages  1\n');
		});

		it('contextd answers unknown commands and options in one line', async () => {
			const [command, option] = await Promise.all([contextd(['stat']), contextd(['stats', '--colour'])]);
			expect(command).toEqual({
				code: 2,
				out: '',
				err: expect.stringMatching(/^contextd: unknown command.*\n$/),
			});
			expect(option).toEqual({
				code: 2,
				out: '',
				err: expect.stringMatching(/^contextd: stats: unknown option.*\n$/),
			});
		});

		it('contextd --version prints the version of the package', async () => {
			const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
			expect((await contextd(['--version'])).out).toBe(`contextd ${version}\n`);
		});

		it('contextd stats succeeds although its reader leaves', async () => {
			const child = spawn(process.execPath, [bundle, 'stats', sample], { stdio: ['ignore', 'pipe', 'pipe'] });
			child.stdout.destroy();
			const ended = new Promise((resolve) => child.once('close', resolve));
			expect(await text(child.stderr)).toBe('');
			expect(await ended).toBe(0);
		});
	},
);
