/** Finds the folders of agents for a daemon that ignores its environment variables. */

import { join, resolve } from 'node:path';
import { asFields, firstText } from '../core/values.ts';
import { listInstalledSettings } from '../front/install/parts/record.ts';
import type { SettingsFile } from '../node/settings/settingsFile.ts';
import { getDefaultStateFolder } from '../node/stateFolder.ts';

/** An environment variable that names an agent's folder, with a file that contextd installed there. */
interface FolderVariable {
	variable: string;
	/** The agent's name in the records of `contextd install`. */
	agent: string;
	/** The default folder, relative to the home folder. */
	defaultPath: readonly string[];
	/** The installed or changed file, relative to the folder. */
	installedFile: readonly string[];
}

const folderVariables: readonly FolderVariable[] = [
	{
		variable: 'CLAUDE_CONFIG_DIR',
		agent: 'claude',
		defaultPath: ['.claude'],
		installedFile: ['settings.json'],
	},
	{
		variable: 'PI_CODING_AGENT_DIR',
		agent: 'pi',
		defaultPath: ['.pi', 'agent'],
		installedFile: ['extensions', 'contextd.js'],
	},
	{
		variable: 'XDG_CONFIG_HOME',
		agent: 'opencode',
		defaultPath: ['.config'],
		installedFile: ['opencode', 'plugin', 'contextd.js'],
	},
];

/**
 * Returns the variables that name agents' folders, with their values when contextd was installed.
 *
 * If contextd was installed in several folders of an agent, the folder of a session is unknown, and the variable is
 * left out.
 */
export async function findAgentFolders(
	{ value }: SettingsFile,
	platform: NodeJS.Platform,
	home: string,
): Promise<Readonly<Record<string, string>>> {
	const directory = firstText(asFields(value.storage).directory);
	const stateFolder =
		directory === undefined ? getDefaultStateFolder({}, platform, home) : resolve(directory);
	const folders: Record<string, string> = {};
	for (const { variable, agent, defaultPath, installedFile } of folderVariables) {
		const [found, ...others] = await listInstalledSettings(stateFolder, agent);
		if (found === undefined || others.length > 0) continue;
		const folder = resolve(found, ...installedFile.map(() => '..'));
		if (folder !== join(home, ...defaultPath)) folders[variable] = folder;
	}
	return folders;
}
