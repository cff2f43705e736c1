/** Findings of `contextd doctor` on the agent's version, the daemon, and editors that include a Claude Code. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openCodePlugin, piPlugin } from '../../../server/front/install/pluginFile/pluginFile.ts';
import { removeFolders } from '../../support/app.ts';
import { runCommand } from '../runCommand.ts';
import { endedHomes } from './claudeHome.ts';
import { pluginHome } from './pluginHome.ts';

const homeWith = endedHomes();

afterEach(removeFolders);

/** Puts a command that prints a text into a folder of the PATH. */
async function addCommand(folder: string, name: string, prints: string): Promise<void> {
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, name), `#!/bin/sh\necho '${prints}'\n`, { mode: 0o755 });
}

/** Puts an adapter for editors into a folder of packages, with a Claude Code of this version. */
async function addAdapter(packages: string, claudeCodeVersion: string): Promise<string> {
	const adapter = join(packages, '@agentclientprotocol', 'claude-agent-acp');
	const sdk = join(packages, '@anthropic-ai', 'claude-agent-sdk');
	for (const folder of [adapter, sdk]) await mkdir(folder, { recursive: true });
	await writeFile(join(adapter, 'package.json'), '{}');
	await writeFile(join(sdk, 'package.json'), JSON.stringify({ claudeCodeVersion }));
	return adapter;
}

describe.skipIf(process.platform === 'win32')('contextd doctor', () => {
	it('contextd doctor starts the daemon, and names the time and session of its last work', async () => {
		const updatedAt = new Date(2026, 0, 2, 12, 3).getTime();
		const sessions = [
			{ sessionId: 'pi:1', updatedAt: updatedAt + 1 },
			{ sessionId: 'claude:abc', updatedAt },
		];
		const home = await homeWith('{}', {}, process.platform, { sessions });
		await home.run('install', 'claude');
		const { code, out } = await home.run('doctor', 'claude');
		expect(code).toBe(0);
		expect(out).toContain('✓ the daemon starts, and can write to its state folder');
		expect(out).toContain('· the plugin last worked on 2026-01-02 at 12:03 in session claude:abc');
	});

	it('contextd doctor fails if the daemon cannot write', async () => {
		const refusal = 'ENOSPC: no space left on device, write';
		const home = await homeWith('{}', {}, process.platform, { refusal });
		await home.run('install', 'claude');
		const { code, out, err } = await home.run('doctor', 'claude');
		expect(code).toBe(1);
		expect(out).toContain(`✗ the daemon cannot store a session: ${refusal}`);
		expect(err).toMatch(/1 of \d+ checks failed/);
	});

	it('contextd doctor without an agent checks every agent in which contextd is installed', async () => {
		const where = await pluginHome();
		const bin = join(where.home, 'bin');
		await addCommand(bin, 'contextd', 'contextd 1.2.3');
		const { version: _, ...installMachine } = where;
		const env = { PATH: [bin, process.env.PATH].join(':') };
		const nothing = await runCommand(['doctor'], { env, installMachine });
		expect(nothing).toMatchObject({ code: 0, err: '' });
		expect(nothing.out).not.toContain('OpenCode');
		await openCodePlugin.install(where);
		await piPlugin.install(where);
		const { code, out } = await runCommand(['doctor'], { env, installMachine });
		expect(code).toBe(0);
		expect(out).toContain('OpenCode\n');
		expect(out).toContain('pi\n');
		expect(out).not.toContain('Claude Code');
	});

	it('contextd doctor names the settings files that apply, what they set, and their problems', async () => {
		const settingsFiles = [
			{ scope: 'user', path: '/u', value: { logLevel: 'debug', reserve: 'half' } },
			{ scope: 'project', path: '/p', value: { tokenThreshold: 5, logLevel: 'off' } },
		] as const;
		const { out } = await runCommand(['doctor'], { settingsFiles: [...settingsFiles] });
		expect(out).toBe(
			[
				'contextd',
				'· your settings file, /u, sets logLevel',
				'✗ /u: reserve: expected one of "ratio", "table", got "half"',
				'· the settings file of this project, /p, sets tokenThreshold',
				'· /p: ignoring logLevel: the settings file of a project may set only ',
			].join('\n') + out.slice(out.indexOf('compaction.policy')),
		);
	});

	it('contextd doctor says that a Claude Code with a higher major version is newer than the tested one', async () => {
		const home = await homeWith('{}', { STAND_VERSION: '3.0.0' });
		await home.run('install', 'claude');
		const { code, out } = await home.run('doctor', 'claude');
		expect(code).toBe(0);
		expect(out).toMatch(/· Claude Code 3\.0\.0 is newer than 2\.1\.\d+, the newest version tested/);
	});

	it('contextd names the variable to set for an editor whose adapter starts a Claude Code without mods', async () => {
		const home = await homeWith('{}');
		const old = await addAdapter(
			join(home.home, '.local/share/zed/external_agents/claude/1.0.0/node_modules'),
			'2.1.185',
		);
		await addAdapter(join(home.home, '.npm/_npx/abc/node_modules'), '2.1.330');
		const claude = join(home.home, 'bin', 'claude');
		const line = `${old} starts its own Claude Code 2.1.185, which runs no mods: set CLAUDE_CODE_EXECUTABLE=${claude}`;
		expect((await home.run('install', 'claude')).out).toContain(line);
		const { code, out } = await home.run('doctor', 'claude');
		expect(code).toBe(0);
		expect(out).toContain(line);
		expect(out.match(/ACP adapter/g)).toHaveLength(1);
		const chosen = await home.runWith({ CLAUDE_CODE_EXECUTABLE: claude }, 'doctor', 'claude');
		expect(chosen.out).not.toContain('ACP adapter');
	});
});

describe.skipIf(process.platform === 'win32')('contextd install', () => {
	it('contextd install says what an old Claude Code lacks, and how to update it', async () => {
		const home = await homeWith('{}', { STAND_VERSION: '2.1.197' });
		const { code, out } = await home.run('install', 'claude');
		expect(code).toBe(0);
		expect(out).toContain('Claude Code 2.1.197 runs no mods');
		expect(out).toContain('/compact without a model call, undo and recall need 2.1.287 or later');
		expect(out).toContain('Node 22');
	});

	it.each([
		{ agent: openCodePlugin, name: 'opencode' },
		{ agent: piPlugin, name: 'pi' },
	])('contextd names the version of $name, or says that it was not found', async ({ agent, name }) => {
		const where = await pluginHome({ PATH: '/nowhere' });
		expect(await agent.install(where)).toContainEqual(
			expect.stringContaining(`the command ${name} was not found`),
		);
		expect((await agent.check(where))[0]).toEqual({ text: expect.stringContaining('was not found') });
		const bin = join(where.home, 'bin');
		await addCommand(bin, name, '1.18.33');
		const found = { ...where, env: { PATH: bin } };
		expect((await agent.install(found))[0]).toContain(`into ${agent.title} 1.18.33`);
		expect((await agent.check(found))[0]).toEqual({
			isSound: true,
			text: `${agent.title} 1.18.33 is installed`,
		});
	});

	it.each(['install', 'uninstall'])('contextd %s lists the agents if none is given', async (name) => {
		const { code, err } = await runCommand([name]);
		expect(code).toBe(2);
		expect(err).toBe(`contextd: ${name}: expected one of claude, opencode, pi; see contextd --help\n`);
	});
});
