import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { daemonFile } from '../../support/daemon.ts';
import { needs } from '../../support/needs.ts';

const script = fileURLToPath(new URL('./neovimLsp.lua', import.meta.url));
const hasNeovim = spawnSync('nvim', ['--version']).status === 0;

afterEach(removeFolders);

/** Returns what Neovim's built-in LSP client receives from the daemon with these settings. */
function inNeovim(settings: unknown, environment: NodeJS.ProcessEnv) {
	const folder = freshFolder();
	const out = join(folder, 'out.json');
	const { stderr } = spawnSync('nvim', ['--headless', '--clean', '-c', `luafile ${script}`], {
		cwd: folder,
		encoding: 'utf8',
		env: {
			...process.env,
			HOME: folder,
			XDG_STATE_HOME: folder,
			CONTEXTD_HOME: join(folder, 'state'),
			CONTEXTD_TEST_COMMAND: JSON.stringify([process.execPath, daemonFile, '--stdio']),
			CONTEXTD_TEST_SETTINGS: JSON.stringify(settings),
			CONTEXTD_TEST_OUT: out,
			...environment,
		},
	});
	expect(stderr).not.toContain('Error');
	return JSON.parse(readFileSync(out, 'utf8')) as Record<string, unknown>;
}

describe.skipIf(!hasNeovim)('Neovim', needs('Neovim, which scripts/installEditors.sh installs'), () => {
	it.each([
		['when asked', { contextd: { compaction: { threshold: 0.6 } } }, {}],
		['by itself', { contextd: { compaction: { threshold: 0.6 } } }, { CONTEXTD_TEST_PUSH: '1' }],
		['by itself, without the key contextd', { compaction: { threshold: 0.6 } }, { CONTEXTD_TEST_PUSH: '1' }],
	])('Neovim uses the daemon with its own client, and sends settings %s', (_, settings, environment) => {
		expect(inNeovim(settings, environment)).toMatchObject({
			threshold: 0.6,
			custom: 1,
			workDoneProgress: true,
			exitCode: 0,
			logged: [],
		});
	});
});
