/** Where agents keep their own things, for a daemon that takes nothing from its environment. */

import { dirname, join, resolve } from 'node:path';
import { fieldsOf, firstText } from './core/transcript/reading/values.ts';
import { installedSettings } from './front/install/parts/record.ts';
import { stateDirectory } from './node/stateDirectory.ts';
import type { SettingsFile } from './settingsFile.ts';

/**
 * The variables that name such folders, as the user had them when contextd was installed. Claude Code may have several:
 * which of them a session is of nothing tells then, and the usual one is taken.
 */
export async function agentFolders(
	{ value }: SettingsFile,
	platform: NodeJS.Platform,
	home: string,
): Promise<Readonly<Record<string, string>>> {
	const directory = firstText(fieldsOf(value.storage).directory);
	const stateFolder = directory === undefined ? stateDirectory({}, platform, home) : resolve(directory);
	const [settings, ...others] = await installedSettings(stateFolder, 'claude');
	if (settings === undefined || others.length > 0) return {};
	const folder = dirname(settings);
	return folder === join(home, '.claude') ? {} : { CLAUDE_CONFIG_DIR: folder };
}
