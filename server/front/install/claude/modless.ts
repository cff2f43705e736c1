/** Whether the plugin has to work without its mod. */

import { forbidsMods, managedSettings } from './managed.ts';
import { runsMods } from './version.ts';

/** What tells whether mods run. */
export interface ModHosts {
	/** The version of the Claude Code that the command starts. */
	version: string;
	/** What `oldAcpHosts` returned. */
	oldHosts: readonly string[];
	platform: NodeJS.Platform;
}

/**
 * Returns whether a Claude Code on this machine runs no mods: it is too old, an editor's adapter starts an older one, the
 * organization's settings on this machine forbid them, or the system is Windows.
 */
export async function isModlessPossible({ version, oldHosts, platform }: ModHosts): Promise<boolean> {
	if (platform === 'win32' || !runsMods(version) || oldHosts.length > 0) return true;
	return forbidsMods(await managedSettings(platform));
}
