/** The agents that contextd can be installed into. */

import { rm } from 'node:fs/promises';
import { installableAgents } from '../console/commandWords.ts';
import { claudeCodePlugin } from './claude/claude.ts';
import type { AgentName } from './command.ts';
import type { InstallableAgent, InstallPlace } from './parts/agent.ts';
import { removePluginSettings } from './parts/daemonStart.ts';
import { runOneAtATime } from './parts/oneAtATime.ts';
import { programsFolder } from './parts/program.ts';
import { isInstalledAnywhere } from './parts/record.ts';
import { openCodePlugin, piPlugin } from './pluginFile/pluginFile.ts';

/** The installers by the names of their agents on the command line. */
export const installableAgentsByName: Readonly<Record<AgentName, InstallableAgent>> = {
	claude: claudeCodePlugin,
	opencode: openCodePlugin,
	pi: piPlugin,
};

/** Whether a text is the name of such an agent. */
export function isInstallableName(name: string): name is AgentName {
	return installableAgents.some((one) => one === name);
}

/** Removes contextd from an agent, and from the state folder what no agent uses any more. */
export async function uninstallAgent(name: AgentName, place: InstallPlace): Promise<string[]> {
	const done = await installableAgentsByName[name].uninstall(place);
	await removeUnused(place.stateFolder);
	return done;
}

/**
 * Removes copies of the program, and unchanged settings of daemons, if none of these agents uses contextd any more.
 * Journals and stored views remain.
 */
async function removeUnused(stateFolder: string): Promise<void> {
	await runOneAtATime(stateFolder, async () => {
		for (const agent of installableAgents) if (await isInstalledAnywhere(stateFolder, agent)) return;
		await rm(programsFolder(stateFolder), { recursive: true, force: true });
		await removePluginSettings(stateFolder);
	});
}
