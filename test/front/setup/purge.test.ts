/** `contextd uninstall --purge`. */

import { existsSync } from 'node:fs';
import { lstat, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { removeFolders } from '../../support/app.ts';
import { type SetupHome, setupHome } from './setupHome.ts';

afterEach(removeFolders);

const purge = ['uninstall', '--purge'];

/** Returns a home with plugins, snippets and a stored session; `before` are its files before setup. */
async function usedHome(): Promise<{ home: SetupHome; before: Record<string, string>; state: string }> {
	const home = await setupHome(['contextd', 'opencode', 'pi', 'code']);
	await writeFile(join(home.home, '.bashrc'), 'alias l=ls\n');
	const before = home.files();
	const state = join(home.home, 'state');
	await home.setup('--yes');
	for (const name of [
		'sessions',
		'views',
		'channel',
		'outputs',
		'file-summaries',
		'compile-cache',
		'daemon.lock',
	])
		await mkdir(join(state, name), { recursive: true });
	await writeFile(join(state, 'daemon.log'), '');
	await writeFile(join(state, 'sessions', 'a.jsonl'), '{}\n');
	return { home, before, state };
}

describe.skipIf(process.platform === 'win32')('contextd uninstall --purge', () => {
	it('removes plugins, snippets, the extension and the state folder, and restores every file', async () => {
		const { home, before, state } = await usedHome();
		const { code, err, out } = await home.run([...purge, '--yes']);
		expect({ code, err }).toEqual({ code: 0, err: '' });
		expect(out).toContain(`Deletes ${state} with 1 stored session\n`);
		expect(out).toContain(`Deleted ${state}\n`);
		expect(existsSync(state)).toBe(false);
		expect(home.files()).toEqual(before);
	});

	it('removes a plugin that was installed without setup', async () => {
		const home = await setupHome(['pi']);
		const before = home.files();
		await home.run(['install', 'pi']);
		expect((await home.run([...purge, '--yes'])).code).toBe(0);
		expect(home.files()).toEqual(before);
	});

	it('asks a person first, and removes nothing unless the answer is yes', async () => {
		const { home, state } = await usedHome();
		const before = home.files();
		for (const answer of ['\n', 'n\n', 'what\n']) {
			const stdin = Object.assign(new PassThrough(), { isTTY: true });
			stdin.write(answer);
			const { code, out } = await home.run(purge, { stdin, terminal: { isTTY: true, columns: 80 } });
			expect(code).toBe(0);
			expect(out).toContain('Nothing was removed.');
		}
		expect(home.files()).toEqual(before);
		expect(existsSync(join(state, 'sessions', 'a.jsonl'))).toBe(true);
	});

	it('without a terminal it says how to go on, and removes nothing', async () => {
		const { home, state } = await usedHome();
		expect((await home.run(purge)).out).toContain('Add --yes to do it.');
		expect(existsSync(join(state, 'sessions', 'a.jsonl'))).toBe(true);
	});

	it('leaves files in the state folder that contextd did not write', async () => {
		const { home, state } = await usedHome();
		await writeFile(join(state, 'notes.txt'), 'mine');
		const { out } = await home.run([...purge, '--yes']);
		expect(out).toContain(`${state} has other files, which remain: notes.txt`);
		expect(existsSync(join(state, 'notes.txt'))).toBe(true);
		expect(existsSync(join(state, 'sessions'))).toBe(false);
	});

	it('removes a state folder behind a link, with the link', async () => {
		const { home, state } = await usedHome();
		const elsewhere = join(home.home, 'package', 'elsewhere');
		await rename(state, elsewhere);
		await symlink(elsewhere, state);
		expect(await home.run([...purge, '--yes'])).toMatchObject({ code: 0, err: '' });
		expect(existsSync(elsewhere)).toBe(false);
		await expect(lstat(state)).rejects.toThrow('ENOENT');
	});

	it.each([
		[[...purge, 'claude'], 'uninstall: --purge takes no agent, got "claude"; see contextd --help'],
		[['uninstall', 'pi', '--yes'], 'uninstall: --yes applies only to --purge; see contextd --help'],
	])('refuses %j', async (args, message) => {
		const home = await setupHome([]);
		expect(await home.run(args)).toMatchObject({ code: 2, err: `contextd: ${message}\n` });
	});
});
