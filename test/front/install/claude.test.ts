import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listForbidden } from '../../../server/front/install/claude/managed.ts';
import { endedHomes } from './claudeHome.ts';

const written = '{\n\t"model" : "opus",\n\t"permissions": { "allow": [] },\n\n\t"theme": "dark"\n}\n';
const withLine = '{"statusLine": {"type": "command", "command": "mine --with \'quotes\'", "padding": 2}}';

const homeWith = endedHomes();

const textOf = (path: string): Promise<string> => readFile(path, 'utf8');

describe.skipIf(process.platform === 'win32')('contextd install claude', () => {
	it('contextd install claude adds the plugin and the status line, and leaves the rest of the settings as it was', async () => {
		const home = await homeWith(written);
		expect(await home.run('install', 'claude')).toMatchObject({ code: 0, err: '' });
		const text = await textOf(home.settings);
		const { statusLine, enabledPlugins, extraKnownMarketplaces } = JSON.parse(text);
		expect(text.startsWith(written.slice(0, written.indexOf('"dark"')))).toBe(true);
		expect(enabledPlugins).toEqual({ 'contextd@contextd': true });
		const folder = join(home.state, 'agents', 'claude');
		expect(extraKnownMarketplaces.contextd.source).toEqual({ source: 'directory', path: folder });
		const program = join(home.state, 'programs', '1.2.3', 'contextd.cjs');
		expect(statusLine).toEqual({ type: 'command', command: `${process.execPath} ${program} statusline` });
		expect(JSON.parse(await textOf(join(folder, 'plugin', 'daemon.json')))).toEqual({
			argv: [process.execPath, program],
			stateFolder: home.state,
			settings: join(home.state, 'agents', 'settings.json'),
			hasStatusLine: true,
		});
	});

	it("contextd install claude writes hooks for the plugin: one absolute command without the user's environment", async () => {
		const home = await homeWith(written);
		await home.run('install', 'claude');
		const plugin = join(home.state, 'agents', 'claude', 'plugin');
		const { modules, hooks } = JSON.parse(await textOf(join(plugin, 'hooks', 'hooks.json')));
		expect(modules).toEqual(['./register.js']);
		expect(Object.keys(hooks)).toEqual(['PreCompact', 'SessionStart']);
		const program = join(home.state, 'programs', '1.2.3', 'contextd.cjs');
		const settings = join(home.state, 'agents', 'settings.json');
		const command = `/usr/bin/env -i ${process.execPath} ${program} hook --settings-from ${settings}`;
		for (const [{ hooks: own }] of [hooks.PreCompact, hooks.SessionStart]) {
			expect(own).toEqual([
				{ type: 'command', command: expect.stringMatching(/exit 0; exec /), timeout: 10 },
			]);
			expect(own[0].command.endsWith(`exec ${command}`)).toBe(true);
		}
	});

	it('the plugin hooks into Bash calls only if the Claude Code runs no mods, and doctor finds hooks that do not fit', async () => {
		const home = await homeWith(written, { STAND_VERSION: '2.1.286' });
		await home.run('install', 'claude');
		const file = join(home.state, 'agents', 'claude', 'plugin', 'hooks', 'hooks.json');
		const hooksNow = async () => JSON.parse(await textOf(file)).hooks;
		const [{ hooks: afterBash }] = (await hooksNow()).PostToolUse;
		expect(afterBash).toEqual([
			{
				type: 'command',
				command: expect.stringMatching(/exit 0; exec .* hook --settings-from /),
				timeout: 10,
			},
		]);
		const updated = { STAND_VERSION: '2.1.330' };
		const needless = 'each Bash call starts a hook that this Claude Code does not need';
		expect((await home.run('doctor', 'claude')).out).not.toContain(needless);
		expect((await home.runWith(updated, 'doctor', 'claude')).out).toContain(needless);
		await home.runWith(updated, 'install', 'claude');
		expect(Object.keys(await hooksNow())).toEqual(['PreCompact', 'SessionStart']);
		expect((await home.runWith(updated, 'doctor', 'claude')).out).toContain('✓ the plugin has its hooks');
		expect((await home.run('doctor', 'claude')).out).toContain('the hooks of the plugin are missing');
	});

	it('contextd install claude keeps an existing status line and runs it below its own', async () => {
		const home = await homeWith(withLine);
		await home.run('install', 'claude');
		const { statusLine } = JSON.parse(await textOf(home.settings));
		expect(statusLine).toMatchObject({ type: 'command', padding: 2 });
		expect(statusLine.command).toMatch(/ statusline --below 'mine --with '\\''quotes'\\'''$/);
	});

	it('contextd install claude follows symbolic links and keeps file modes', async () => {
		const home = await homeWith();
		const real = join(home.home, 'dotfiles.json');
		await writeFile(real, written);
		await chmod(real, 0o640);
		await symlink(real, home.settings);
		await home.run('install', 'claude');
		expect((await lstat(home.settings)).isSymbolicLink()).toBe(true);
		expect((await stat(real)).mode & 0o777).toBe(0o640);
		await home.run('uninstall', 'claude');
		expect((await lstat(home.settings)).isSymbolicLink()).toBe(true);
		expect((await stat(real)).mode & 0o777).toBe(0o640);
		expect(await textOf(real)).toBe(written);
	});

	it('contextd install claude writes to the folder in CLAUDE_CONFIG_DIR', async () => {
		const config = await mkdtemp(join(tmpdir(), 'contextd-config-'));
		const home = await homeWith(written, { CLAUDE_CONFIG_DIR: config });
		await home.run('install', 'claude');
		expect(await textOf(join(config, 'settings.json'))).toContain('contextd@contextd');
		expect(existsSync(join(home.home, '.claude'))).toBe(false);
		await rm(config, { recursive: true });
	});

	it('contextd install claude fails and says so if there is no Claude Code', async () => {
		const home = await homeWith(written, { PATH: '/nowhere' });
		const { code, err } = await home.run('install', 'claude');
		expect(code).toBe(1);
		expect(err).toContain('the command claude cannot be started');
		expect(await textOf(home.settings)).toBe(written);
	});

	it('contextd install names the known agents if the name is unknown', async () => {
		const home = await homeWith();
		const { code, err } = await home.run('install', 'emacs');
		expect(code).toBe(2);
		expect(err).toContain('install: expected one of claude');
	});
});

