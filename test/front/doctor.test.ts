/** Findings of `contextd doctor` on a machine, and its advice. */

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { removeFolders } from '../support/app.ts';
import { fakeProgram } from './install/fakeProgram.ts';
import { setupHome } from './setup/setupHome.ts';

afterEach(removeFolders);

describe.skipIf(process.platform === 'win32')('contextd doctor', () => {
	it('checks the program, the state folder, the daemon, agents, editors and files after a setup', async () => {
		const home = await setupHome(['contextd', 'opencode', 'code']);
		await writeFile(join(home.home, '.bashrc'), '');
		await home.setup('--yes');
		const { code, out, err } = await home.run(['doctor']);
		expect({ code, err }).toEqual({ code: 0, err: '' });
		for (const text of [
			`contextd 1.2.3 runs on Node ${process.versions.node}`,
			`the command is ${home.home}/bin/contextd`,
			`the state folder ${home.home}/state is readable by you alone`,
			'the daemon starts, and can write to its state folder',
			'OpenCode 1.0.0 is installed',
			'VS Code has the extension 1.2.3',
			`${home.home}/.bashrc contains what setup added`,
		]) {
			expect(out).toContain(`✓ ${text}\n`);
		}
		expect(out).not.toContain('✗');
	});

	it('names agents and editors without contextd, and succeeds', async () => {
		const home = await setupHome(['contextd', 'pi', 'code']);
		const { code, out } = await home.run(['doctor']);
		expect(code).toBe(0);
		expect(out).toContain(
			'pi\n· contextd is not installed in it; run contextd install pi, or contextd setup\n',
		);
		expect(out).toContain('· VS Code has no extension of contextd; contextd setup installs it\n');
	});

	it('says how to get the command onto the PATH, and which other version is there', async () => {
		const without = await setupHome([]);
		const missing = await without.run(['doctor']);
		expect(missing.code).toBe(1);
		expect(missing.out).toMatch(/✗ the command contextd is not on the PATH: run npm install --global/);
		const other = await setupHome(['contextd']);
		await writeFile(join(other.home, 'bin/contextd'), '#!/bin/sh\necho contextd 0.9.0\n');
		expect(await other.run(['doctor'])).toMatchObject({
			code: 1,
			out: expect.stringContaining(
				`✗ the command ${other.home}/bin/contextd is version 0.9.0, this is 1.2.3`,
			),
			err: expect.stringMatching(/^contextd: 1 of \d+ checks failed\n$/),
		});
	});

	it('names a state folder that others can read, with the command that fixes it', async () => {
		const home = await setupHome(['contextd']);
		await mkdir(join(home.home, 'state'), { mode: 0o755 });
		await chmod(join(home.home, 'state'), 0o755);
		const { code, out } = await home.run(['doctor']);
		expect(code).toBe(1);
		expect(out).toContain(
			`✗ others can read ${home.home}/state (mode 755): run chmod 700 ${home.home}/state\n`,
		);
	});

	it.each([
		[{ kind: 'silent', pid: 7 }, 'the daemon (process 7) does not answer: run contextd daemon stop'],
		[{ kind: 'closed', pid: 7 }, 'process 7 uses the state folder exclusively'],
		[
			{ kind: 'elsewhere', pid: 7, host: 'h' },
			'process 7 on h (another machine or container) uses the state folder',
		],
	] as const)('does not wait for a daemon that is %j', async (state, text) => {
		const home = await setupHome(['contextd']);
		const { code, out } = await home.run(['doctor'], { daemon: { inspect: async () => state } });
		expect(code).toBe(1);
		expect(out).toContain(`✗ ${text}`);
		expect(out).not.toContain('the daemon starts');
	});

	it.each([
		[{}, 0, '✓ sessions are recorded in /kept\n'],
		[{ problem: 'the disk is full' }, 1, '✗ sessions are not recorded at the moment: the disk is full\n'],
		[{ watchRefusal: 'ENOSPC: no more' }, 0, 'system cannot watch more folders: ENOSPC: no more\n'],
	])('reports a recorder with %j', async (status, code, text) => {
		const home = await setupHome(['contextd']);
		const recorder = { recording: true, folder: '/kept', ...status };
		await writeFile(join(home.home, 'package', 'contextd.cjs'), fakeProgram({ recorder }));
		const run = await home.run(['doctor']);
		expect(run).toMatchObject({ code, out: expect.stringContaining(text) });
	});

	it('finds an old extension, half of our lines, and lines that the user removed', async () => {
		const home = await setupHome(['contextd', 'opencode', 'code', 'tmux']);
		await writeFile(join(home.home, '.bashrc'), '');
		await home.setup('--yes');
		await writeFile(join(home.home, 'code.version'), '1.0.0\n');
		await writeFile(join(home.home, '.bashrc'), '# >>> contextd >>>\n');
		await writeFile(join(home.home, '.tmux.conf'), '');
		const { code, out } = await home.run(['doctor']);
		expect(code).toBe(1);
		expect(out).toContain('✗ VS Code has the extension 1.0.0, this is 1.2.3: run contextd setup\n');
		expect(out).toMatch(/^✗ .*\.bashrc has only one of the two marker comments/m);
		expect(out).toMatch(/^· .*\.tmux\.conf no longer contains what setup added$/m);
	});
});
