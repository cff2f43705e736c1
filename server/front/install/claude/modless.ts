/** Determines whether the plugin may have to work without its mod. */

import { areModsForbidden, readManagedSettings } from './managed.ts';
import { canRunMods } from './version.ts';

/** The facts that determine whether mods run in Claude Code. */
export interface ModSupport {
	/** The version of Claude Code that the command starts. */
	version: string;
	/** Warnings about editors with an old Claude Code, from `findOldAcpHosts`. */
	oldHosts: readonly string[];
	platform: NodeJS.Platform;
}

/**
 * Returns whether some Claude Code on this machine may run no mods: it is too old, an editor's adapter starts an
 * older one, the organization's settings forbid mods, or the system is Windows.
 */
export async function isModlessPossible({ version, oldHosts, platform }: ModSupport): Promise<boolean> {
	if (platform === 'win32' || !canRunMods(version) || oldHosts.length > 0) return true;
	return areModsForbidden(await readManagedSettings(platform));
}
