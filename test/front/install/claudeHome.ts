/** A home folder with a Claude Code that knows its commands about plugins, and a package to install from. */

import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Run, runCommand } from '../runCommand.ts';

/** Writes the settings as Claude Code 2.1.330 does: the whole file, two blanks deep. */
const stand = `#!/usr/bin/env node
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const folder = process.env.CLAUDE_CONFIG_DIR || join(process.env.HOME, '.claude');
const file = join(folder, 'settings.json');
const args = process.argv.slice(2).join(' ');
let values = {};
try { values = JSON.parse(readFileSync(file, 'utf8')); } catch (error) { if (error.code !== 'ENOENT') process.exit(1); }
const write = () => { mkdirSync(folder, { recursive: true }); writeFileSync(file, JSON.stringify(values, null, 2)); };
const marketplaces = (values.extraKnownMarketplaces ??= {});
const plugins = (values.enabledPlugins ??= {});
const id = 'contextd@contextd';
const added = /^plugin marketplace add (.*)$/.exec(args);
if (args === '--version') console.log('2.1.330 (Claude Code)');
else if (added) { marketplaces.contextd = { source: { source: 'directory', path: added[1] } }; write(); }
else if (args === 'plugin install ' + id) { plugins[id] = true; write(); }
else if (args === 'plugin uninstall ' + id) { delete plugins[id]; write(); }
else if (args === 'plugin marketplace remove contextd') { delete marketplaces.contextd; write(); }
else if (args === 'plugin list --json') console.log(JSON.stringify(id in plugins ? [{ id, version: '1.2.3', enabled: plugins[id] }] : []));
else process.exit(1);
`;

/** A home to install into. */
export interface ClaudeHome {
	home: string;
	/** The folder of Claude Code's settings. */
	config: string;
	settings: string;
	state: string;
	/** Runs one of the commands. */
	run(...args: string[]): Promise<Run>;
	end(): Promise<void>;
}

/**
 * Makes a home.
 * @param text of the settings; none where absent
 * @param env variables beside those that every home has
 */
export async function claudeHome(text?: string, env: NodeJS.ProcessEnv = {}): Promise<ClaudeHome> {
	const home = await mkdtemp(join(tmpdir(), 'contextd-install-'));
	const config = env.CLAUDE_CONFIG_DIR ?? join(home, '.claude');
	const [settings, state, bin, packageFolder] = [
		join(config, 'settings.json'),
		join(home, 'state'),
		join(home, 'bin'),
		join(home, 'package'),
	];
	for (const folder of [config, bin, join(packageFolder, 'claude', 'plugin')])
		await mkdir(folder, { recursive: true });
	await writeFile(join(bin, 'claude.cjs'), stand);
	await chmod(join(bin, 'claude.cjs'), 0o755);
	await symlink('claude.cjs', join(bin, 'claude'));
	await writeFile(join(packageFolder, 'contextd.cjs'), '// the program');
	await writeFile(join(packageFolder, 'claude', 'plugin', 'register.js'), '// the mod');
	if (text !== undefined) await writeFile(settings, text);
	return {
		home,
		config,
		settings,
		state,
		run: (...args) =>
			runCommand(args, {
				env: { HOME: home, PATH: [bin, process.env.PATH].join(delimiter), ...env },
				installPlace: {
					packageFolder,
					stateFolder: state,
					node: process.execPath,
					home,
					platform: process.platform,
				},
			}),
		end: () => rm(home, { recursive: true, force: true }),
	};
}