describe.skipIf(process.platform === 'win32')('contextd uninstall claude', () => {
	it('contextd uninstall claude restores the exact bytes from before the first of several installations', async () => {
		const home = await homeWith(withLine);
		await home.run('install', 'claude');
		await home.run('install', 'claude');
		const { statusLine } = JSON.parse(await textOf(home.settings));
		expect(statusLine.command.match(/statusline/g)).toHaveLength(1);
		await home.run('uninstall', 'claude');
		expect(await textOf(home.settings)).toBe(withLine);
	});

	it('contextd uninstall claude removes a file of settings that did not exist before', async () => {
		const home = await homeWith();
		await home.run('install', 'claude');
		await home.run('uninstall', 'claude');
		expect(existsSync(home.settings)).toBe(false);
	});

	it('contextd uninstall claude keeps later edits exactly, and removes only its own entries', async () => {
		const home = await homeWith(withLine);
		await home.run('install', 'claude');
		const edited = (await textOf(home.settings)).replace('{', '{ "mine":   1,');
		await writeFile(home.settings, edited);
		expect((await home.run('uninstall', 'claude')).out).toContain(
			'only the entries of contextd were removed',
		);
		expect(await textOf(home.settings)).toBe(withLine.replace('{', '{ "mine":   1,'));
	});

	it('contextd uninstall claude keeps a status line that the user chose since', async () => {
		const home = await homeWith(written);
		await home.run('install', 'claude');
		const values = JSON.parse(await textOf(home.settings));
		values.statusLine.command = 'another';
		await writeFile(home.settings, JSON.stringify(values));
		await home.run('uninstall', 'claude');
		const kept = JSON.parse(await textOf(home.settings));
		expect(kept).toEqual({ ...JSON.parse(written), statusLine: { type: 'command', command: 'another' } });
	});

	it('contextd uninstall claude changes nothing if contextd is not installed', async () => {
		const home = await homeWith(written);
		expect((await home.run('uninstall', 'claude')).out).toContain('nothing was changed');
		expect(await textOf(home.settings)).toBe(written);
	});
});

