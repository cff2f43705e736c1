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

/** Returns the folders in which the command asks Node to cache compiled code. `body` is code that runs in place of Node's function. */
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
	it('compiled code is cached in the state folder', async () => {
		expect(await cacheFolders()).toEqual([join(state, 'compile-cache')]);
	});

	it('compiled code is not cached before the state folder exists', async () => {
		await rm(state, { recursive: true });
		expect(await cacheFolders()).toEqual([]);
	});

	it('compiled code is not cached if contextd must write nothing to disk', async () => {
		expect(await cacheFolders({ CONTEXTD_MEMORY_ENABLED: 'false' })).toEqual([]);
	});

	it.skipIf(process.platform === 'win32')(
		'compiled code is not cached in a folder that others may write',
		needsPosix,
		async () => {
			await chmod(state, 0o777);
			expect(await cacheFolders()).toEqual([]);
		},
	);

	it('the program runs although Node refuses the cache of compiled code', async () => {
		expect(await cacheFolders({}, "throw new Error('refused');")).toEqual([join(state, 'compile-cache')]);
	});
});
