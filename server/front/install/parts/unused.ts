/** What only agents need that contextd is installed into. */

import { rm } from 'node:fs/promises';
import { dropSettings } from './daemonStart.ts';
import { oneAtATime } from './oneAtATime.ts';
import { programsFolder } from './program.ts';
import { isInstalledAnywhere } from './record.ts';

/**
 * Takes away the copies of the program, and the settings of daemons that nobody changed, where contextd is in none of
 * these agents any more. Journals stay, and what was held of sessions.
 */
export async function removeUnused(stateFolder: string, agents: readonly string[]): Promise<void> {
	await oneAtATime(stateFolder, async () => {
		for (const agent of agents) if (await isInstalledAnywhere(stateFolder, agent)) return;
		await rm(programsFolder(stateFolder), { recursive: true, force: true });
		await dropSettings(stateFolder);
	});
}