describe.skipIf(process.platform === 'win32')('contextd doctor claude', () => {
	it('contextd doctor claude passes after an installation, and says who else can read the sessions', async () => {
		const home = await homeWith(written);
		await home.run('install', 'claude');
		const { code, out } = await home.run('doctor', 'claude');
		expect(code).toBe(0);
		expect(out).not.toContain('✗');
		expect(out).toContain('✓ Claude Code has the plugin');
		expect(out).toContain('every mod in Claude Code can read the conversation');
	});

	it('contextd doctor claude names the limits of old versions, of Windows and of Claude Code’s own summary', async () => {
		const home = await homeWith(written, { STAND_VERSION: '2.1.286' }, 'win32');
		await home.run('install', 'claude');
		const { code, out } = await home.run('doctor', 'claude');
		expect(code).toBe(0);
		expect(out).toContain(
			'· Claude Code 2.1.286 runs no mods (2.1.287 and later do): only the hooks and the status line',
		);
		expect(out).toContain('· mods cannot use sockets on Windows: only the hooks and the status line');
		expect(out).toContain('Claude Code summarizes only the older part that fits');
		expect(out).toContain('✓ the plugin has its hooks');
	});

	it('contextd doctor claude names settings that forbid parts of the plugin', async () => {
		const home = await homeWith(written);
		await home.run('install', 'claude');
		const values = JSON.parse(await textOf(home.settings));
		await writeFile(home.settings, JSON.stringify({ ...values, disableAllHooks: true }));
		await writeFile(join(home.state, 'agents', 'claude', 'plugin', 'hooks', 'hooks.json'), '{}');
		const { code, out } = await home.run('doctor', 'claude');
		expect(code).toBe(1);
		expect(out).toContain('✗ disableAllHooks is set in the settings: no part of the plugin runs');
		expect(out).toContain('✗ the hooks of the plugin are missing');
		const guard = { 'cc-plugin-sec-default@builtin': { options: { allowManagedModsOnly: true } } };
		expect(listForbidden({ pluginConfigs: guard }, {})).toEqual([
			{ text: expect.stringContaining('your organization allows only its own mods') },
		]);
		expect(listForbidden({ allowManagedHooksOnly: true }, {})[0]?.isSound).toBe(false);
	});

	it('contextd doctor claude names each missing or changed part', async () => {
		const home = await homeWith(written);
		const before = await home.run('doctor', 'claude');
		expect(before).toMatchObject({ code: 1, out: '' });
		expect(before.err).toContain('not installed in Claude Code');
		expect(before.err).toContain('run contextd install claude');
		await home.run('install', 'claude');
		const program = join(home.state, 'programs', '1.2.3');
		await writeFile(join(program, 'contextd.cjs'), 'process.exit(7)');
		await mkdir(join(home.config), { recursive: true });
		await writeFile(home.settings, '{"statusLine": {"type": "command", "command": "another"}}');
		const { code, out, err } = await home.run('doctor', 'claude');
		expect(code).toBe(1);
		expect(out).toContain(`✗ the program ${program} has been changed: contextd.cjs`);
		expect(out).toContain('✗ the daemon cannot be started: the daemon ended with code 7');
		expect(out).toContain('✗ Claude Code does not have the plugin');
		expect(out).toContain('the status line was changed since');
		expect(err).toMatch(/3 of \d+ checks failed/);
	});

	it('contextd doctor claude reports a damaged file of the plugin, and a list of plugins that is no JSON', async () => {
		const home = await homeWith(written, { STAND_PLUGINS: 'Warning: no plugins' });
		await home.run('install', 'claude');
		const start = join(home.state, 'agents', 'claude', 'plugin', 'daemon.json');
		await writeFile(start, '{"argv": [');
		const { code, out, err } = await home.run('doctor', 'claude');
		expect(code).toBe(1);
		expect(out).toContain(`✗ ${start} is missing or damaged; run contextd install claude to repair it`);
		expect(out).toContain('✗ Claude Code does not list its plugins');
		expect(out).toContain('✓ the status line shows the meter');
		expect(err).toMatch(/3 of \d+ checks failed/);
	});
});
