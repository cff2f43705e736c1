/** The agents for which contextd has a plugin to install. */

import { rm } from 'node:fs/promises';
import { installableAgents } from '../console/commandWords.ts';
import { type FrontIo, writePlainLines } from '../console/terminal.ts';
import { makePrintable } from '../output/printable.ts';
import { claudeCodePlugin } from './claude/claude.ts';
import type { AgentName, InstallCommand } from './command.ts';
import type { InstallableAgent, Machine } from './parts/agent.ts';
import { removePluginSettings } from './parts/daemonStart.ts';
import { runOneAtATime } from './parts/oneAtATime.ts';
import { getProgramsFolder } from './parts/program.ts';
import { isInstalledAnywhere } from './parts/record.ts';
import { openCodePlugin, piPlugin } from './pluginFile/pluginFile.ts';

/** The installers, by the name of the agent on the command line. */
export const installableAgentsByName: Readonly<Record<AgentName, InstallableAgent>> = {
	claude: claudeCodePlugin,
	opencode: openCodePlugin,
	pi: piPlugin,
};

/** Returns whether a text names an agent for which contextd has a plugin. */
export function isInstallableName(name: string): name is AgentName {
	return installableAgents.some((one) => one === name);
}

/** Installs contextd into an agent, or removes it. */
export async function runInstall(
	{ name, agent }: InstallCommand,
	machine: Machine,
	io: FrontIo,
): Promise<void> {
	const report = await (name === 'install'
		? installableAgentsByName[agent].install(machine)
		: uninstallAgent(agent, machine));
	await writePlainLines(io, ...report.map(makePrintable));
}

/** Removes contextd from an agent, and removes files from the state folder that no agent uses any more. */
export async function uninstallAgent(name: AgentName, machine: Machine): Promise<string[]> {
	const report = await installableAgentsByName[name].uninstall(machine);
	await removeUnusedPrograms(machine.stateFolder);
	return report;
}

/**
 * Removes copies of the program and unchanged settings of daemons if contextd is no longer installed in any agent.
 * Settings that the user changed, journals and stored views remain.
 */
async function removeUnusedPrograms(stateFolder: string): Promise<void> {
	await runOneAtATime(stateFolder, async () => {
		for (const agent of installableAgents) if (await isInstalledAnywhere(stateFolder, agent)) return;
		await rm(getProgramsFolder(stateFolder), { recursive: true, force: true });
		await removePluginSettings(stateFolder);
	});
}
