/** Setups that run at the same time, or on a full disk. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyEdit, revertEdit } from '../../../server/front/setup/editedFile.ts';
import { createLinesEdit } from '../../../server/front/setup/fileEdit.ts';
import { SetupManifest } from '../../../server/front/setup/manifest.ts';
import { daemonFile } from '../../support/daemon.ts';
import { removeFolder } from '../../support/removeFolder.ts';

let home: string;

beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), 'contextd-setup-'));
});
afterEach(() => removeFolder(home));

describe.skipIf(process.platform === 'win32')('setup', () => {
	it('restores a file byte for byte after two setups that began at the same time', async () => {
		const file = join(home, '.bashrc');
		writeFileSync(file, 'no line end');
		const state = join(home, 'state');
		const manifests = [await SetupManifest.read(state), await SetupManifest.read(state)];
		for (const manifest of manifests) await applyEdit(file, createLinesEdit(['PS1=x']), state, manifest);
		await revertEdit(file, state, await SetupManifest.read(state));
		expect(readFileSync(file, 'utf8')).toBe('no line end');
	});

	it('keeps what another setup has recorded meanwhile', async () => {
		const [one, other] = [await SetupManifest.read(home), await SetupManifest.read(home)];
		await one.addName('agents', 'pi');
		await other.addName('editors', '/bin/code');
		const { agents, editors } = (await SetupManifest.read(home)).record;
		expect({ agents, editors }).toEqual({ agents: ['pi'], editors: ['/bin/code'] });
	});

	it('reports each part that cannot be written, and can be run again', () => {
		const bin = join(home, 'bin');
		mkdirSync(bin);
		writeFileSync(join(bin, 'contextd'), '#!/bin/sh\n', { mode: 0o755 });
		for (const name of ['.bashrc', '.zshrc']) writeFileSync(join(home, name), 'a\n');
		const env = { HOME: home, PATH: bin };
		const setup = `exec "${process.execPath}" "${daemonFile}" setup --yes`;
		// A limit of zero bytes lets files be created and not written, as a full disk does.
		const full = spawnSync('/bin/sh', ['-c', `ulimit -f 0; ${setup}`], { env, encoding: 'utf8' });
		expect(full.stdout).toMatch(/^✗ bash: /m);
		expect(full.stdout).toMatch(/^✗ zsh: /m);
		expect(full.stderr).toBe('contextd: 2 of 2 parts could not be set up\n');
		expect(full.status).toBe(1);
		expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('a\n');
		expect(spawnSync('/bin/sh', ['-c', setup], { env }).status).toBe(0);
		expect(readFileSync(join(home, '.bashrc'), 'utf8')).toContain('contextd status');
	});
});
