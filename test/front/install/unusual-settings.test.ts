/** Installing into settings of an unusual form, into settings that change meanwhile, and after an interruption. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
	chmod,
	chown,
	lstat,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	readlink,
	rm,
	stat,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from '../../support/needs.ts';
import { endedHomes } from './claudeHome.ts';

const plain = '{\n\t"model" : "opus",\n\t"theme": "dark"\n}\n';

const homeWith = endedHomes();

const textOf = (path: string): Promise<string> => readFile(path, 'utf8');
const isRoot = process.getuid?.() === 0;

describe.skipIf(process.platform === 'win32')('settings of an unusual form', () => {
	it.each([
		['lines that end as on Windows', plain.replaceAll('\n', '\r\n')],
		['a mark at the beginning', `\ufeff${plain}`],
		['nothing in them', ''],
		['blanks alone', ' \n'],
		['one line', '{"model":"opus","enabledPlugins":{"a@b":true}}'],
		['no last line end', plain.trimEnd()],
	])('installing accepts and uninstalling restores settings byte for byte: %s', async (_, text) => {
		const home = await homeWith(text);
		expect((await home.run('install', 'claude')).err).toBe('');
		const installed = await textOf(home.settings);
		expect(installed.startsWith('\ufeff')).toBe(text.startsWith('\ufeff'));
		if (text.includes('\r\n')) expect(installed.replaceAll('\r\n', '')).not.toContain('\n');
		expect(JSON.parse(installed.replace('\ufeff', '')).enabledPlugins).toMatchObject({
			'contextd@contextd': true,
		});
		await home.run('uninstall', 'claude');
		expect(await textOf(home.settings)).toBe(text);
	});

	it.each([
		['a comment', '// mine\n{}'],
		['a comma too many', '{"a": 1,}'],
		['a list', '[]'],
		['plugins that are no object', '{"enabledPlugins": ["a"]}'],
		['sources that are no object', '{"extraKnownMarketplaces": "x"}'],
	])('installing leaves settings that it cannot parse alone, with a one-line error: %s', async (_, text) => {
		const home = await homeWith(text);
		const { code, err } = await home.run('install', 'claude');
		expect(code).toBe(1);
		expect(err.trim().split('\n')).toHaveLength(1);
		expect(err).toContain('it was left unchanged');
		expect(await textOf(home.settings)).toBe(text);
		expect(existsSync(home.state)).toBe(false);
	});

	it('installing leaves settings alone that are not UTF-8, a folder or read-only', async () => {
		const home = await homeWith();
		await writeFile(home.settings, Buffer.from('{"a": "\xff\xfe"}', 'latin1'));
		expect((await home.run('install', 'claude')).err).toContain('is not UTF-8 text; it was left unchanged');
		await rm(home.settings);
		await mkdir(home.settings);
		expect((await home.run('install', 'claude')).err).toContain('cannot be read');
		await rm(home.settings, { recursive: true });
		await writeFile(home.settings, plain, { mode: 0o444 });
		const { code, err } = await home.run('install', 'claude');
		expect({ code, err }).toMatchObject({
			code: 1,
			err: expect.stringContaining('is read-only; it was left'),
		});
		expect(await textOf(home.settings)).toBe(plain);
		expect(existsSync(home.state)).toBe(false);
	});

	it('installing writes through a link whose target does not exist, and uninstalling keeps the link', async () => {
		const home = await homeWith();
		const real = join(home.home, 'dotfiles', 'claude.json');
		await mkdir(join(home.home, 'dotfiles'));
		await symlink('../dotfiles/claude.json', home.settings);
		await home.run('install', 'claude');
		expect((await lstat(home.settings)).isSymbolicLink()).toBe(true);
		expect(await textOf(real)).toContain('contextd@contextd');
		await home.run('uninstall', 'claude');
		expect(await readlink(home.settings)).toBe('../dotfiles/claude.json');
		expect(existsSync(real)).toBe(false);
	});

	it.skipIf(!isRoot)('settings keep their owner if root installs', isRoot ? {} : needs('root'), async () => {
		const home = await homeWith(plain);
		await chmod(home.settings, 0o600);
		await chown(home.settings, 12_345, 12_346);
		await home.run('install', 'claude');
		const { uid, gid, mode } = await stat(home.settings);
		expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 12_345, gid: 12_346, mode: 0o600 });
	});
});

describe.skipIf(process.platform === 'win32')('settings that another program changes meanwhile', () => {
	const edit = JSON.stringify({ theme: 'light', added: [1, 2] });

	it('a change made during the installation survives it and the uninstallation', async () => {
		const home = await homeWith(plain);
		await home.runWith({ STAND_EDIT: edit }, 'install', 'claude');
		expect(JSON.parse(await textOf(home.settings))).toMatchObject({ theme: 'light', added: [1, 2] });
		await home.run('uninstall', 'claude');
		expect(JSON.parse(await textOf(home.settings))).toEqual({ model: 'opus', theme: 'light', added: [1, 2] });
	});

	it('a change made during the uninstallation survives it', async () => {
		const home = await homeWith(plain);
		await home.run('install', 'claude');
		const { out } = await home.runWith({ STAND_EDIT: edit }, 'uninstall', 'claude');
		expect(out).toContain('only the entries of contextd were removed');
		expect(JSON.parse(await textOf(home.settings))).toMatchObject({
			model: 'opus',
			theme: 'light',
			added: [1, 2],
		});
		expect(await textOf(home.settings)).not.toContain('contextd');
	});
});

describe.skipIf(process.platform === 'win32')('several installations', () => {
	it('four simultaneous installations leave one, which can be uninstalled', async () => {
		const home = await homeWith(plain);
		const runs = await Promise.all([1, 2, 3, 4].map(() => home.run('install', 'claude')));
		expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
		const { statusLine } = JSON.parse(await textOf(home.settings));
		expect(statusLine.command.match(/statusline/g)).toHaveLength(1);
		expect(await readdir(join(home.state, 'programs'))).toEqual(['1.2.3']);
		await home.run('uninstall', 'claude');
		expect(await textOf(home.settings)).toBe(plain);
		expect(await readdir(join(home.state, 'agents'))).toEqual([]);
	});

	it('installing twice works with a Claude Code that adds no source twice, and removes the old copy of the plugin', async () => {
		const home = await homeWith(plain, { STAND_VERSION: '2.0.77' });
		await home.run('install', 'claude');
		const copy = join(home.config, 'plugins', 'cache', 'contextd', 'contextd', '1.2.3', 'hooks.json');
		await mkdir(dirname(copy), { recursive: true });
		await writeFile(copy, '{}');
		expect(await home.run('install', 'claude')).toMatchObject({ code: 0, err: '' });
		expect(existsSync(copy)).toBe(false);
		await home.run('uninstall', 'claude');
		expect(await textOf(home.settings)).toBe(plain);
	});

	it('installing proceeds despite the lock of an installation that was killed', async () => {
		const home = await homeWith(plain);
		await mkdir(join(home.state, 'agents'), { recursive: true });
		await writeFile(join(home.state, 'agents', 'install.lock'), '999999999\n');
		expect((await home.run('install', 'claude')).code).toBe(0);
	});

	it('installations into two folders of settings can be removed one by one', async () => {
		const other = await mkdtemp(join(tmpdir(), 'contextd-config-'));
		const home = await homeWith(plain);
		await writeFile(join(other, 'settings.json'), '{"model": "haiku"}');
		await home.run('install', 'claude');
		await home.runWith({ CLAUDE_CONFIG_DIR: other }, 'install', 'claude');
		await home.run('uninstall', 'claude');
		expect(await textOf(home.settings)).toBe(plain);
		expect(existsSync(join(home.state, 'agents', 'claude', 'plugin', 'daemon.json'))).toBe(true);
		expect((await home.runWith({ CLAUDE_CONFIG_DIR: other }, 'doctor', 'claude')).out).not.toContain('✗');
		await home.runWith({ CLAUDE_CONFIG_DIR: other }, 'uninstall', 'claude');
		expect(await textOf(join(other, 'settings.json'))).toBe('{"model": "haiku"}');
		expect(existsSync(join(home.state, 'agents', 'claude'))).toBe(false);
		await rm(other, { recursive: true });
	});

	it('an installation that Claude Code refuses changes nothing', async () => {
		const home = await homeWith(plain);
		const { code, err } = await home.runWith({ STAND_FAILS: '1' }, 'install', 'claude');
		expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('plugin install') });
		expect(await textOf(home.settings)).toBe(plain);
		expect((await home.run('uninstall', 'claude')).out).toContain('contextd is not installed');
		expect(existsSync(join(home.state, 'agents', 'claude'))).toBe(false);
		expect((await home.run('install', 'claude')).code).toBe(0);
	});

	it('an installation killed half way can be undone byte for byte, or completed', async () => {
		const home = await homeWith(plain);
		const breakOff = async (): Promise<void> => {
			await home.run('install', 'claude');
			const folder = join(home.state, 'agents');
			const name = (await readdir(folder)).find((one) => /^claude-.*json$/.test(one)) ?? '';
			const record = JSON.parse(await textOf(join(folder, name)));
			const left = createHash('sha256').update(plain).digest('hex');
			await writeFile(join(folder, name), JSON.stringify({ ...record, left }));
			const { statusLine: _line, ...half } = JSON.parse(await textOf(home.settings));
			await writeFile(home.settings, JSON.stringify(half));
		};
		await breakOff();
		await home.run('uninstall', 'claude');
		expect(await textOf(home.settings)).toBe(plain);
		await breakOff();
		await home.run('install', 'claude');
		await home.run('uninstall', 'claude');
		expect(await textOf(home.settings)).toBe(plain);
	});
});
