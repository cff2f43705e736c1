/** Whether the plugin has to work without its mod. */

import type { InstallPlace } from '../parts/agent.ts';
import { oldAcpHosts } from './acpHosts.ts';
import { forbidsMods, managedSettings } from './managed.ts';
import { runsMods } from './version.ts';

/**
 * Returns whether a Claude Code on this machine runs no mods: it is too old, an editor's adapter starts an older one, the
 * organization's settings on this machine forbid them, or the system is Windows.
 * @param version of the Claude Code that the command starts
 */
export async function isModlessPossible(version: string, place: InstallPlace): Promise<boolean> {
	if (place.platform === 'win32' || !runsMods(version)) return true;
	if (forbidsMods(await managedSettings(place.platform))) return true;
	return (await oldAcpHosts(place)).length > 0;
}
