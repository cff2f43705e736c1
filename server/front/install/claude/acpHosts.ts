/** Finds editors whose Agent Client Protocol (ACP) adapters include their own Claude Code. */

import { readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFields, tryParseJson } from '../../../core/shape.ts';
import { quoteShellWord } from '../../output/printable.ts';
import type { Machine } from '../parts/agent.ts';
import { findOnPath } from '../parts/agentProgram.ts';
import { readBytesIfExists } from '../parts/files.ts';
import { canRunMods, firstModVersion } from './version.ts';

/** The package with the Claude Code that adapters start; its manifest names the version. */
const sdkPackage = join('@anthropic-ai', 'claude-agent-sdk');
/** The names that the adapters have had on npm. */
const adapterPackages = [
	join('@agentclientprotocol', 'claude-agent-acp'),
	join('@zed-industries', 'claude-agent-acp'),
	join('@zed-industries', 'claude-code-acp'),
];
const adapterCommands = ['claude-agent-acp', 'claude-code-acp'];

/** Folders below Zed's data folder where Zed installs packages; `*` matches any name. */
const zedPackagePatterns = [
	'external_agents/*/*/node_modules',
	'external_agents/*/*/*/node_modules',
	'node/cache/_npx/*/node_modules',
	'node/*/cache/_npx/*/node_modules',
];

/**
 * Returns a warning for each adapter that starts its own Claude Code without support for mods. The warning names the
 * variable that selects another Claude Code. Searches the PATH, npx's cache and Zed's data folder; reads a few
 * folders and manifests.
 */
export async function findOldAcpHosts(machine: Machine): Promise<string[]> {
	const { CLAUDE_CODE_EXECUTABLE: claudeExecutable } = machine.env;
	if (claudeExecutable) return [];
	const oldVersions = new Map<string, string>();
	for (const folder of await findPackageFolders(machine)) {
		for (const adapter of adapterPackages.map((name) => join(folder, name))) {
			if ((await readBytesIfExists(join(adapter, 'package.json'))) === undefined) continue;
			const version =
				(await readSdkClaudeVersion(join(adapter, 'node_modules', sdkPackage))) ??
				(await readSdkClaudeVersion(join(folder, sdkPackage)));
			if (version !== undefined && !canRunMods(version)) oldVersions.set(await realpath(adapter), version);
		}
	}
	if (oldVersions.size === 0) return [];
	const claude = (await findOnPath(['claude'], machine))[0] ?? '/path/to/claude';
	return [...oldVersions].map(
		([adapter, version]) =>
			`the ACP adapter ${adapter} starts its own Claude Code ${version}, which runs no mods: set CLAUDE_CODE_EXECUTABLE=${quoteShellWord(claude)} (${firstModVersion} or later) in the environment of the editor that uses it`,
	);
}

async function readSdkClaudeVersion(folder: string): Promise<string | undefined> {
	const manifest = tryParseJson(
		(await readBytesIfExists(join(folder, 'package.json')))?.toString('utf8') ?? '',
	)?.value;
	if (!isFields(manifest)) return undefined;
	return typeof manifest.claudeCodeVersion === 'string' ? manifest.claudeCodeVersion : undefined;
}

/** Returns the folders named `node_modules` that may contain an adapter. */
async function findPackageFolders(machine: Machine): Promise<string[]> {
	const { home, node } = machine;
	const binFolder = dirname(node);
	const commands = await Promise.all(
		(await findOnPath(adapterCommands, machine)).map((file) => realpath(file)),
	);
	const commandFolders = commands.map((file) => file.replace(/([\\/]node_modules)[\\/].*$/, '$1'));
	const searchedFolders = [
		...(await findFoldersLike(join(home, '.npm'), '_npx/*/node_modules')),
		...(await Promise.all(
			listZedFolders(machine).flatMap((zed) =>
				zedPackagePatterns.map((pattern) => findFoldersLike(zed, pattern)),
			),
		)),
	].flat();
	return [
		join(binFolder, '..', 'lib', 'node_modules'),
		join(binFolder, 'node_modules'),
		...commandFolders,
		...searchedFolders,
	];
}

function listZedFolders({ env, home, platform }: Machine): string[] {
	if (platform === 'darwin') return [join(home, 'Library', 'Application Support', 'Zed')];
	if (platform === 'win32') return [join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'Zed')];
	return [join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'zed')];
}

/** Returns the folders below a root whose names match a pattern; `*` matches any name. */
async function findFoldersLike(root: string, pattern: string): Promise<string[]> {
	let folders = [root];
	for (const name of pattern.split('/')) {
		if (name !== '*') {
			folders = folders.map((folder) => join(folder, name));
			continue;
		}
		const children = await Promise.all(
			folders.map(async (folder) => {
				const names = await readdir(folder).catch(() => []);
				return names.map((one) => join(folder, one));
			}),
		);
		folders = children.flat();
	}
	return folders;
}
