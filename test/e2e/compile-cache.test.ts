import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { daemonFile } from '../support/daemon.ts';
import { needsPosix } from '../support/needs.ts';

const run = promisify(execFile);

let folder: string;
let state: string;

beforeEach(async () => {
	folder = await realpath(await mkdtemp(join(tmpdir(), 'contextd-test-')));
	state = join(folder, 'state');
	await mkdir(state, { mode: 0o700 });
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** The folders in which the command asks Node to cache compiled code; `body` is what Node does then. */
async function cacheFolders(env: NodeJS.ProcessEnv = {}, body = ''): Promise<string[]> {
	const preload = join(folder, 'preload.cjs');
	await writeFile(
		preload,
		`require('node:module').enableCompileCache = (folder) => {
			process.stderr.write(folder + '\\n');
			${body}
		};`,
	);
	const command = ['--require', preload, daemonFile, '--version'];
	const { stdout, stderr } = await run(process.execPath, command, {
		env: { PATH: process.env.PATH, HOME: folder, CONTEXTD_HOME: state, ...env },
	});
	expect(stdout).toMatch(/^contextd \d/);
	return stderr.split('\n').filter((line) => line !== '');
}

describe('the cache of compiled code', () => {
	it('is kept in the state folder', async () => {
		expect(await cacheFolders()).toEqual([join(state, 'compile-cache')]);
	});

	it('is not used before contextd keeps anything in its state folder', async () => {
		await rm(state, { recursive: true });
		expect(await cacheFolders()).toEqual([]);
	});

	it('is not used if contextd is to write nothing to disk', async () => {
		expect(await cacheFolders({ CONTEXTD_MEMORY_ENABLED: 'false' })).toEqual([]);
	});

	it.skipIf(process.platform === 'win32')(
		'is not used in a folder that others may write to',
		needsPosix,
		async () => {
			await chmod(state, 0o777);
			expect(await cacheFolders()).toEqual([]);
		},
	);

	it('does not keep the program from running if Node refuses it', async () => {
		expect(await cacheFolders({}, "throw new Error('refused');")).toEqual([join(state, 'compile-cache')]);
	});
});
