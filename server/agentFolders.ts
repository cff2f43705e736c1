/** Where agents keep their own things, for a daemon that takes nothing from its environment. */

import { join, resolve } from 'node:path';
import { fieldsOf, firstText } from './core/transcript/reading/values.ts';
import { installedSettings } from './front/install/parts/record.ts';
import { stateDirectory } from './node/stateDirectory.ts';
import type { SettingsFile } from './settingsFile.ts';

/** A variable that names an agent's folder, and what contextd put there. */
interface FolderVariable {
	variable: string;
	/** As the records of installations name it. */
	agent: string;
	/** The folder where the variable is not set, in the home folder. */
	usual: readonly string[];
	/** The file that an installation changed or made, in the folder. */
	file: readonly string[];
}

const variables: readonly FolderVariable[] = [
	{ variable: 'CLAUDE_CONFIG_DIR', agent: 'claude', usual: ['.claude'], file: ['settings.json'] },
	{
		variable: 'PI_CODING_AGENT_DIR',
		agent: 'pi',
		usual: ['.pi', 'agent'],
		file: ['extensions', 'contextd.js'],
	},
	{
		variable: 'XDG_CONFIG_HOME',
		agent: 'opencode',
		usual: ['.config'],
		file: ['opencode', 'plugin', 'contextd.js'],
	},
];

/**
 * The variables that name such folders, as the user had them when contextd was installed. An agent may have several:
 * which of them a session is of nothing tells then, and the usual one is taken.
 */
export async function agentFolders(
	{ value }: SettingsFile,
	platform: NodeJS.Platform,
	home: string,
): Promise<Readonly<Record<string, string>>> {
	const directory = firstText(fieldsOf(value.storage).directory);
	const stateFolder = directory === undefined ? stateDirectory({}, platform, home) : resolve(directory);
	const folders: Record<string, string> = {};
	for (const { variable, agent, usual, file } of variables) {
		const [found, ...others] = await installedSettings(stateFolder, agent);
		if (found === undefined || others.length > 0) continue;
		const folder = resolve(found, ...file.map(() => '..'));
		if (folder !== join(home, ...usual)) folders[variable] = folder;
	}
	return folders;
}
