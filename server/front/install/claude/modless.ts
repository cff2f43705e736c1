/** Determines whether the plugin may have to work without its mod. */

import { forbidsMods, managedSettings } from './managed.ts';
import { runsMods } from './version.ts';

/** Determines whether mods run. */
export interface ModHosts {
	/** The version of Claude Code that the command starts. */
	version: string;
	/** Result of `oldAcpHosts`. */
	oldHosts: readonly string[];
	platform: NodeJS.Platform;
}

/**
 * Whether a Claude Code on this machine may run no mods.
 *
 * That is the case if it is too old, if an editor's adapter starts an older one, if the organization's settings forbid
 * mods, or on Windows.
 */
export async function isModlessPossible({ version, oldHosts, platform }: ModHosts): Promise<boolean> {
	if (platform === 'win32' || !runsMods(version) || oldHosts.length > 0) return true;
	return forbidsMods(await managedSettings(platform));
}
