/** A home folder with a Claude Code that knows its commands about plugins, and a package to install from. */

import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach } from 'vitest';
import { sessionAnswers } from '../fakeDaemon.ts';
import { type Run, runCommand } from '../runCommand.ts';
import { type FakeProgram, fakeProgram } from './fakeProgram.ts';

/** A program in place of Claude Code. Writes the settings as version 2.1.330 does: the whole file, indented by two spaces. */
const stand = `#!/usr/bin/env node
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const folder = process.env.CLAUDE_CONFIG_DIR || join(process.env.HOME, '.claude');
const file = join(folder, 'settings.json');
const args = process.argv.slice(2).join(' ');
let values = {};
try { values = JSON.parse(readFileSync(file, 'utf8').replace('\\ufeff', '').trim() || '{}'); } catch (error) { if (error.code !== 'ENOENT') process.exit(1); }
const write = () => { mkdirSync(folder, { recursive: true }); writeFileSync(file, JSON.stringify(values, null, 2)); };
const marketplaces = (values.extraKnownMarketplaces ??= {});
const plugins = (values.enabledPlugins ??= {});
const id = 'contextd@contextd';
const added = /^plugin marketplace add (.*)$/.exec(args);
if (args === '--version') console.log((process.env.STAND_VERSION || '2.1.330') + ' (Claude Code)');
else if (added) { if (/^2.0./.test(process.env.STAND_VERSION) && marketplaces.contextd) process.exit(1); marketplaces.contextd = { source: { source: 'directory', path: added[1] } }; write(); }
else if (args === 'plugin install ' + id) { if (process.env.STAND_FAILS) process.exit(1); Object.assign(values, JSON.parse(process.env.STAND_EDIT || '{}')); plugins[id] = true; write(); }
else if (args === 'plugin uninstall ' + id) { Object.assign(values, JSON.parse(process.env.STAND_EDIT || '{}')); delete plugins[id]; write(); }
else if (args === 'plugin marketplace remove contextd') { delete marketplaces.contextd; write(); }
else if (args === 'plugin list --json') console.log(process.env.STAND_PLUGINS || JSON.stringify(id in plugins ? [{ id, version: '1.2.3', enabled: plugins[id] }] : []));
else process.exit(1);
`;

/** A home to install into. */
export interface ClaudeHome {
	home: string;
	/** The folder of Claude Code's settings. */
	config: string;
	settings: string;
	state: string;
	/** Runs `contextd` with these arguments in the home. */
	run(...args: string[]): Promise<Run>;
	/** Runs `contextd` with these arguments and additional environment variables. */
	runWith(more: NodeJS.ProcessEnv, ...args: string[]): Promise<Run>;
	end(): Promise<void>;
}

/**
 * Makes a home.
 * @param text of the settings; no file is written without it
 * @param env variables besides those of every home: `STAND_VERSION` is the version of Claude Code, `STAND_EDIT` are
 *   settings that another program changes during the run, `STAND_PLUGINS` is what Claude Code prints as the list of
 *   its plugins, and with `STAND_FAILS` it refuses every plugin
 */
export async function claudeHome(
	text?: string,
	env: NodeJS.ProcessEnv = {},
	platform = process.platform,
	program: FakeProgram = {},
): Promise<ClaudeHome> {
	const home = await mkdtemp(join(tmpdir(), 'contextd-install-'));
	const config = env.CLAUDE_CONFIG_DIR ?? join(home, '.claude');
	const [settings, state, bin, packageFolder] = [
		join(config, 'settings.json'),
		join(home, 'state'),
		join(home, 'bin'),
		join(home, 'package'),
	];
	for (const folder of [config, bin, join(packageFolder, 'claude', 'plugin', 'hooks')])
		await mkdir(folder, { recursive: true });
	await writeFile(join(bin, 'claude.cjs'), stand);
	await chmod(join(bin, 'claude.cjs'), 0o755);
	await symlink('claude.cjs', join(bin, 'claude'));
	await writeFile(join(packageFolder, 'contextd.cjs'), fakeProgram(program));
	const hooks = join(packageFolder, 'claude', 'plugin', 'hooks');
	await writeFile(join(hooks, 'register.js'), '// the mod');
	await writeFile(join(hooks, 'hooks.json'), '{ "modules": ["./register.js"] }');
	if (text !== undefined) await writeFile(settings, text);
	const runWith = (more: NodeJS.ProcessEnv, ...args: string[]): Promise<Run> =>
		runCommand(args, {
			answers: { ...sessionAnswers(), 'context/discover': () => ({ transcripts: [] }) },
			env: { HOME: home, PATH: [bin, process.env.PATH].join(delimiter), ...env, ...more },
			installMachine: { packageFolder, stateFolder: state, node: process.execPath, home, platform },
		});
	return {
		home,
		config,
		settings,
		state,
		run: (...args) => runWith({}, ...args),
		runWith,
		end: () => rm(home, { recursive: true, force: true }),
	};
}

/** Makes homes as `claudeHome` does, and removes the newest after each test of the calling file. */
export function endedHomes(): typeof claudeHome {
	let made: ClaudeHome | undefined;
	afterEach(async () => {
		await made?.end();
		made = undefined;
	});
	return async (...args) => {
		made = await claudeHome(...args);
		return made;
	};
}
