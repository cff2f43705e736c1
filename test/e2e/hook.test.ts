/** The process of a settings hook, which Claude Code starts through a shell, in any project. */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { getChannelFolder } from '../../server/channel/answerMarks.ts';
import { createSettingsHooks } from '../../server/front/install/claude/settingsHooks.ts';
import { type HookSession, hookSession, sessionId, shellCall } from '../hooks/session.ts';
import { needsPosix } from '../support/needs.ts';

const said = [
	{ role: 'user', text: 'Make the import faster. Never touch the file settings.ini.' },
	{ role: 'assistant', text: 'The cause is that the index is built for every row.' },
] as const;
const isWindows = process.platform === 'win32';

let session: HookSession;

afterEach(() => session.end());

/** Returns the command that the installation registers in Claude Code for an event. */
function commandOf(event: string, settings = session.settings): string {
	const argv = [process.execPath, resolve('dist/contextd.cjs'), 'hook', '--settings-from', settings];
	const place = { platform: process.platform, stateFolder: session.state };
	const hooks = createSettingsHooks(argv, place, true) as Record<string, { hooks: { command: string }[] }[]>;
	return hooks[event]?.[0]?.hooks[0]?.command ?? '';
}

function run(event: string, input: string, env: NodeJS.ProcessEnv = {}, settings = session.settings) {
	const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', commandOf(event, settings)], {
		input,
		cwd: session.folder,
		encoding: 'utf8',
		env: { PATH: process.env.PATH, ...env },
	});
	return { status, stdout, stderr };
}

describe.skipIf(isWindows)('the command of a hook', isWindows ? needsPosix : {}, () => {
	it('a hook answers each event in the format of Claude Code', async () => {
		session = await hookSession(said);
		const before = run(
			'PreCompact',
			session.input('PreCompact', { trigger: 'auto', custom_instructions: '' }),
		);
		expect(before).toMatchObject({ status: 0, stderr: '' });
		expect(before.stdout).toContain('Never touch the file settings.ini.');
		const after = run('SessionStart', session.input('SessionStart', { source: 'compact' }));
		expect(JSON.parse(after.stdout).hookSpecificOutput.additionalContext).toContain('settings.ini');
		const output = 'a line of some length, which is printed over and over\n'.repeat(800);
		const cut = run('PostToolUse', session.input('PostToolUse', shellCall(output)));
		expect(JSON.parse(cut.stdout).hookSpecificOutput.updatedToolOutput.stdout.length).toBeLessThan(30_000);
	});

	it('a hook prints nothing after a shell call of a session that the plugin answers', async () => {
		session = await hookSession(said);
		const channel = getChannelFolder(session.state);
		await mkdir(channel, { recursive: true });
		const output = 'a line of some length, which is printed over and over\n'.repeat(800);
		const mark = join(channel, `claude-${sessionId}.answered`);
		const printed = async (pid: number) => {
			await writeFile(mark, `/none.sock\n${pid}\n`);
			const env = { CLAUDE_CODE_SESSION_ID: sessionId };
			return run('PostToolUse', session.input('PostToolUse', shellCall(output)), env);
		};
		expect(await printed(process.pid)).toEqual({ status: 0, stdout: '', stderr: '' });
		// The id of an ended process, so that no process serves the session.
		const ended = spawnSync(process.execPath, ['--version']).pid;
		expect((await printed(ended)).stdout).toContain('updatedToolOutput');
	});

	it('a hook ignores variables of the project', async () => {
		session = await hookSession(said);
		const trap = join(session.folder, 'trap');
		await mkdir(trap);
		const loaded = join(trap, 'loaded');
		await writeFile(
			join(trap, 'trap.cjs'),
			`require('node:fs').writeFileSync(${JSON.stringify(loaded)}, '');`,
		);
		const { status, stdout } = run('PreCompact', session.input('PreCompact'), {
			NODE_OPTIONS: `--require ${join(trap, 'trap.cjs')}`,
			NODE_PATH: trap,
			HOME: trap,
			CONTEXTD_HOME: trap,
			XDG_STATE_HOME: trap,
		});
		expect(status).toBe(0);
		expect(stdout).toContain('settings.ini');
		expect(existsSync(loaded)).toBe(false);
	});

	it('a hook works in folders with blanks and quotes in their names', async () => {
		session = await hookSession(said);
		const folder = join(session.folder, "it's a folder");
		await mkdir(folder);
		const settings = join(folder, 'settings.json');
		await writeFile(settings, JSON.stringify({ storage: { directory: session.state } }), { mode: 0o600 });
		expect(run('PreCompact', session.input('PreCompact'), {}, settings).stdout).toContain('settings.ini');
	});

	it('a hook exits silently with 0 on every error', async () => {
		session = await hookSession(said);
		const silent = { status: 0, stdout: '', stderr: '' };
		expect(run('PreCompact', 'no JSON')).toEqual(silent);
		expect(run('PreCompact', session.input('PreCompact', { transcript_path: '/nowhere/x.jsonl' }))).toEqual(
			silent,
		);
		expect(run('PreCompact', session.input('PreCompact', { transcript_path: session.folder }))).toEqual(
			silent,
		);
		await writeFile(session.transcript, Buffer.from([0, 159, 146, 150, 10, 123, 34]));
		expect(run('PreCompact', session.input('PreCompact'))).toEqual(silent);
		await chmod(session.settings, 0o666);
		expect(run('SessionStart', session.input('SessionStart', { source: 'compact' }))).toEqual(silent);
		expect(run('PostToolUse', session.input('PostToolUse', shellCall('x'.repeat(90_000))))).toEqual(silent);
	});

	it('a hook exits by itself if it gets no input', async () => {
		session = await hookSession(said);
		const child = spawn('/bin/sh', ['-c', commandOf('PreCompact')], { stdio: ['pipe', 'pipe', 'pipe'] });
		let printed = '';
		for (const stream of [child.stdout, child.stderr]) {
			stream.setEncoding('utf8').on('data', (text) => {
				printed += text;
			});
		}
		const code = await new Promise((done) => child.on('close', done));
		expect({ code, printed }).toEqual({ code: 0, printed: '' });
	});
});
